"""Versions, history and selections of the store; what a restart finds."""

import json

import pytest

from devstack.cluster.journal import SqliteJournal
from devstack.cluster.kinds import CONFIG_MAP, POD
from devstack.cluster.objects import Key, new_uid
from devstack.cluster.selectors import parse_labels
from devstack.cluster.store import Store
from devstack.cluster.watch import Selection, Watcher, WatchHub


def config_map(name, **meta):
    return {"metadata": {"name": name, "namespace": "a", "uid": new_uid(), **meta}, "data": {}}


def test_every_write_takes_the_next_version_and_a_deletion_too():
    store = Store()
    first = store.put(CONFIG_MAP, config_map("one")).version
    second = store.put(CONFIG_MAP, config_map("two")).version
    last = store.remove(CONFIG_MAP, Key("a", "one"))
    assert (second, last["metadata"]["resourceVersion"]) == (first + 1, str(first + 2))


def test_what_is_read_can_be_changed_without_touching_the_store():
    store = Store()
    store.put(CONFIG_MAP, config_map("one"))
    store.find(CONFIG_MAP, Key("a", "one"))["data"]["x"] = "y"
    assert store.find(CONFIG_MAP, Key("a", "one"))["data"] == {}


def test_lists_come_in_the_order_of_their_keys_and_by_selector():
    store = Store()
    for name, tier in (("c", "x"), ("a", "y"), ("b", "x")):
        store.put(CONFIG_MAP, config_map(name, labels={"tier": tier}))
    chosen = store.select(CONFIG_MAP, "a", parse_labels("tier=x"))
    assert [record.key.name for record in chosen] == ["b", "c"]
    assert store.select(CONFIG_MAP, "elsewhere") == []


def test_changes_are_remembered_up_to_a_bound_and_then_too_old():
    store = Store(history=2)
    versions = [store.put(CONFIG_MAP, config_map(name)).version for name in "abcd"]
    assert [change.record.key.name for change in store.changes_since(CONFIG_MAP, versions[1])] == ["c", "d"]
    assert store.changes_since(CONFIG_MAP, versions[0]) is None
    assert store.changes_since(POD, 0) == [], "another kind's history is its own"


def test_a_compaction_makes_every_older_version_too_old_but_not_the_present():
    store = Store()
    first = store.put(CONFIG_MAP, config_map("one")).version
    store.put(CONFIG_MAP, config_map("two"))
    store.forget_history()
    assert store.changes_since(CONFIG_MAP, first) is None
    assert store.changes_since(CONFIG_MAP, store.version) == []


def test_dependents_are_found_by_their_owner_until_they_disown_it():
    store = Store()
    owned = config_map("one", ownerReferences=[{"uid": "owner"}])
    store.put(CONFIG_MAP, owned)
    assert [record.key.name for record in store.dependents("owner")] == ["one"]
    owned["metadata"].pop("ownerReferences")
    store.put(CONFIG_MAP, owned)
    assert store.dependents("owner") == []


def lines(watcher):
    return [
        (event["type"], event["object"]["metadata"]["name"])
        for event in map(json.loads, watcher.take().splitlines())
    ]


def test_an_object_that_enters_a_selection_is_added_and_one_that_leaves_is_deleted():
    store = Store()
    hub = WatchHub(store)
    watcher = Watcher(Selection(CONFIG_MAP, "a", parse_labels("tier=x")))
    hub.open(watcher)
    obj = config_map("one", labels={"tier": "y"})
    store.put(CONFIG_MAP, obj)
    assert lines(watcher) == []
    obj["metadata"]["labels"]["tier"] = "x"
    store.put(CONFIG_MAP, obj)
    obj["data"] = {"changed": "yes"}
    store.put(CONFIG_MAP, obj)
    assert lines(watcher) == [("ADDED", "one"), ("MODIFIED", "one")]
    obj["metadata"]["labels"]["tier"] = "y"
    store.put(CONFIG_MAP, obj)
    left = json.loads(watcher.take())
    assert left["type"] == "DELETED"
    assert left["object"]["metadata"]["labels"] == {"tier": "x"}, "the last state that was in the selection"
    assert left["object"]["metadata"]["resourceVersion"] == str(store.version)


def test_a_closed_watcher_gets_nothing_more():
    store = Store()
    hub = WatchHub(store)
    watcher = Watcher(Selection(CONFIG_MAP))
    hub.open(watcher)
    hub.close(watcher)
    store.put(CONFIG_MAP, config_map("one"))
    assert watcher.take() == b""


@pytest.fixture
def later():
    return []


def test_a_restart_finds_objects_and_counts_on(tmp_path, later):
    journal = SqliteJournal(tmp_path / "objects.sqlite", later.append)
    store = Store(journal=journal)
    store.put(CONFIG_MAP, config_map("kept", labels={"a": "b"}))
    store.put(CONFIG_MAP, config_map("removed"))
    store.remove(CONFIG_MAP, Key("a", "removed"))
    for commit in later:
        commit()
    journal.close()

    journal = SqliteJournal(tmp_path / "objects.sqlite", later.append)
    again = Store(journal=journal, version=journal.version())
    journal.load_into(again)
    assert [record.key.name for record in again.select(CONFIG_MAP, labels=parse_labels("a=b"))] == ["kept"]
    assert again.find(CONFIG_MAP, Key("a", "removed")) is None
    assert again.version == store.version
    assert again.put(CONFIG_MAP, config_map("new")).version == store.version + 1
    assert again.changes_since(CONFIG_MAP, store.version - 1) is None, (
        "the history before the restart is gone"
    )
    journal.close()
