"""Servers in a cell: what is written is read again, and only one of many may move a state."""

import threading

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.db.cells import CellStores
from openkeel.domain.errors import (
    AlreadyExists,
    Conflict,
    InstanceDeleting,
    InstanceNotFound,
    StateConflict,
)
from openkeel.domain.lifecycle import LIFECYCLE, Action, Step
from openkeel.objects.base import NotLoaded
from tests.fixtures.db import new_flavor, new_instance

ALL_ATTRS = (
    "flavor",
    "info_cache",
    "metadata",
    "system_metadata",
    "pci_requests",
    "numa_topology",
    "keypairs",
    "tags",
    "fault",
    "pci_devices",
    "security_groups",
    "services",
    "trusted_certs",
    "migration_context",
    "ec2_ids",
)


def created(cell: CellStores, **values):
    instance = new_instance(**values)
    cell.instances.create(instance)
    return instance


def test_a_created_server_is_read_with_what_was_asked_for(cell):
    flavor = new_flavor(extra_specs={"hw:cpu_policy": "shared"})
    keys = objects.KeyPairList(objects=[objects.KeyPair(name="k", type="ssh", public_key="ssh-rsa A")])
    requests = objects.InstancePCIRequests(
        requests=[objects.InstancePCIRequest(count=1, spec=[{"vendor_id": "8086"}], alias_name="nic")]
    )
    instance = created(cell, flavor=flavor, keypairs=keys, pci_requests=requests)

    found = cell.instances.get(instance.uuid, ALL_ATTRS)

    assert found.id == instance.id
    assert found.flavor.extra_specs == {"hw:cpu_policy": "shared"}
    assert found.old_flavor is None
    assert found.metadata == {"role": "web"}
    assert found.system_metadata == {"image_min_disk": "1", "boot_roles": "member"}
    assert [key.name for key in found.keypairs] == ["k"]
    assert found.pci_requests.instance_uuid == instance.uuid
    assert found.pci_requests.requests[0].spec == [{"vendor_id": "8086"}]
    assert found.info_cache.network_info == []
    assert found.numa_topology is None
    assert found.fault is None
    assert list(found.tags) == []
    assert found.ec2_ids.instance_id.startswith("i-")
    assert found.created_at.tzinfo is not None
    assert found.deleted is False
    assert found.obj_what_changed() == set()


def test_what_was_not_asked_for_is_not_loaded(cell):
    found = cell.instances.get(created(cell).uuid)
    with pytest.raises(NotLoaded):
        _ = found.metadata


def test_a_second_server_of_the_same_uuid_is_refused(cell):
    instance = created(cell)
    with pytest.raises(AlreadyExists):
        cell.instances.create(new_instance(uuid=instance.uuid))


def test_an_unknown_server_is_not_found(cell):
    with pytest.raises(InstanceNotFound):
        cell.instances.get("2c0ba2b9-4b1e-4f7c-9d0c-000000000000")


def test_saving_writes_columns_dictionaries_and_parts(cell):
    instance = created(cell)
    instance.vm_state = "active"
    instance.metadata = {"role": "db", "zone": "a"}
    instance.system_metadata.pop("boot_roles")
    instance.old_flavor = new_flavor(id=2, flavorid="2")
    instance.info_cache.network_info = [{"id": "port", "address": "fa:16:3e:00:00:01"}]
    cell.instances.save(instance)

    found = cell.instances.get(instance.uuid, ALL_ATTRS)
    assert found.vm_state == "active"
    assert found.metadata == {"role": "db", "zone": "a"}
    assert found.system_metadata == {"image_min_disk": "1"}
    assert found.flavor.flavorid == "1"
    assert found.old_flavor.flavorid == "2"
    assert found.info_cache.network_info[0]["id"] == "port"
    assert found.updated_at is not None
    assert instance.obj_what_changed() == set()


def test_saving_one_flavor_keeps_the_others(cell):
    uuid = created(cell).uuid
    bare = cell.instances.get(uuid)
    bare.new_flavor = new_flavor(id=3, flavorid="3")
    cell.instances.save(bare)
    found = cell.instances.get(uuid, ["flavor"])
    assert (found.flavor.flavorid, found.new_flavor.flavorid) == ("1", "3")


