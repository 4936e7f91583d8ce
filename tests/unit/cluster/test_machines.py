"""Machines and their instances: from start to stop, by every road."""

import pytest

from devstack.cluster.bridges import Plug
from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import DATA_VOLUME, GUEST, KINDS, MACHINE, NETWORK, NODE, POD
from devstack.cluster.objects import Key, condition, is_true
from devstack.cluster.registry import Deletion
from devstack.cluster.store import Store
from devstack.cluster.timings import Timings
from tests.unit.cluster.world import NS, World, data_volume, machine, network, networked


@pytest.fixture
def stopped(world):
    world.make(MACHINE, machine())
    return world


@pytest.fixture
def running(stopped):
    stopped.start()
    assert stopped.phase() == "Running"
    return stopped


def uid(world):
    return world.get(GUEST, "vm")["metadata"]["uid"]


def conflict(world, subresource, body=b"{}"):
    with pytest.raises(ApiError) as refusal:
        world.call(subresource, body=body)
    return refusal.value.code, refusal.value.message


def test_a_manual_machine_waits_for_its_start(stopped):
    assert (stopped.phase(), stopped.status()) == ("", "Stopped")
    stopped.run(60)
    assert stopped.find(GUEST, "vm") is None


def test_a_start_goes_through_every_phase(running):
    instance, machine_ = running.get(GUEST, "vm"), running.get(MACHINE, "vm")
    phases = [each["phase"] for each in instance["status"]["phaseTransitionTimestamps"]]
    assert phases == ["Pending", "Scheduling", "Scheduled", "Running"]
    assert instance["status"]["nodeName"] == "node-1"
    assert instance["metadata"]["labels"] == {"of": "vm", "kubevirt.io/nodeName": "node-1"}
    assert instance["metadata"]["ownerReferences"][0]["uid"] == machine_["metadata"]["uid"]
    status = machine_["status"]
    assert (status["printableStatus"], status["created"], status["ready"]) == ("Running", True, True)
    assert "stateChangeRequests" not in status
    assert status["observedGeneration"] == machine_["metadata"]["generation"]


def test_the_launcher_pod_is_what_kubevirt_makes(running):
    pod = running.launcher()
    assert pod["metadata"]["name"].startswith("virt-launcher-vm-")
    assert pod["metadata"]["labels"]["kubevirt.io"] == "virt-launcher"
    assert pod["metadata"]["labels"]["kubevirt.io/created-by"] == uid(running)
    assert pod["spec"]["initContainers"][0]["name"] == "guest-console-log"
    assert [each["name"] for each in pod["spec"]["containers"]] == ["compute"]
    assert (pod["spec"]["nodeName"], pod["status"]["phase"]) == ("node-1", "Running")
    assert running.get(GUEST, "vm")["status"]["activePods"] == {pod["metadata"]["uid"]: "node-1"}


def test_starting_a_running_machine_is_a_conflict(running):
    assert conflict(running, "virtualmachines/start") == (
        409,
        'Operation cannot be fulfilled on virtualmachine.kubevirt.io "vm": VM is already running',
    )


def test_a_second_request_while_one_waits_is_an_error(running):
    running.plane.faults.add({"action": "shutdown-ignored", "match": {}})
    running.call("virtualmachines/stop", body=b'{"gracePeriod": 60}')
    code, message = conflict(running, "virtualmachines/restart")
    assert code == 500
    assert "already underway" in message


def test_a_stop_presses_the_power_button_and_removes_the_instance(running):
    running.call("virtualmachines/stop", body=b'{"gracePeriod": 60}')
    assert running.status() == "Stopping"
    running.run(1.0)
    assert (running.find(GUEST, "vm"), running.status()) == (None, "Stopped")
    assert running.count(POD) == 0
    assert conflict(running, "virtualmachines/stop")[0] == 409


def test_a_stop_without_grace_is_immediate(running):
    running.plane.faults.add({"action": "shutdown-ignored", "match": {}})
    running.call("virtualmachines/stop", body=b'{"gracePeriod": 0}')
    assert running.find(GUEST, "vm") is None


def test_a_guest_that_ignores_the_power_button_is_killed_after_its_grace(running):
    running.plane.faults.add({"action": "shutdown-ignored", "match": {"name": "vm"}})
    ends = []
    running.store.listen(
        lambda change: ends.append(change.record.load()) if change.record.kind is GUEST else None
    )
    running.call("virtualmachines/stop", body=b'{"gracePeriod": 20}')
    running.run(19.0)
    assert running.phase() == "Running"
    running.run(2.0)
    assert running.find(GUEST, "vm") is None
    assert "Failed" in {each["status"]["phase"] for each in ends}


