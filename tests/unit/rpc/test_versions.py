"""What the version levels of the configuration stand for."""

from openkeel.rpc.versions import resolve_cap


def test_version_levels_are_versions_releases_or_what_runs():
    assert resolve_cap("compute", None) is None
    assert resolve_cap("compute", "6.4") == "6.4"
    assert resolve_cap("compute", "flamingo") == "6.4"
    assert resolve_cap("compute", "auto", lambda: 68) == "6.4"
    assert resolve_cap("compute", "auto", lambda: 0) is None
