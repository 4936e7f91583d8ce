"""Options under Nova's names are Nova's: type, default, bounds, old names. All of them are there."""

import pytest

from openkeel.common.options import list_foreign_opts, list_opts
from tests.fixtures.contract import facts

OURS = {"kubevirt", "openkeel_api", "stalled_builds"}
OF_LIBRARIES = {"oslo_policy"}  # declared by oslo.policy itself, for us as for Nova
# Defaults that depend on the machine, or name a place of the program's own.
OWN_DEFAULTS = {
    ("DEFAULT", "host"),
    ("DEFAULT", "console_host"),
    ("DEFAULT", "my_ip"),
    ("DEFAULT", "pybasedir"),
}
# The facts were taken on a machine called "vm", and its name was made unreadable wherever it stood.
UNREADABLE, READABLE = "<hostname>", "vm"
DECLARED = {
    (group, option.dest): option
    for group, options in (*list_opts(), *list_foreign_opts())
    if group not in OURS | OF_LIBRARIES
    for option in options
}


@pytest.fixture
def contract():
    sections = ("options", "library_options_registered_by_nova_conf")
    return {
        (row["group"], row["dest"]): row for section in sections for row in facts("config_options", section)
    }


def test_every_option_of_nova_is_declared():
    # Not in Nova's own sample: what keystoneauth adds to groups of services.
    wanted = {
        (row["group"], row["dest"])
        for row in facts("config_options", "options")
        if row["in_sample_generator"]
    }
    assert wanted - DECLARED.keys() == set()


@pytest.mark.parametrize(
    ("group", "name", "option"),
    [pytest.param(*key, option, id=".".join(key)) for key, option in DECLARED.items()],
)
def test_an_option_is_as_in_the_contract(contract, group, name, option):
    row = contract[group, name]
    # A function as a type (versions of other services: "1" is "1.0") is not told apart from text.
    assert type(option.type).__name__ == row["type"].replace("function", "String")
    assert (option.multi, option.secret, option.mutable) == (row["multi"], row["secret"], row["mutable"])
    assert _bounds(option.type) == (row.get("min"), row.get("max"))
    if (group, name) not in OWN_DEFAULTS:
        assert _plain(option.default) == _readable(row["default"])
    assert set(getattr(option.type, "choices", None) or ()) == set(row.get("choices") or ())
    assert _pattern(option.type) == row.get("regex")
    assert sorted([old.group, old.name] for old in option.deprecated_opts) == sorted(row["deprecated_names"])
    assert bool(option.deprecated_for_removal) == row["deprecated_for_removal"]
    assert option.deprecated_since == row["deprecated_since"]


def _readable(default):
    return default.replace(UNREADABLE, READABLE) if isinstance(default, str) else default


def _pattern(kind):
    regex = getattr(kind, "regex", None)
    return regex.pattern if regex else None


def _bounds(kind):
    return getattr(kind, "min", None), getattr(kind, "max", None)


def _plain(default):
    return list(default) if isinstance(default, tuple) else default
