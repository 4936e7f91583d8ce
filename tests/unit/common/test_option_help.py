"""A help text tells the truth: who sets an option learns whether anything comes of it."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import openkeel
from openkeel.common.options import FOREIGN_MODULES, OPTION_MODULES

PACKAGE = Path(openkeel.__file__).parent
# Modules whose options are mostly read by the library they come from.
OF_LIBRARIES = {"openkeel.policies.options", "openkeel.clients.options", "openkeel.db.options"}
READ_OTHERWISE = {
    "my_ip",  # by the defaults of others
    "state_path",
    "pybasedir",
    "baseapi",  # by the name of the service
}


def _options():
    return [
        pytest.param(option, id=f"{group}.{option.dest}")
        for module in OPTION_MODULES
        if module not in OF_LIBRARIES
        for group, options in import_module(module).GROUPS.items()
        for option in options
        if option.dest not in READ_OTHERWISE
    ]


@pytest.fixture(scope="module")
def read():
    """Names of all attributes that the package reads: a superset of the options that it reads."""
    return {
        node.attr
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


@pytest.mark.parametrize("option", _options())
def test_an_option_that_nothing_reads_says_so(read, option):
    assert option.dest in read or "Accepted" in option.help


def test_a_foreign_option_says_that_it_is():
    for module in FOREIGN_MODULES:
        for options in import_module(module).GROUPS.values():
            assert all(option.help.startswith("Accepted and ignored: of Nova's ") for option in options)
