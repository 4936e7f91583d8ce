"""Which devstack a command is about."""

import pytest

from devstack.lib.site import DEFAULT_PORT_BASE, Site, SiteError, nodes


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("KEEL_STATE", str(tmp_path))
    for name in ("KEEL_PORT_BASE", "KEEL_NODES", "KEEL_OVERLAY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_new_devstack_has_the_default_ports():
    assert Site.load().port_base == DEFAULT_PORT_BASE


def test_later_commands_know_the_ports_that_up_was_given(monkeypatch):
    monkeypatch.setenv("KEEL_PORT_BASE", "31000")
    Site.load().record()
    monkeypatch.delenv("KEEL_PORT_BASE")
    assert Site.load().port("keystone") == 36000


def test_other_ports_for_an_existing_devstack_are_refused(monkeypatch):
    Site.load().record()
    monkeypatch.setenv("KEEL_PORT_BASE", "31000")
    with pytest.raises(SiteError, match="devstack/reset first"):
        Site.load()


def test_two_devstacks_on_one_machine_share_no_namespace(monkeypatch):
    first = Site.load()
    monkeypatch.setenv("KEEL_PORT_BASE", "31000")
    assert first.namespace("node-1") != Site.load().namespace("node-1")


def test_two_nodes_are_there_unless_more_are_asked_for(monkeypatch):
    assert nodes() == ("node-1", "node-2")
    monkeypatch.setenv("KEEL_NODES", "3")
    assert nodes() == ("node-1", "node-2", "node-3")


def test_later_commands_know_the_configuration_beside_ours(monkeypatch, tmp_path):
    monkeypatch.setenv("KEEL_OVERLAY", str(tmp_path / "more.conf"))
    Site.load().record()
    monkeypatch.delenv("KEEL_OVERLAY")
    assert Site.load().overlay == tmp_path / "more.conf"


def test_the_configuration_beside_ours_is_dropped_by_an_empty_name(monkeypatch, tmp_path):
    monkeypatch.setenv("KEEL_OVERLAY", str(tmp_path / "more.conf"))
    Site.load().record()
    monkeypatch.setenv("KEEL_OVERLAY", "")
    assert Site.load().overlay is None
