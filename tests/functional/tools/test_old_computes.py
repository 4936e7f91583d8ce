"""What the records of old computes mean for a daemon that is about to start."""

import logging

import pytest

from openkeel.cmd.configuration import read
from openkeel.cmd.old_computes import expect_current_computes, refuse_old
from openkeel.common.refusal import StartRefused
from openkeel.rpc.versions import OLDEST_SUPPORTED_SERVICE_VERSION
from tests.unit.db.test_cell_stores import new_service

OLD = OLDEST_SUPPORTED_SERVICE_VERSION - 1


@pytest.fixture
def conf(deployment, tmp_path):
    return read("openkeel-conductor", ["--config-file", str(tmp_path / "openkeel.conf")])


@pytest.mark.parametrize(
    "values", [{"version": OLD + 1}, {"version": OLD, "forced_down": True}, {"binary": "nova-scheduler"}]
)
def test_who_keeps_nobody_from_starting(conf, cell, values):
    cell.services.create(new_service("one", **{"version": OLD, **values}))
    expect_current_computes(conf)


def test_one_old_compute_is_enough(conf, cell):
    cell.services.create(new_service("one", version=OLD + 1))
    cell.services.create(new_service("two", version=OLD))
    with pytest.raises(StartRefused, match=f"service version {OLD}"):
        expect_current_computes(conf)
    conf.set_override("connection", None, "database")
    with pytest.raises(StartRefused):
        expect_current_computes(conf)


def test_upgrades_that_skip_releases_get_a_warning(conf, cell, caplog):
    cell.services.create(new_service("two", version=OLD))
    conf.set_override("disable_compute_service_check_for_ffu", True, "workarounds")
    with caplog.at_level(logging.WARNING):
        expect_current_computes(conf)
    assert f"service version {OLD}" in caplog.text


def test_a_database_that_does_not_answer_is_waited_for_by_others(conf, caplog):
    conf.set_override("connection", "sqlite:////nowhere/at/all.sqlite", "api_database")
    with caplog.at_level(logging.WARNING):
        expect_current_computes(conf)
    assert "could not be seen" in caplog.text


def test_a_first_compute_has_nobody_before_it(conf):
    refuse_old(conf, None)
