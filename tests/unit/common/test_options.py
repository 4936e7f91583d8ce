"""All options together: each declared once, each read, none at import."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from oslo_config import cfg

import openkeel
from openkeel.common.options import (
    FOREIGN_MODULES,
    OPTION_MODULES,
    list_opts,
    register_all,
)

PACKAGE = Path(openkeel.__file__).parent


def _declared():
    for module in (*OPTION_MODULES, *FOREIGN_MODULES):
        for group, options in import_module(module).GROUPS.items():
            for option in options:
                yield module, group, option


def test_every_options_module_is_named():
    declaring = {
        "openkeel." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for path in PACKAGE.rglob("*options.py")
        if "\nGROUPS: Final" in path.read_text()
    }
    assert declaring == {*OPTION_MODULES, *FOREIGN_MODULES}


def test_an_option_is_declared_once():
    places = {}
    for module, group, option in _declared():
        places.setdefault((group, option.dest), []).append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


@pytest.mark.parametrize(
    ("group", "option"),
    [pytest.param(group, option, id=f"{group}.{option.dest}") for _, group, option in _declared()],
)
def test_an_option_says_what_it_does(group, option):
    assert option.help
    assert len(option.help) > 10


def test_all_register_and_have_their_defaults():
    conf = cfg.ConfigOpts()
    register_all(conf)
    register_all(conf)  # a second time does no harm
    conf([], project="openkeel", default_config_files=[], default_config_dirs=[])
    for group, options in list_opts():
        values = conf if group == "DEFAULT" else conf[group]
        for option in options:
            getattr(values, option.dest)  # a default that is no value of its own type raises


DEAF = """
import importlib, socket, sys

def refuse(self, address):
    raise AssertionError(f"a default asks the network at {address!r}")

socket.socket.connect = refuse
for module in sys.argv[1:]:
    importlib.import_module(module)
"""


def test_no_default_needs_the_network_when_it_is_declared():
    modules = [*OPTION_MODULES, *FOREIGN_MODULES]
    subprocess.run([sys.executable, "-c", DEAF, *modules], check=True)