def test_a_restart_makes_another_instance(running):
    first = uid(running)
    running.call("virtualmachines/restart", body=b'{"gracePeriodSeconds": 0}')
    assert running.phase() == "Running"
    assert uid(running) != first
    assert conflict(running, "virtualmachines/restart", b'{"gracePeriodSeconds": 5}')[0] == 400


def test_a_guest_that_powers_itself_off_stays_succeeded(running):
    running.plane.guests.power_off(uid(running))
    running.run(60)
    assert (running.phase(), running.status()) == ("Succeeded", "Stopped")
    assert running.launcher()["status"]["phase"] == "Succeeded"


def test_a_start_after_that_replaces_the_final_instance(running):
    first = uid(running)
    running.plane.guests.power_off(first)
    running.run()
    running.start()
    assert running.phase() == "Running"
    assert uid(running) != first


def test_a_crash_is_a_failed_instance(running):
    running.plane.guests.crash(uid(running))
    running.run()
    assert (running.phase(), running.status()) == ("Failed", "Stopped")


def test_an_always_machine_comes_back_by_itself(world):
    always = machine()
    always["spec"]["runStrategy"] = "Always"
    world.make(MACHINE, always)
    first = uid(world)
    world.plane.guests.power_off(first)
    world.run()
    assert world.phase() == "Running"
    assert uid(world) != first


def test_pause_and_unpause_show_in_condition_and_status(running):
    running.call("virtualmachineinstances/pause")
    assert is_true(running.get(GUEST, "vm"), "Paused")
    assert running.status() == "Paused"
    assert conflict(running, "virtualmachineinstances/pause")[0] == 409
    assert conflict(running, "virtualmachineinstances/softreboot")[0] == 409
    running.call("virtualmachineinstances/unpause")
    assert condition(running.get(GUEST, "vm"), "Paused") is None
    assert running.status() == "Running"
    assert conflict(running, "virtualmachineinstances/unpause")[0] == 409


def test_a_machine_can_start_paused(stopped):
    stopped.start(body=b'{"paused": true}')
    assert stopped.status() == "Paused"


def test_a_soft_reboot_keeps_the_instance_and_boots_the_guest_again(running):
    running.run(5.0)
    first = uid(running)
    assert is_true(running.get(GUEST, "vm"), "AgentConnected")
    running.call("virtualmachineinstances/softreboot")
    assert not is_true(running.get(GUEST, "vm"), "AgentConnected")
    running.run(5.0)
    assert (running.phase(), uid(running)) == ("Running", first)
    assert is_true(running.get(GUEST, "vm"), "AgentConnected")
    said = [text for _, text in running.plane.guests.console(first)]
    assert sum("Linux version" in text for text in said) == 2


def test_guest_info_needs_the_agent_and_refuses_with_500(stopped):
    assert conflict_get(stopped)[0] == 500
    stopped.start()
    assert "agent" in conflict_get(stopped)[1]
    stopped.run(5.0)
    answer = stopped.call("virtualmachineinstances/guestosinfo", body=b"", method="GET")
    assert answer.body["hostname"] == "vm"


def conflict_get(world):
    with pytest.raises(ApiError) as refusal:
        world.call("virtualmachineinstances/guestosinfo", body=b"", method="GET")
    return refusal.value.code, refusal.value.message


@pytest.mark.parametrize("subresource", ["virtualmachines/start", "virtualmachineinstances/pause"])
def test_subresources_of_what_is_not_there_are_404(world, subresource):
    assert conflict(world, subresource)[0] == 404


@pytest.mark.parametrize("subresource", ["virtualmachines/migrate", "virtualmachineinstances/freeze"])
def test_subresources_that_are_not_served_are_404(running, subresource):
    assert conflict(running, subresource)[0] == 404


def test_a_wrong_verb_or_body_is_refused(running):
    with pytest.raises(ApiError) as refusal:
        running.call("virtualmachines/stop", method="POST")
    assert refusal.value.code == 405
    assert conflict(running, "virtualmachines/stop", b'{"gracePeriod": "soon"}')[0] == 400
    assert conflict(running, "virtualmachines/stop", b"[]")[0] == 400


def test_a_deleted_machine_takes_instance_and_pod_along(running):
    running.delete(MACHINE, "vm", Deletion(propagation="Foreground"))
    assert running.status() == "Terminating"
    running.run(5.0)
    assert (running.find(MACHINE, "vm"), running.find(GUEST, "vm"), running.count(POD)) == (None, None, 0)


def test_a_machine_deleted_while_it_starts_leaves_nothing():
    world = World(Timings(container_start=10))
    world.make(MACHINE, machine())
    world.start()
    assert world.phase() == "Scheduling"
    world.delete(MACHINE, "vm", Deletion(propagation="Foreground"))
    world.run(60.0)
    assert (world.find(MACHINE, "vm"), world.find(GUEST, "vm"), world.count(POD)) == (None, None, 0)


