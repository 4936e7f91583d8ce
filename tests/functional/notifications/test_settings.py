"""What operators choose: formats, updates, volumes; nothing by default; a bus that is broken."""

import json

from oslo_messaging.notify import _impl_test as memory

from tests.functional.notifications.conftest import LOUD, listen
from tests.functional.notifications.ear import Ear


def _life(cloud):
    uuid = cloud.booted("web", networks=[{"uuid": cloud.network}])
    cloud.act(uuid, "os-stop")
    cloud.settled(uuid, "SHUTOFF")
    cloud.delete(uuid)
    cloud.gone(uuid)


def test_by_default_nothing_is_told_and_no_thread_waits(cloud):
    ear = Ear(cloud)
    _life(cloud)
    assert not list(ear)
    for part in cloud.parts:
        assert not part.daemon._notifications.emitter.is_on
        assert part.daemon._notifications.emitter.outbox._thread is None


def test_one_format_alone(cloud):
    ear = listen(cloud, {**LOUD, "notifications.notification_format": "versioned"})
    _life(cloud)
    ear.until("instance.delete.end")
    assert ear.versioned()
    assert not ear.unversioned()
    ear = listen(cloud, {**LOUD, "notifications.notification_format": "unversioned"})
    _life(cloud)
    ear.until("compute.instance.delete.end")
    assert ear.unversioned()
    assert not ear.versioned()


def test_without_state_changes_there_are_no_updates(cloud):
    ear = listen(cloud, {**LOUD, "notifications.notify_on_state_change": None})
    _life(cloud)
    ear.until("instance.delete.end")
    assert not [one for one in ear if one.event.endswith("instance.update")]


def test_where_only_vm_states_count_changes_of_tasks_are_told_as_they_are_now(cloud):
    ear = listen(cloud, {**LOUD, "notifications.notify_on_state_change": "vm_state"})
    uuid = cloud.booted()
    ear.until("instance.create.end")
    updates = [
        one.data["state_update"]["nova_object.data"]
        for one in ear.versioned()
        if one.event == "instance.update"
    ]
    for one in updates[:-1]:
        assert one["old_task_state"] == one["new_task_state"]
    assert updates[-1] == {
        "old_state": "building",
        "state": "active",
        "old_task_state": "spawning",
        "new_task_state": None,
    }
    cloud.delete(uuid)


def test_shares_and_volumes_are_told_of_where_operators_want_them(cloud):
    wanted = {"notifications.bdms_in_notifications": True, "notifications.include_share_mapping": True}
    ear = listen(cloud, {**LOUD, **wanted})
    cloud.booted()
    ear.until("instance.create.end")
    (end,) = [one for one in ear.versioned() if one.event == "instance.create.end"]
    assert end.data["block_devices"] == []  # the root disk is no volume
    assert end.data["shares"] == []


def test_a_broken_bus_harms_nothing_and_is_counted(cloud, monkeypatch):
    def broken(*_):
        raise ConnectionError("no broker")

    listen(cloud, LOUD)
    monkeypatch.setattr(memory.TestDriver, "notify", broken)
    _life(cloud)


def test_payloads_that_cannot_be_made_harm_nothing_and_are_counted(cloud, loud, monkeypatch):
    def broken(*_):
        raise ValueError("no payload")

    monkeypatch.setattr("openkeel.notifications.legacy.server", broken)
    monkeypatch.setattr("openkeel.notifications.payloads.instance.InstancePayload.of", broken)
    _life(cloud)
    assert not [one for one in loud if "instance." in one.event]
    assert sum(part.daemon._notifications.lost for part in cloud.parts) > 10


def test_nobody_hears_a_secret(cloud, loud):
    uuid = cloud.booted(
        "web",
        adminPass="Sekr3tPass",
        user_data="c2VjcmV0LXVzZXItZGF0YQ==",
        networks=[{"uuid": cloud.network}],
    )
    loud.until("instance.create.end")
    cloud.delete(uuid)
    loud.until("instance.delete.end")
    heard = json.dumps([[one.payload, one.context] for one in loud], default=str)
    assert "Sekr3tPass" not in heard
    assert "c2VjcmV0" not in heard
    assert "key_data" not in heard
    assert not [one for one in loud if one.context.get("auth_token")]
