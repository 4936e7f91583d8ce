"""What a server's life sounds like, in both formats: events, their order, publishers and levels."""

from datetime import datetime

from openkeel.virt.driver import GuestRejected
from tests.functional.notifications.conftest import LOUD, listen


def test_a_boot(cloud, loud):
    uuid = cloud.booted("web", networks=[{"uuid": cloud.network}], metadata={"a": "b"}, tags=["blue"])
    loud.until("instance.create.end")
    node = cloud.guests()[uuid]
    told = loud.versioned("instance.update")
    assert [(one.event, one.publisher, one.priority) for one in told] == [
        ("scheduler.select_destinations.start", "nova-scheduler:scheduler", "INFO"),
        ("scheduler.select_destinations.end", "nova-scheduler:scheduler", "INFO"),
        ("instance.create.start", f"nova-compute:{node}", "INFO"),
        ("instance.create.end", f"nova-compute:{node}", "INFO"),
    ]
    assert [(one.event, one.publisher) for one in loud.unversioned("compute.instance.update")] == [
        ("scheduler.select_destinations.start", "scheduler.scheduler"),
        ("scheduler.select_destinations.end", "scheduler.scheduler"),
        ("compute.instance.create.start", f"compute.{node}"),
        ("compute.instance.create.end", f"compute.{node}"),
    ]
    start, end = told[2].data, told[3].data
    assert (start["state"], start["task_state"], start["host"]) == ("building", None, None)
    assert (end["state"], end["task_state"], end["host"]) == ("active", None, node)
    assert end["uuid"] == uuid
    assert end["tags"] == ["blue"]
    assert end["metadata"] == {"a": "b"}
    assert end["instance_name"] == f"instance-{cloud.instance(uuid).id:08x}"
    (address,) = end["ip_addresses"]
    assert address["nova_object.data"]["label"] == "private"
    assert {one.context["request_id"] for one in told} == {end["request_id"]}


def test_the_way_of_a_boot(cloud, loud):
    cloud.booted("web")
    loud.until("instance.create.end")
    updates = [one for one in loud.versioned() if one.event == "instance.update"]
    states = [one.data["state_update"]["nova_object.data"] for one in updates]
    assert [(one["state"], one["new_task_state"]) for one in states] == [
        ("building", "scheduling"),
        ("building", "networking"),
        ("building", "block_device_mapping"),
        ("building", "spawning"),
        ("active", None),
    ]
    assert (states[-1]["old_state"], states[-1]["old_task_state"]) == ("building", "spawning")
    assert updates[0].publisher == "nova-conductor:conductor"
    assert {one.publisher for one in updates[1:]} == {"nova-compute:conductor"}
    legacy = [one for one in loud.unversioned() if one.event == "compute.instance.update"]
    assert [one.publisher for one in legacy][:2] == ["conductor.conductor", "compute.conductor"]
    assert [(one.data["state"], one.data["new_task_state"]) for one in legacy] == [
        (one["state"], one["new_task_state"]) for one in states
    ]


