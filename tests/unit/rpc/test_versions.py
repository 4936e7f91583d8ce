"""What the version levels of the configuration stand for."""

import pytest

from openkeel.domain.errors import Invalid
from openkeel.rpc.versions import resolve_cap


def test_version_levels_are_versions_releases_or_what_runs():
    assert resolve_cap("compute", None) is None
    assert resolve_cap("compute", "6.4") == "6.4"
    assert resolve_cap("compute", "flamingo") == "6.4"
    assert resolve_cap("compute", "auto", lambda: 68) == "6.4"
    assert resolve_cap("compute", "auto", lambda: 0) is None


@pytest.mark.parametrize(
    ("service", "level"), [("compute", "hardy"), ("scheduler", "auto"), ("compute", "6")]
)
def test_a_level_that_means_nothing_is_refused_with_the_name_of_its_option(service, level):
    with pytest.raises(Invalid, match=rf"\[upgrade_levels\] {service} = {level}"):
        resolve_cap(service, level)
