"""The options of the scheduler are Nova's, and so are the names of its parts."""

import json
import os
from pathlib import Path

import pytest
from oslo_config import cfg

from openkeel.scheduler.options import GROUPS
from openkeel.scheduler.registry import FILTERS, WEIGHERS, make_filters, make_weighers

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[4] / "shared"))


def contract(name):
    path = SHARED / "contracts" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no contract at {path}")
    return json.loads(path.read_text())


@pytest.fixture
def conf():
    conf = cfg.ConfigOpts()
    for group, options in GROUPS.items():
        conf.register_opts(options, group=group)
    conf([], default_config_files=[])
    return conf


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_names_defaults_and_limits_equal_the_contract(group):
    ours = {option.dest: option for option in GROUPS[group]}
    theirs = {row["dest"]: row for row in contract("config_options")["options"] if row["group"] == group}
    assert set(ours) == set(theirs)
    for name, row in theirs.items():
        option = ours[name]
        assert option.default == row["default"], name
        assert getattr(option.type, "min", None) == row.get("min"), name
        assert bool(option.deprecated_for_removal) == row["deprecated_for_removal"], name
        assert [str(one) for one in getattr(option.type, "choices", None) or []] == (
            row.get("choices") or []
        ), name


def test_every_default_filter_and_every_weigher_is_here(conf):
    names = contract("filters_weighers")
    assert [one.name for one in make_filters(conf.filter_scheduler)] == names["default_enabled_filters"]
    assert set(WEIGHERS) == {row["weigher"] for row in names["weighers"] if not row["base"]}


def test_weighers_have_the_multipliers_and_aggregate_keys_of_the_contract(conf):
    rows = {row["weigher"]: row for row in contract("filters_weighers")["weighers"]}
    for weigher in make_weighers(conf.filter_scheduler, conf.metrics):
        row = rows[weigher.name]
        assert [weigher.multiplier] == list(row["default_multipliers"].values()), weigher.name
        assert [weigher.multiplier_key] == row["aggregate_metadata_multiplier_keys"], weigher.name


def test_single_weighers_are_named_by_class_path(conf):
    conf.set_override("weight_classes", ["nova.scheduler.weights.ram.RAMWeigher"], group="filter_scheduler")
    assert [one.name for one in make_weighers(conf.filter_scheduler, conf.metrics)] == ["RAMWeigher"]


def test_an_unknown_filter_is_refused_by_name(conf):
    conf.set_override("enabled_filters", ["ComputeFilter", "MoonFilter"], group="filter_scheduler")
    with pytest.raises(ValueError, match="MoonFilter"):
        make_filters(conf.filter_scheduler)
    assert "ComputeFilter" in FILTERS
