"""A server's life after its boot: power, console, metadata, and the log of it all."""

from tests.fixtures.compute_world import eventually


def test_power_actions_reach_the_guest_and_are_logged(cloud):
    uuid = cloud.booted(networks=[{"uuid": cloud.network}])
    guest = cloud.hypervisors[cloud.guests()[uuid]].guests[uuid]
    for action, value, status, power in (
        ("os-stop", None, "SHUTOFF", 4),
        ("os-start", None, "ACTIVE", 1),
        ("reboot", {"type": "SOFT"}, "ACTIVE", 1),
        ("reboot", {"type": "HARD"}, "ACTIVE", 1),
    ):
        answer = cloud.act(uuid, action, value)
        assert answer.status_code == 202, answer.text
        server = cloud.settled(uuid, status)
        assert server["OS-EXT-STS:power_state"] == power
        assert guest.power == power
    assert guest.starts == 4
    log = cloud.actions(uuid)
    assert [row["action"] for row in log] == ["reboot", "reboot", "start", "stop", "create"]
    assert {event["result"] for row in log for event in row["events"]} == {"Success"}
    assert all(row["message"] is None for row in log)
    # The owner reads his log without what is for administrators.
    path = f"/v2.1/servers/{uuid}/os-instance-actions"
    [*_, create] = cloud.member("GET", path).json["instanceActions"]
    seen = cloud.member("GET", f"{path}/{create['request_id']}").json["instanceAction"]
    assert seen["events"]
    assert "traceback" not in seen["events"][0]


def test_an_action_in_the_wrong_state_is_refused(cloud):
    uuid = cloud.booted()
    assert cloud.act(uuid, "os-start").status_code == 409
    cloud.act(uuid, "os-stop")
    cloud.settled(uuid, "SHUTOFF")
    assert cloud.act(uuid, "os-stop").status_code == 409


def test_the_console_shows_what_the_guest_wrote(cloud):
    uuid = cloud.booted("talker")
    hypervisor = cloud.hypervisors[cloud.guests()[uuid]]
    hypervisor.write_console(uuid, b"login:\n")
    answer = cloud.act(uuid, "os-getConsoleOutput", {})
    assert answer.json["output"] == "talker boot 1\nlogin:\n"
    answer = cloud.act(uuid, "os-getConsoleOutput", {"length": 2})
    assert answer.json["output"] == "login:\n"


def test_metadata_changes_are_kept_and_given_to_the_next_start(cloud):
    uuid = cloud.booted(metadata={"a": "1", "b": "2"})
    path = f"/v2.1/servers/{uuid}/metadata"
    assert cloud.member("POST", path, {"metadata": {"a": "3", "c": "4"}}).status_code == 200
    assert cloud.member("DELETE", f"{path}/b").status_code == 204
    assert cloud.show(uuid)["metadata"] == {"a": "3", "c": "4"}
    cloud.act(uuid, "reboot", {"type": "HARD"})
    cloud.settled(uuid, "ACTIVE")
    guest = cloud.hypervisors[cloud.guests()[uuid]].guests[uuid]
    assert guest.spec.metadata == {"a": "3", "c": "4"}


def test_a_guest_that_powers_itself_off_is_seen(cloud):
    uuid = cloud.booted()
    node = cloud.guests()[uuid]
    cloud.hypervisors[node].shut_down_by_itself(uuid)
    cloud.computes[node].run_periodic("sync_power_states")
    cloud.settled(uuid, "SHUTOFF")


def test_a_power_action_that_a_kill_cut_off_is_done_after_all(cloud):
    uuid = cloud.booted()
    compute = cloud.computes[cloud.guests()[uuid]]
    compute.gate.arm(0, compute.kill, only=lambda call: call == "driver power_off")
    cloud.act(uuid, "os-stop")
    eventually(lambda: not compute.is_up)
    compute.start()
    cloud.settled(uuid, "SHUTOFF")


def test_hosts_servers_and_room_are_shown(cloud):
    cloud.booted(availability_zone="nova:node-1", who=cloud.admin)
    services = cloud.admin("GET", "/v2.1/os-services").json["services"]
    assert {(one["binary"], one["host"], one["state"]) for one in services} == {
        ("nova-conductor", "conductor", "up"),
        ("nova-scheduler", "scheduler", "up"),
        ("nova-compute", "node-1", "up"),
        ("nova-compute", "node-2", "up"),
    }
    hypervisors = cloud.admin("GET", "/v2.1/os-hypervisors/detail?with_servers=true").json["hypervisors"]
    assert sorted((one["hypervisor_hostname"], len(one.get("servers", ()))) for one in hypervisors) == [
        ("node-1", 1),
        ("node-2", 0),
    ]
    zones = cloud.member("GET", "/v2.1/os-availability-zone").json["availabilityZoneInfo"]
    assert [(zone["zoneName"], zone["zoneState"]["available"]) for zone in zones] == [("nova", True)]
    limits = cloud.admin("GET", "/v2.1/limits").json["limits"]["absolute"]
    assert limits["totalInstancesUsed"] == 1
