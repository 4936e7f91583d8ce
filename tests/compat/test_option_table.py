"""Options under Nova's names are Nova's: type, default, bounds, old names."""

import pytest

from openkeel.common.options import list_opts
from tests.fixtures.contract import facts

OURS = {"kubevirt", "openkeel_api", "stalled_builds"}
OF_LIBRARIES = {"oslo_policy"}  # declared by oslo.policy itself, for us as for Nova
# Defaults that depend on the machine, or name a place of the program's own.
OWN_DEFAULTS = {("DEFAULT", "host"), ("DEFAULT", "my_ip"), ("DEFAULT", "pybasedir")}
# Choices of Nova's that we do not offer: refusing at start is better than acting otherwise.
NOT_OFFERED = {("quota", "driver"): {"nova.quota.UnifiedLimitsDriver"}}
OPTIONS = [
    pytest.param(group, option, id=f"{group}.{option.dest}")
    for group, options in list_opts()
    if group not in OURS | OF_LIBRARIES
    for option in options
]


@pytest.fixture
def contract():
    sections = ("options", "library_options_registered_by_nova_conf")
    return {
        (row["group"], row["dest"]): row for section in sections for row in facts("config_options", section)
    }


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_an_option_is_as_in_the_contract(contract, group, option):
    row = contract[group, option.dest]
    # A function as a type (versions of other services: "1" is "1.0") is not told apart from text.
    assert type(option.type).__name__ == row["type"].replace("function", "String")
    assert (option.multi, option.secret) == (row["multi"], row["secret"])
    assert _bounds(option.type) == (row.get("min"), row.get("max"))
    if (group, option.dest) not in OWN_DEFAULTS:
        assert _plain(option.default) == row["default"]
    missing = NOT_OFFERED.get((group, option.dest), set())
    assert set(getattr(option.type, "choices", None) or ()) == set(row.get("choices") or ()) - missing
    assert sorted([old.group, old.name] for old in option.deprecated_opts) == sorted(row["deprecated_names"])
    assert bool(option.deprecated_for_removal) == row["deprecated_for_removal"]


def _bounds(kind):
    return getattr(kind, "min", None), getattr(kind, "max", None)


def _plain(default):
    return list(default) if isinstance(default, tuple) else default