def test_a_node_selector_that_fits_nowhere_is_unschedulable(world):
    world.make(MACHINE, machine(nodeSelector={"kubernetes.io/hostname": "elsewhere"}))
    world.start()
    entry = condition(world.get(GUEST, "vm"), "PodScheduled")
    assert (entry["status"], entry["reason"]) == ("False", "Unschedulable")
    assert "0/2 nodes are available" in entry["message"]
    assert world.status() == "ErrorUnschedulable"
    assert world.events("FailedScheduling")


def test_a_cordoned_node_takes_the_guest_once_it_is_free_again(world):
    world.change(NODE, "node-1", lambda node: node["spec"].update(unschedulable=True))
    world.make(MACHINE, machine())
    world.start()
    assert world.status() == "ErrorUnschedulable"
    world.change(NODE, "node-1", lambda node: node["spec"].pop("unschedulable"))
    assert world.phase() == "Running"


def test_guests_that_do_not_fit_wait_until_there_is_room(world):
    big = {"devices": {}, "memory": {"guest": "40Gi"}}
    for name in ("vm", "second"):
        world.make(MACHINE, machine(name, domain=dict(big)))
        world.start(name)
    assert (world.phase("vm"), world.phase("second")) == ("Running", "Scheduling")
    assert "Insufficient memory" in condition(world.get(GUEST, "second"), "PodScheduled")["message"]
    world.call("virtualmachines/stop", "vm", b'{"gracePeriod": 0}')
    assert world.phase("second") == "Running"


def test_a_network_is_plugged_with_its_neutron_port_before_the_guest_runs(world):
    world.make(NETWORK, network())
    world.make(MACHINE, networked())
    world.start()
    assert world.phase() == "Running"
    firmware = world.get(MACHINE, "vm")["spec"]["template"]["spec"]["domain"]["firmware"]["uuid"]
    assert world.bridges.seen == [Plug("node-1", "3f0d1c5e-port", "fa:16:3e:00:00:01", firmware, 1442)]
    assert world.bridges.devices["node-1"] == {"tap3f0d1c5e-po"}
    interface = world.get(GUEST, "vm")["status"]["interfaces"][0]
    assert (interface["mac"], interface["linkState"]) == ("fa:16:3e:00:00:01", "up")


@pytest.mark.parametrize("ending", ["stop", "delete", "self"])
def test_it_is_unplugged_however_the_guest_ends(world, ending):
    world.make(NETWORK, network())
    world.make(MACHINE, networked())
    world.start()
    if ending == "stop":
        world.call("virtualmachines/stop", body=b'{"gracePeriod": 0}')
    elif ending == "delete":
        world.delete(MACHINE, "vm")
    else:
        world.plane.guests.power_off(uid(world))
    world.run(5.0)
    assert world.bridges.devices["node-1"] == set()


def test_a_missing_network_keeps_the_pod_from_being_made_until_it_is_there(world):
    world.make(MACHINE, networked())
    world.start()
    entry = condition(world.get(GUEST, "vm"), "Synchronized")
    assert (entry["status"], entry["reason"]) == ("False", "FailedCreate")
    assert world.launcher() is None
    world.make(NETWORK, network())
    assert world.phase() == "Running"


def test_a_bridge_that_refuses_is_an_event_and_tried_again(world):
    world.bridges.refusals.append("database connection failed")
    world.make(NETWORK, network())
    world.make(MACHINE, networked())
    world.start()
    assert world.phase() == "Scheduling"
    assert "database connection failed" in world.events("FailedCreatePodSandBox")[0]["message"]
    world.run(2.0)
    assert world.phase() == "Running"


def with_disk(**more):
    obj = machine(volumes=[{"name": "root", **more}])
    obj["spec"]["template"]["spec"]["domain"]["devices"]["disks"] = [
        {"name": "root", "disk": {"bus": "virtio"}}
    ]
    return obj


def test_a_missing_claim_is_told_and_waited_for(world):
    world.make(MACHINE, with_disk(persistentVolumeClaim={"claimName": "disk"}))
    world.start()
    assert world.status() == "ErrorPvcNotFound"
    world.make(DATA_VOLUME, data_volume("disk", {"blank": {}}))
    assert world.phase() == "Running"


def test_a_guest_waits_for_its_disk_to_be_filled(world):
    created = world.make(DATA_VOLUME, data_volume("disk", {"http": {"url": "http://images/x"}}))
    world.make(MACHINE, with_disk(dataVolume={"name": "disk"}))
    world.start()
    assert (world.phase(), world.status()) == ("Pending", "Provisioning")
    world.importer.finish(created["metadata"]["uid"])
    world.run()
    assert world.phase() == "Running"
    told = world.get(GUEST, "vm")["status"]["volumeStatus"][0]
    assert (told["target"], told["persistentVolumeClaimInfo"]["claimName"]) == ("vda", "disk")


