"""What computes do with servers."""

import contextlib
import sqlite3

import pytest

from openkeel import objects
from openkeel.domain.errors import InstanceDeleting, InstanceNotFound, StateConflict
from openkeel.domain.lifecycle import LIFECYCLE, Action, Step
from openkeel.objects.base import NotLoaded
from tests.contract.stores.conftest import UUID


def test_a_server_is_read_with_what_was_asked_for(stores, instance):
    got = stores.instances.get(UUID, ["flavor", "metadata", "system_metadata", "info_cache"])
    assert (got.display_name, got.flavor.memory_mb) == ("web", 512)
    assert got.metadata == {"role": "web"}
    assert got.info_cache.network_info == []
    assert got.obj_what_changed() == set()


def test_nothing_is_loaded_behind_the_readers_back(stores, instance):
    got = stores.instances.get(UUID)
    with pytest.raises(NotLoaded, match=r"Instance\.flavor was not loaded"):
        _ = got.flavor


def test_a_server_that_is_not_there_cannot_be_read(stores):
    with pytest.raises(InstanceNotFound) as caught:
        stores.instances.get(UUID)
    assert caught.value.facts == {"instance_id": UUID}


def test_servers_of_a_host_are_listed(stores, instance):
    assert [row.uuid for row in stores.instances.list_by_host("node-1")] == [UUID]
    assert list(stores.instances.list_by_host("node-2")) == []
    assert stores.instances.uuids_by_host("node-1") == [UUID]


def test_servers_are_found_by_filters(stores, instance):
    found = stores.instances.list_by_filters(
        {"vm_state": "building", "host": "node-1"}, ["metadata"], limit=5
    )
    assert [(row.uuid, row.metadata) for row in found] == [(UUID, {"role": "web"})]
    assert list(stores.instances.list_by_filters({"vm_state": "active"})) == []


def test_changes_are_saved_and_then_no_longer_changes(stores, instance):
    got = stores.instances.get(UUID, ["metadata"])
    got.progress = 50
    got.metadata = {"role": "db"}
    stores.instances.save(got)
    assert got.obj_what_changed() == set()
    assert got.updated_at is not None
    again = stores.instances.get(UUID, ["metadata"])
    assert (again.progress, again.metadata) == (50, {"role": "db"})


def test_the_first_of_two_movers_wins(stores, instance):
    first = stores.instances.get(UUID)
    second = stores.instances.get(UUID)
    first.task_state = "networking"
    stores.instances.save(first, expected_task_state=("scheduling", None))
    second.task_state = "spawning"
    with pytest.raises(StateConflict):
        stores.instances.save(second, expected_task_state="scheduling")
    assert stores.instances.get(UUID).task_state == "networking"


def test_expecting_no_task_is_not_expecting_anything(stores, instance):
    got = stores.instances.get(UUID)
    got.progress = 1
    with pytest.raises(StateConflict):
        stores.instances.save(got, expected_task_state=None)


def test_delete_overtakes(stores, instance, sql):
    mine = stores.instances.get(UUID)
    theirs = sql.instances.get(UUID)
    theirs.task_state = "deleting"
    sql.instances.save(theirs)
    mine.task_state = "spawning"
    with pytest.raises(InstanceDeleting) as caught:
        stores.instances.save(mine, expected_task_state="networking")
    assert caught.value.facts["instance_uuid"] == UUID


def test_a_server_moves_along_its_lifecycle(stores, instance):
    rule = LIFECYCLE[Action.CREATE]
    got = stores.instances.get(UUID)
    stores.instances.move(got, rule, Step.DONE)
    assert (got.vm_state, got.task_state) == ("active", None)
    again = stores.instances.get(UUID)
    assert (again.vm_state, again.task_state) == ("active", None)
    stale = stores.instances.get(UUID)
    with pytest.raises(StateConflict):
        stores.instances.move(stale, LIFECYCLE[Action.START], Step.BEGIN)
    assert (stale.vm_state, stale.task_state) == ("active", None)
    assert stale.obj_what_changed() == set()


def test_a_destroyed_server_is_gone(stores, instance):
    got = stores.instances.get(UUID)
    stores.instances.destroy(got)
    assert got.deleted
    assert got.deleted_at is not None
    with pytest.raises(InstanceNotFound):
        stores.instances.get(UUID)
    with pytest.raises(InstanceNotFound):
        stores.instances.destroy(got)


def test_the_network_is_kept_as_last_seen(stores, instance):
    cache = stores.info_caches.get(UUID)
    cache.network_info = [{"id": "port-1", "address": "fa:16:3e:00:00:01", "active": True}]
    stores.info_caches.save(cache)
    assert stores.info_caches.get(UUID).network_info.find("port-1")["active"] is True
    assert stores.instances.get(UUID, ["info_cache"]).info_cache.network_info[0]["id"] == "port-1"