def test_a_save_with_another_expectation_tells_what_it_found(cell):
    instance = created(cell)
    instance.task_state = "networking"
    with pytest.raises(StateConflict) as caught:
        cell.instances.save(instance, expected_task_state=("spawning", None))
    assert caught.value.facts["expected"] == {"task_state": [None, "spawning"]}
    assert caught.value.facts["found"] == {"vm_state": "building", "task_state": "scheduling"}
    assert cell.instances.get(instance.uuid).task_state == "scheduling"


def test_a_server_without_task_satisfies_an_expected_none(cell):
    instance = created(cell, vm_state="active", task_state=None)
    instance.task_state = "rebooting"
    cell.instances.save(instance, expected_vm_state="active", expected_task_state=None)
    assert cell.instances.get(instance.uuid).task_state == "rebooting"


def test_a_delete_under_way_wins_over_everything(cell):
    instance = created(cell, vm_state="active", task_state="deleting")
    instance.task_state = "rebooting"
    with pytest.raises(InstanceDeleting):
        cell.instances.save(instance, expected_task_state=None)


def test_a_refused_move_leaves_the_object_as_it_was(cell):
    instance = created(cell, vm_state="active", task_state="rebooting")
    with pytest.raises(StateConflict):
        cell.instances.move(instance, LIFECYCLE[Action.STOP], Step.BEGIN)
    assert (instance.vm_state, instance.task_state) == ("active", "rebooting")
    assert instance.obj_what_changed() == set()


def test_a_rule_moves_a_server_from_begin_to_done(cell):
    instance = created(cell, vm_state="active", task_state=None)
    cell.instances.move(instance, LIFECYCLE[Action.STOP], Step.BEGIN)
    assert cell.instances.get(instance.uuid).task_state == "powering-off"
    cell.instances.move(instance, LIFECYCLE[Action.STOP], Step.DONE)
    found = cell.instances.get(instance.uuid)
    assert (found.vm_state, found.task_state) == ("stopped", None)


def test_of_sixteen_threads_one_moves_the_server(cell):
    instance = created(cell, vm_state="active", task_state=None)
    uuid, outcomes, start = instance.uuid, [], threading.Barrier(16)

    def stop():
        mine = cell.instances.get(uuid)
        start.wait()
        try:
            cell.instances.move(mine, LIFECYCLE[Action.STOP], Step.BEGIN)
            outcomes.append("won")
        except StateConflict as error:
            outcomes.append(error.facts["found"]["task_state"])

    threads = [threading.Thread(target=stop) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["powering-off"] * 15 + ["won"]


def test_a_destroyed_server_is_gone_with_all_that_hangs_on_it(cell, cell_database):
    instance = created(cell)
    cell.bdms.create(objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="image"))
    cell.tags.create(instance.uuid, ["a"])
    cell.instances.destroy(instance)

    with pytest.raises(InstanceNotFound):
        cell.instances.get(instance.uuid)
    assert list(cell.bdms.list(instance.uuid)) == []
    assert list(cell.tags.list(instance.uuid)) == []
    with cell_database.read() as connection:
        row = connection.execute(sa.text("SELECT id, deleted FROM instances")).one()
    assert row.deleted == row.id


def test_a_dead_server_still_shows_what_it_had(cell):
    instance = created(cell)
    instance.metadata = {"role": "db"}
    cell.instances.save(instance)
    cell.instances.destroy(instance)
    found = cell.instances.list_by_filters({"deleted": True}, ["metadata", "flavor"])
    assert [one.metadata for one in found] == [{"role": "db"}]
    assert found[0].flavor.flavorid == "1"
    assert found[0].deleted is True


def test_a_dead_server_can_be_marked_as_cleaned(cell):
    instance = created(cell)
    cell.instances.destroy(instance)
    instance.cleaned = True
    cell.instances.save(instance)
    assert len(cell.instances.list_by_filters({"deleted": True, "cleaned": False})) == 0


def test_destroying_twice_is_not_found(cell):
    instance = created(cell)
    cell.instances.destroy(instance)
    with pytest.raises(InstanceNotFound):
        cell.instances.destroy(instance)


def test_a_server_that_got_a_host_meanwhile_is_not_destroyed_as_homeless(cell):
    instance = created(cell)
    scheduled = cell.instances.get(instance.uuid)
    scheduled.host = "node-1"
    cell.instances.save(scheduled)
    with pytest.raises(Conflict):
        cell.instances.destroy(instance)
    assert cell.instances.get(instance.uuid).host == "node-1"


