"""The options of outside services are Nova's."""

import json
import os
from pathlib import Path

import pytest
from oslo_config import cfg

from openkeel.clients.options import GROUPS

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[4] / "shared"))
CONTRACT = SHARED / "contracts" / "config_options.json"


@pytest.fixture(scope="module")
def rows():
    if not CONTRACT.exists():
        pytest.skip(f"no contract at {CONTRACT}")
    contract = json.loads(CONTRACT.read_text())
    return [*contract["options"], *contract["library_options_registered_by_nova_conf"]]


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_names_defaults_and_old_names_equal_the_contract(rows, group):
    ours = {option.dest: option for option in GROUPS[group]}
    theirs = {row["dest"]: row for row in rows if row["group"] == group}
    assert set(ours) == set(theirs)
    for name, row in theirs.items():
        option = ours[name]
        assert (option.default if option.default is not None else None) == row["default"], name
        assert sorted([old.group, old.name] for old in option.deprecated_opts) == sorted(
            map(list, row["deprecated_names"])
        ), name
        assert bool(option.deprecated_for_removal) == bool(row["deprecated_for_removal"]), name
        assert option.secret == row["secret"], name


def test_all_register_together():
    conf = cfg.ConfigOpts()
    for group, options in GROUPS.items():
        conf.register_opts(options, group=group)
    conf([])
    assert conf.neutron.valid_interfaces == ["internal", "public"]
    assert conf.placement.service_type == "placement"