def test_disks_come_go_and_change(stores, instance):
    bdm = objects.BlockDeviceMapping(
        instance_uuid=UUID, source_type="image", destination_type="local", image_id=UUID, boot_index=0
    )
    stores.bdms.create(bdm)
    assert bdm.id
    bdm.device_name = "/dev/vda"
    stores.bdms.save(bdm)
    assert [row.device_name for row in stores.bdms.list(UUID)] == ["/dev/vda"]
    stores.bdms.destroy(bdm)
    assert list(stores.bdms.list(UUID)) == []


def test_nics_come_and_go(stores, instance):
    vif = objects.VirtualInterface(
        instance_uuid=UUID,
        address="fa:16:3e:00:00:01/port",
        uuid="22222222-2222-3333-4444-555555555555",
        tag="t",
    )
    stores.vifs.create(vif)
    assert [(row.address, row.tag) for row in stores.vifs.list(UUID)] == [("fa:16:3e:00:00:01", "t")]
    stores.vifs.destroy(vif)
    assert list(stores.vifs.list(UUID)) == []


def test_faults_are_kept(stores, instance, sql):
    fault = objects.InstanceFault(instance_uuid=UUID, code=500, message="boom", details="why", host="node-1")
    stores.faults.create(fault)
    assert sql.faults.find_latest(UUID).message == "boom"


def test_steps_of_an_action_are_logged(stores, instance, sql, ctx):
    stores.actions.start(ctx, UUID, "create")
    stores.actions.event_start(ctx, UUID, "compute_spawn", "node-1")
    stores.actions.event_finish(ctx, UUID, "compute_spawn", error=RuntimeError("no disk"))
    stores.actions.event_start(ctx, UUID, "compute_clean", "node-1")
    stores.actions.event_finish(ctx, UUID, "compute_clean")
    stores.actions.finish(ctx, UUID)
    action = sql.actions.find_by_request(UUID, ctx.request_id)
    assert (action.action, action.user_id, action.message) == ("create", "user-1", "Error")
    assert action.finish_time is not None
    by_name = {event.event: event for event in sql.actions.list_events(action.id)}
    assert (by_name["compute_clean"].result, by_name["compute_spawn"].result) == ("Success", "Error")
    assert by_name["compute_spawn"].details == "no disk"
    assert "RuntimeError: no disk" in by_name["compute_spawn"].traceback
    assert by_name["compute_spawn"].host == "node-1"


def test_steps_without_an_action_are_quiet(stores, instance, ctx):
    stores.actions.event_start(ctx, UUID, "compute_spawn", "node-1")
    stores.actions.event_finish(ctx, UUID, "compute_spawn")
    stores.actions.finish(ctx, UUID)


def test_a_dead_server_can_still_be_written_to(stores, instance):
    stores.instances.destroy(stores.instances.get(UUID))
    wanted = {"deleted": True, "soft_deleted": False, "host": "node-1", "cleaned": False}
    [row] = stores.instances.list_by_filters(wanted, ["system_metadata"])
    before = dict(row.system_metadata)
    row.system_metadata = {**before, "clean_attempts": "1"}
    stores.instances.save(row)
    [row] = stores.instances.list_by_filters(wanted, ["system_metadata"])
    assert row.system_metadata == {**before, "clean_attempts": "1"}
    row.system_metadata = {**before, "clean_attempts": "2"}
    row.cleaned = True
    stores.instances.save(row)
    assert list(stores.instances.list_by_filters(wanted)) == []
    [row] = stores.instances.list_by_filters({**wanted, "cleaned": True}, ["system_metadata"])
    assert row.system_metadata == {**before, "clean_attempts": "2"}
    with pytest.raises(InstanceNotFound):
        stores.instances.get(UUID)


def test_system_metadata_that_is_taken_away_leaves_no_row_behind(stores, instance, tmp_path):
    row = stores.instances.get(UUID, ["system_metadata"])
    row.system_metadata = {**row.system_metadata, "locked_reason": "why"}
    stores.instances.save(row)
    row.system_metadata = {key: value for key, value in row.system_metadata.items() if key != "locked_reason"}
    stores.instances.save(row)
    with contextlib.closing(sqlite3.connect(tmp_path / "main.sqlite")) as connection:
        left = [key for (key,) in connection.execute("SELECT key FROM instance_system_metadata")]
    assert "image_base_image_ref" in left
    assert "locked_reason" not in left