def test_stop_start_and_reboots(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    for action, value, status, event in (
        ("os-stop", None, "SHUTOFF", "power_off"),
        ("os-start", None, "ACTIVE", "power_on"),
        ("reboot", {"type": "SOFT"}, "ACTIVE", "reboot"),
        ("reboot", {"type": "HARD"}, "ACTIVE", "reboot"),
    ):
        cloud.act(uuid, action, value)
        cloud.settled(uuid, status)
        loud.until(f"instance.{event}.end", 2 if value == {"type": "HARD"} else 1)
    told = loud.versioned("instance.update")
    assert [
        (one.event.removeprefix("instance."), one.data["state"], one.data["task_state"]) for one in told
    ] == [
        ("power_off.start", "active", "powering-off"),
        ("power_off.end", "stopped", None),
        ("power_on.start", "stopped", "powering-on"),
        ("power_on.end", "active", None),
        ("reboot.start", "active", "reboot_pending"),
        ("reboot.end", "active", None),
        ("reboot.start", "active", "reboot_pending_hard"),
        ("reboot.end", "active", None),
    ]
    legacy = loud.unversioned("compute.instance.update")
    assert [one.event for one in legacy] == [f"compute.{one.event}" for one in told]
    assert told[0].data["power_state"] == "running"
    assert told[1].data["power_state"] == "shutdown"


def test_a_delete_on_its_host(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    node = cloud.guests()[uuid]
    cloud.delete(uuid)
    cloud.gone(uuid)
    loud.until("instance.delete.end")
    told = loud.versioned("instance.update")
    assert [(one.event, one.publisher, one.data["state"]) for one in told] == [
        ("instance.delete.start", f"nova-compute:{node}", "active"),
        ("instance.shutdown.start", f"nova-compute:{node}", "active"),
        ("instance.shutdown.end", f"nova-compute:{node}", "active"),
        ("instance.delete.end", f"nova-compute:{node}", "deleted"),
    ]
    assert told[0].data["task_state"] == "deleting"
    assert told[-1].data["terminated_at"]
    assert [one.event for one in loud.unversioned("compute.instance.update")] == [
        f"compute.{one.event}" for one in told
    ]


def test_a_delete_of_a_server_whose_host_is_down(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    node = cloud.guests()[uuid]
    of_the_dead = cloud.computes[node].daemon._notifications
    cloud.goes_down(node)
    of_the_dead.close()
    cloud.delete(uuid)
    loud.until("instance.delete.end")
    told = loud.versioned("instance.update")
    assert [(one.event, one.publisher, one.data["state"], one.data["host"]) for one in told] == [
        ("instance.delete.start", "nova-api:api", "active", node),
        ("instance.delete.end", "nova-api:api", "deleted", node),
    ]
    assert [(one.event, one.publisher) for one in loud.unversioned("compute.instance.update")] == [
        ("compute.instance.delete.start", "compute.api"),
        ("compute.instance.delete.end", "compute.api"),
    ]
    cloud.computes[node].start()


def test_a_server_without_a_host(cloud, loud):
    uuid = cloud.boot("big", flavorRef="huge")
    cloud.settled(uuid, "ERROR")
    loud.until("compute_task.build_instances.error")
    (told,) = loud.versioned("instance.update")
    assert (told.event, told.publisher, told.priority) == (
        "compute_task.build_instances.error",
        "nova-conductor:conductor",
        "ERROR",
    )
    assert told.data["instance_uuid"] == uuid
    assert told.data["state"] == "error"
    assert told.data["reason"]["nova_object.data"]["exception"] == "NoValidHost"
    (update,) = [one for one in loud.versioned() if one.event == "instance.update"]
    assert update.data["state_update"]["nova_object.data"] == {
        "old_state": "building",
        "state": "error",
        "old_task_state": "scheduling",
        "new_task_state": None,
    }
    (legacy,) = loud.unversioned("compute.instance")
    assert (legacy.event, legacy.publisher, legacy.priority) == (
        "compute_task.build_instances",
        "compute_task.conductor",
        "ERROR",
    )
    assert legacy.data["instance_id"] == uuid
    loud.forget()
    cloud.delete(uuid)
    loud.until("instance.delete.end")
    assert [(one.event, one.publisher) for one in loud.versioned("instance.update")] == [
        ("instance.delete.start", "nova-api:api"),
        ("instance.delete.end", "nova-api:api"),
    ]


def test_a_build_that_goes_to_another_host(cloud, loud):
    failed = []

    def fail_once(node):
        def act(_call):
            if not failed:
                failed.append(node)
                raise RuntimeError("Sekr3t")

        return act

    for node, part in cloud.computes.items():
        part.gate.arm(0, fail_once(node), only=lambda call: call.startswith("driver spawn"))
    uuid = cloud.booted("web")
    loud.until("instance.create.end")
    (first,), second = failed, cloud.guests()[uuid]
    told = [
        (one.event, one.publisher, one.priority) for one in loud.versioned("instance.update", "scheduler")
    ]
    assert told == [
        ("instance.create.start", f"nova-compute:{first}", "INFO"),
        ("instance.shutdown.start", f"nova-compute:{first}", "INFO"),
        ("instance.shutdown.end", f"nova-compute:{first}", "INFO"),
        ("instance.create.error", f"nova-compute:{first}", "ERROR"),
        ("instance.create.start", f"nova-compute:{second}", "INFO"),
        ("instance.create.end", f"nova-compute:{second}", "INFO"),
    ]
    (error,) = [one for one in loud.versioned() if one.event == "instance.create.error"]
    assert (error.data["state"], error.data["task_state"], error.data["host"]) == (
        "building",
        "spawning",
        None,
    )
    (legacy,) = [one for one in loud.unversioned() if one.event == "compute.instance.create.error"]
    assert legacy.data["code"] == 500
    assert "Sekr3t" not in legacy.data["message"]


def test_a_build_that_no_host_can_mend(cloud, loud):
    def refuse(_call):
        raise GuestRejected(reason="the image is no image")

    for part in cloud.computes.values():
        part.gate.arm(0, refuse, only=lambda call: call.startswith("driver spawn"))
    uuid = cloud.boot("web")
    cloud.settled(uuid, "ERROR")
    loud.until("instance.create.error")
    told = [one.event for one in loud.versioned("instance.update", "scheduler")]
    assert told == [
        "instance.create.start",
        "instance.shutdown.start",
        "instance.shutdown.end",
        "instance.create.error",
    ]
    (error,) = [one for one in loud.versioned() if one.event == "instance.create.error"]
    assert "no image" in error.data["fault"]["nova_object.data"]["exception_message"]


def _failing(cloud, uuid, call):
    def fail(_call):
        raise RuntimeError("Sekr3t")

    part = cloud.computes[cloud.guests()[uuid]]
    part.gate.arm(0, fail, only=lambda one: one.startswith(call))


def test_a_reboot_that_fails(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    _failing(cloud, uuid, "driver reboot_hard")
    cloud.act(uuid, "reboot", {"type": "HARD"})
    cloud.settled(uuid, "ACTIVE")
    loud.until("instance.reboot.end")
    told = loud.versioned("instance.update")
    assert [(one.event, one.priority, one.data["task_state"]) for one in told] == [
        ("instance.reboot.start", "INFO", "reboot_pending_hard"),
        ("instance.reboot.error", "ERROR", "reboot_started_hard"),
        ("instance.reboot.end", "INFO", None),
    ]


def test_a_stop_that_fails(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    _failing(cloud, uuid, "driver power_off")
    cloud.act(uuid, "os-stop")
    cloud.settled(uuid, "ACTIVE")
    loud.until("compute.exception")
    assert [(one.event, one.priority) for one in loud.versioned("instance.update")] == [
        ("instance.power_off.start", "INFO"),
        ("compute.exception", "ERROR"),
    ]
    assert [(one.event, one.priority) for one in loud.unversioned("compute.instance.update")] == [
        ("compute.instance.power_off.start", "INFO"),
        ("stop_instance", "ERROR"),
    ]


def test_a_server_deleted_before_it_has_a_cell_is_not_told_of(cloud, loud):
    cloud.conductor.stop()
    uuid = cloud.boot()
    cloud.delete(uuid)
    cloud.conductor.start()
    cloud.gone(uuid)
    assert not [one for one in loud if "instance" in one.event]


def test_changes_of_what_is_written_about_a_server(cloud, loud):
    uuid = cloud.booted("old")
    loud.until("instance.create.end")
    loud.forget()
    assert cloud.member("PUT", f"/v2.1/servers/{uuid}", {"server": {"name": "new"}}).status_code == 200
    path = f"/v2.1/servers/{uuid}/metadata"
    assert cloud.member("POST", path, {"metadata": {"a": "b"}}).status_code == 200
    assert cloud.member("DELETE", f"{path}/a").status_code == 204
    told = loud.versioned()
    assert [(one.event, one.publisher) for one in told] == [("instance.update", "nova-compute:api")] * 3
    assert [one.data["old_display_name"] for one in told] == ["old", None, None]
    assert [one.data["display_name"] for one in told] == ["new"] * 3
    assert [one.data["metadata"] for one in told] == [{}, {"a": "b"}, {}]
    legacy = loud.unversioned()
    assert [one.data.get("old_display_name") for one in legacy] == ["old", None, None]


def test_each_host_tells_once_which_servers_it_had_in_a_period(cloud):
    audit = {"instance_usage_audit": True, "instance_usage_audit_period": "hour"}
    loud = listen(cloud, {**LOUD, **audit})
    here, gone = cloud.booted("here"), cloud.booted("gone")
    nodes = cloud.guests()
    cloud.delete(gone)
    cloud.gone(gone)
    loud.until("instance.delete.end")
    loud.forget()
    with cloud.clock.later(3600):
        for compute in cloud.computes.values():
            compute.run_periodic("usage_audit")
            compute.run_periodic("usage_audit")
    told = loud.versioned()
    assert {(one.event, one.publisher, one.data["uuid"]) for one in told} == {
        ("instance.exists", f"nova-compute:{nodes[uuid]}", uuid) for uuid in (here, gone)
    }
    assert len(told) == 2
    by_uuid = {one.data["uuid"]: one.data for one in told}
    assert by_uuid[gone]["state"] == "deleted"
    assert by_uuid[gone]["deleted_at"]
    period = by_uuid[here]["audit_period"]["nova_object.data"]
    assert period["audit_period_ending"].endswith(":00:00Z")
    legacy = loud.unversioned()
    assert {(one.event, one.data["instance_id"]) for one in legacy} == {
        ("compute.instance.exists", here),
        ("compute.instance.exists", gone),
    }
    assert legacy[0].data["audit_period_ending"] == period["audit_period_ending"].replace("T", " ")[:-1]
    rows = {row.host: row for row in cloud.cell1.task_logs.list("instance_usage_audit", *_period(period))}
    assert {host: (row.state, row.errors) for host, row in rows.items()} == {
        "node-1": ("DONE", 0),
        "node-2": ("DONE", 0),
    }
    assert sum(row.task_items for row in rows.values()) == 2


def _period(told):
    return [datetime.fromisoformat(told[f"audit_period_{end}"]) for end in ("beginning", "ending")]