def test_a_late_binding_disk_is_bound_where_the_guest_goes(world):
    world.make(DATA_VOLUME, data_volume("disk", {"blank": {}}, storageClassName="local"))
    assert world.get(DATA_VOLUME, "disk")["status"]["phase"] == "PendingPopulation"
    world.make(MACHINE, with_disk(dataVolume={"name": "disk"}))
    world.start()
    assert world.phase() == "Running"
    entry = condition(world.get(GUEST, "vm"), "LiveMigratable")
    assert (entry["status"], entry["reason"]) == ("False", "DisksNotLiveMigratable")


def test_a_faulty_start_fails_with_an_event(stopped):
    stopped.plane.faults.add(
        {"action": "start-fail", "match": {"name": "vm"}, "message": "no such CPU model", "times": 1}
    )
    stopped.start()
    assert stopped.phase() == "Failed"
    assert stopped.events("SyncFailed")[0]["message"] == "no such CPU model"


def test_a_slow_start_stays_scheduled_for_as_long(stopped):
    stopped.plane.faults.add({"action": "start-slow", "match": {"node": "node-1"}, "seconds": 30})
    stopped.start()
    stopped.run(29.0)
    assert stopped.phase() == "Scheduled"
    stopped.run(2.0)
    assert stopped.phase() == "Running"


def test_a_changed_selector_reaches_the_running_guest_without_a_restart(running):
    running.change(
        MACHINE,
        "vm",
        lambda vm: vm["spec"]["template"]["spec"].update(nodeSelector={"kubernetes.io/hostname": "node-2"}),
    )
    assert running.get(GUEST, "vm")["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "node-2"}
    assert condition(running.get(MACHINE, "vm"), "RestartRequired") is None


def test_another_change_asks_for_a_restart_and_stops_live_updates_until_then(running):
    running.change(MACHINE, "vm", lambda vm: vm["spec"]["template"]["spec"].update(hostname="new"))
    assert is_true(running.get(MACHINE, "vm"), "RestartRequired")
    running.change(
        MACHINE,
        "vm",
        lambda vm: vm["spec"]["template"]["spec"].update(nodeSelector={"kubernetes.io/hostname": "node-2"}),
    )
    assert running.get(GUEST, "vm")["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
    running.call("virtualmachines/restart", body=b'{"gracePeriodSeconds": 0}')
    assert condition(running.get(MACHINE, "vm"), "RestartRequired") is None
    assert running.get(GUEST, "vm")["status"]["nodeName"] == "node-2"


def test_a_deleted_launcher_pod_fails_the_guest(running):
    pod = running.launcher()
    running.registry.delete(POD, Key(NS, pod["metadata"]["name"]), Deletion(grace_period_s=0))
    running.run()
    assert running.phase() == "Failed"


def silence(node):
    entry = next(each for each in node["status"]["conditions"] if each["type"] == "Ready")
    entry |= {"status": "Unknown", "lastTransitionTime": "2027-01-15T08:00:00Z"}


def test_guests_of_a_silent_node_are_failed_only_after_a_while(running):
    running.registry.edit(NODE, Key("", "node-1"), silence, "test")
    running.run(299.0)
    assert running.phase() == "Running"
    running.run(2.0)
    instance = running.get(GUEST, "vm")
    assert (instance["status"]["phase"], instance["status"]["reason"]) == ("Failed", "NodeUnresponsive")
    assert running.launcher() is not None, "nobody on the node could remove it"


def test_a_fenced_nodes_guest_goes_with_its_forced_pod_and_starts_elsewhere(running):
    running.registry.edit(NODE, Key("", "node-1"), silence, "test")
    pod = running.launcher()["metadata"]["name"]
    running.delete(POD, pod)
    assert running.get(POD, pod)["metadata"]["deletionTimestamp"], "the kubelet is silent"
    running.delete(POD, pod, Deletion(grace_period_s=0))
    assert running.phase() == "Failed"
    running.change(MACHINE, "vm", elsewhere)
    running.start()
    assert (running.phase(), running.get(GUEST, "vm")["status"]["nodeName"]) == ("Running", "node-2")


def elsewhere(machine_):
    machine_["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "node-2"}


def test_a_restarted_stand_in_goes_on_where_it_was(running):
    kept = Store(version=running.store.version)
    for kind in KINDS:
        for record in running.store.records(kind):
            kept.restore(kind, record.raw)
    again = World(store=kept)
    again.clock.now = running.clock.now
    again.run(5.0)
    assert again.phase() == "Running"
    again.call("virtualmachines/stop", body=b'{"gracePeriod": 30}')
    again.run(5.0)
    assert again.find(GUEST, "vm") is None
