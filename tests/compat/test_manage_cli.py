"""openkeel-manage takes the arguments that scripts written for Nova's command give."""

import pytest

from openkeel.cmd.manage import CATEGORIES
from tests.fixtures.contract import facts

ABSENT = {
    # Both speak of the way from the server's host to a volume, which only a compute knows.
    ("volume_attachment", "get_connector"),
    ("volume_attachment", "refresh"),
    # Steps inside heal_allocations, not words of the command line.
    ("placement", "ensure_instance_has_no_cyborg_device_profile_request"),
    ("placement", "ensure_instance_has_no_vgpu_request"),
}
COMMANDS = {
    (category.name, command.name): command for category in CATEGORIES for command in category.commands
}


def of_tool(section):
    return [row for row in facts("manage_cli", section) if row["tool"] == "nova-manage"]


def test_categories_are_whole():
    ours = {category.name for category in CATEGORIES}
    theirs = {(row["category"], row["command"]) for row in of_tool("commands") if row["category"] in ours}
    assert set(COMMANDS) == theirs - ABSENT


@pytest.mark.parametrize(("category", "command"), sorted(COMMANDS), ids=lambda name: name)
def test_a_command_takes_the_arguments_of_the_contract(category, command):
    ours = {argument.dest: argument for argument in COMMANDS[category, command].arguments}
    theirs = {
        row["dest"]: row
        for row in of_tool("arguments")
        if (row["category"], row["command"]) == (category, command)
    }
    assert set(ours) == set(theirs)
    for dest, argument in ours.items():
        row, settings = theirs[dest], argument.settings
        assert list(argument.names) == row["names"], dest
        assert settings.get("action") == row["action"], dest
        assert settings.get("nargs") == row["nargs"], dest
        assert bool(settings.get("required")) == bool(row["required"]), dest
        assert getattr(settings.get("type"), "__name__", None) == row["type"], dest
        if settings.get("action") != "store_true":
            assert settings.get("default") == row["parameter_default"], dest
            assert settings.get("metavar") == row["metavar"], dest