def test_reading_more_servers_takes_no_more_statements(cell, cell_database):
    def statements(count):
        seen = []

        def see(_connection, _cursor, statement, *_rest):
            if statement.startswith("SELECT"):
                seen.append(statement)

        sa.event.listen(cell_database.engine, "before_cursor_execute", see)
        found = cell.instances.list_by_host("node-1", ALL_ATTRS)
        sa.event.remove(cell_database.engine, "before_cursor_execute", see)
        assert len(found) == count
        return len(seen)

    created(cell, host="node-1")
    one = statements(1)
    for _ in range(9):
        created(cell, host="node-1")
    assert statements(10) == one


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["active", "error", "waiting"]),
        ({"host": "node-1"}, ["active", "error"]),
        ({"vm_state": ["active", "building"]}, ["active", "waiting"]),
        ({"task_state": None}, ["active", "error"]),
        ({"deleted": True, "soft_deleted": False}, ["dead"]),
        ({"metadata": {"role": "db"}}, ["error"]),
        ({"display_name": "^w"}, ["waiting"]),
        ({"display_name": "ERR"}, ["error"]),
        ({"host": "node-1", "node": "node-1"}, ["active"]),
        ({"tags": ["red", "blue"]}, ["active"]),
        ({"tags-any": ["red", "green"]}, ["active", "error"]),
        ({"not-tags": ["red", "blue"]}, ["error", "waiting"]),
        ({"not-tags-any": ["red"]}, ["waiting"]),
    ],
)
def test_filters_choose_servers(cell, filters, names):
    active = created(
        cell, display_name="active", host="node-1", node="node-1", vm_state="active", task_state=None
    )
    error = created(
        cell, display_name="error", host="node-1", vm_state="error", task_state=None, metadata={"role": "db"}
    )
    created(cell, display_name="waiting")
    cell.instances.destroy(created(cell, display_name="dead"))
    cell.tags.create(active.uuid, ["red", "blue"])
    cell.tags.create(error.uuid, ["red"])
    found = cell.instances.list_by_filters(filters)
    assert sorted(one.display_name for one in found) == names


def test_pages_by_marker_cover_every_server_once(cell):
    uuids = [created(cell, host=host).uuid for host in ("b", None, "a", None, "b", "a", None)]
    for direction in ("asc", "desc"):
        seen, marker = [], None
        while True:
            page = cell.instances.list_by_filters(
                {}, sort_keys=["host"], sort_dirs=[direction], limit=2, marker=marker
            )
            if not page:
                break
            seen += [one.uuid for one in page]
            marker = seen[-1]
        assert sorted(seen) == sorted(uuids)
        assert len(seen) == len(set(seen))


@pytest.mark.parametrize("page_size", [1, 2, 5, 100])
def test_a_walk_comes_by_every_living_server_the_oldest_first(cell, page_size):
    uuids = [created(cell).uuid for _ in range(5)]
    cell.instances.destroy(created(cell))
    assert [one.uuid for one in cell.instances.walk(page_size=page_size)] == uuids


def test_a_project_is_told_what_it_uses(cell):
    created(cell, vcpus=2, memory_mb=1024)
    created(cell, vcpus=1, memory_mb=512, user_id="other")
    created(cell, vcpus=8, project_id="another")
    cell.instances.destroy(created(cell, vcpus=4))
    usage = cell.instances.usage("project", "other")
    assert usage["project"] == {"instances": 2, "cores": 3, "ram": 1536}
    assert usage["user"] == {"instances": 1, "cores": 1, "ram": 512}


def test_a_purged_server_leaves_no_row(cell, cell_database):
    instance = created(cell)
    cell.tags.create(instance.uuid, ["a"])
    cell.instances.purge(instance.uuid)
    with cell_database.read() as connection:
        for table in ("instances", "instance_extra", "instance_metadata", "instance_info_caches", "tags"):
            assert connection.scalar(sa.text(f"SELECT count(*) FROM {table}")) == 0


def test_builds_that_wait_for_a_host_too_long_are_found(cell):
    waiting = created(cell)
    created(cell, host="node-1")
    created(cell, vm_state="error", task_state=None)
    from datetime import UTC, datetime, timedelta

    soon = datetime.now(UTC) + timedelta(seconds=5)
    assert cell.instances.uuids_unplaced_since(soon) == [waiting.uuid]
    assert cell.instances.uuids_unplaced_since(soon - timedelta(hours=1)) == []
