"""A daemon is killed before any of the calls it makes for a boot, and started again later.

Whatever the moment: the server is ACTIVE or in ERROR with a fault in the end, is there once, and when it is
deleted nothing of it is left.
"""

import pytest

from openkeel.virt.driver import HostFailure
from tests.fixtures.compute_world import eventually
from tests.fixtures.gate import Killed, is_change


def boot(cloud, **more):
    """A boot whose answer may be lost with the API: the uuids that the owner finds afterwards."""
    try:
        cloud.create(networks=[{"uuid": cloud.network}], tags=["t"], **more)
    except Killed:
        cloud.api.start()
    return cloud.servers()


def ends_well(cloud, uuid, where):
    """Whatever it takes, the server comes to rest, and is whole or says why not."""
    server = cloud.settled(uuid)
    assert server["status"] in {"ACTIVE", "ERROR"}, where
    if server["status"] == "ERROR":
        assert server["fault"]["message"], where
        assert cloud.guests() == {}, where
        assert cloud.ports(uuid) == [], where
        assert not cloud.placement.consumers(), where
    else:
        assert list(cloud.guests()) == [uuid], where
        assert [port.status for port in cloud.ports(uuid)] == ["ACTIVE"], where
        assert list(cloud.placement.consumers()) == [uuid], where
        assert server["tags"] == ["t"], where
    assert cloud.cells.api.build_requests.list().objects == [], where
    return server["status"]


def settle(cloud):
    """Everything runs again; what nobody works on is looked at, a long time later."""
    for part in cloud.parts:
        part.start()
    with_time = [cloud.show(uuid) for uuid in cloud.servers()]
    if any(one["status"] == "BUILD" for one in with_time):
        cloud.reconcile()


def is_step(call):
    """What the daemon does for the boot itself, not what a conductor does for the computes."""
    return is_change(call) and not call.startswith("db own")


def steps_of(cloud, part, upto="", **more):
    """The changes that the daemon makes for a boot, up to the one named; those of a boot that works."""
    part.gate.arm(only=is_step)
    cloud.booted(networks=[{"uuid": cloud.network}], tags=["t"], **more)
    calls = list(part.gate.calls)
    part.gate.disarm()
    cloud.empty()
    calls = calls[: calls.index(upto) + 1] if upto else calls
    assert len(calls) > 1
    moments = [(0, calls[0], False)]
    return moments + [(step, call, True) for step, call in enumerate(calls)]


def kill_at(part, step, late):
    part.gate.arm(step, part.kill, only=is_step, late=late)


def test_the_api_is_killed_at_every_step(cloud):
    ends = []
    for step, call, late in steps_of(cloud, cloud.api, "rpc schedule_and_build_instances"):
        kill_at(cloud.api, step, late)
        for uuid in boot(cloud):
            if not call.startswith("rpc"):
                cloud.reconcile()
            ends.append(ends_well(cloud, uuid, (step, call, late)))
        cloud.empty()
    assert set(ends) == {"ACTIVE", "ERROR"}


def test_the_conductor_is_killed_at_every_step(cloud):
    conductor, ends = cloud.conductor, []
    for step, call, late in steps_of(cloud, conductor, "rpc build_and_run_instance"):
        kill_at(conductor, step, late)
        [uuid] = boot(cloud)
        eventually(lambda: not conductor.is_up)
        conductor.start()
        if not call.endswith("build_and_run_instance"):
            cloud.reconcile()
        ends.append(ends_well(cloud, uuid, (step, call, late)))
        cloud.empty()
    assert ends[-1] == "ACTIVE"
    assert set(ends[:-1]) == {"ERROR"}


def test_the_owner_deletes_what_a_killed_conductor_left(cloud):
    conductor = cloud.conductor
    for step, _call, late in steps_of(cloud, conductor, "rpc build_and_run_instance"):
        kill_at(conductor, step, late)
        [uuid] = boot(cloud)
        eventually(lambda: not conductor.is_up)
        cloud.delete(uuid)
        cloud.reconcile()
        cloud.gone(uuid)
        cloud.is_clean()


def test_the_scheduler_is_killed_around_its_claim(cloud):
    scheduler = cloud.scheduler
    for late in (False, True):
        kill_at(scheduler, 0, late)
        [uuid] = boot(cloud)
        eventually(lambda: not scheduler.is_up)
        scheduler.start()
        assert ends_well(cloud, uuid, late) == "ERROR"
        cloud.empty()


def test_a_compute_is_killed_at_every_step(cloud):
    compute, ends = cloud.computes["node-1"], []
    more = {"availability_zone": "nova:node-1", "who": cloud.admin}
    for step, call, late in steps_of(cloud, compute, **more):
        kill_at(compute, step, late)
        [uuid] = boot(cloud, **more)
        eventually(lambda: not compute.is_up)
        compute.start()
        settle(cloud)
        ends.append(ends_well(cloud, uuid, (step, call, late)))
        cloud.empty()
    assert set(ends) == {"ACTIVE", "ERROR"}


def test_a_conductor_is_restarted_while_a_compute_needs_it(cloud):
    compute, ends = cloud.computes["node-1"], []
    more = {"availability_zone": "nova:node-1", "who": cloud.admin}
    for step, call, _late in steps_of(cloud, compute, **more)[1::2]:  # some of many alike
        if call.startswith("rpc object"):
            compute.gate.arm(step, lambda _call: cloud.conductor.restart(), only=is_step)
            [uuid] = boot(cloud, **more)
            ends.append(ends_well(cloud, uuid, (step, call)))
            cloud.empty()
    assert len(ends) > 1
    assert set(ends) == {"ACTIVE"}


def test_a_conductor_is_killed_between_two_hosts(cloud):
    conductor = cloud.conductor

    def broken_boot():
        for hypervisor in cloud.hypervisors.values():
            hypervisor.script.__init__()
        failed = []

        def fail_once():
            if not failed:
                failed.append(1)
                raise HostFailure(reason="broken")

        for hypervisor in cloud.hypervisors.values():
            hypervisor.script.during("spawn", fail_once)
        [uuid] = boot(cloud)
        return uuid

    def of_the_workflow(call):
        return call.startswith(("placement", "rpc build_and_run"))

    conductor.gate.arm(only=of_the_workflow)
    cloud.settled(broken_boot(), "ACTIVE")
    calls = list(conductor.gate.calls)
    assert calls == ["rpc build_and_run_instance", "placement claim", "rpc build_and_run_instance"]
    cloud.empty()
    for step in (1, 2):
        for late in (False, True):
            conductor.gate.arm(step, conductor.kill, only=of_the_workflow, late=late)
            uuid = broken_boot()
            eventually(lambda: not conductor.is_up)
            conductor.start()
            if not (step == 2 and late):
                cloud.reconcile()
            ends_well(cloud, uuid, (step, late))
            cloud.empty()


def test_a_delete_that_a_compute_is_killed_in_is_finished(cloud):
    compute = cloud.computes["node-1"]
    more = {"availability_zone": "nova:node-1", "who": cloud.admin}
    for step in range(deleting(cloud, compute, **more)):
        uuid = cloud.booted(networks=[{"uuid": cloud.network}], **more)
        kill_at(compute, step, late=True)
        cloud.delete(uuid, who=cloud.admin)
        eventually(lambda: not compute.is_up)
        compute.start()
        cloud.gone(uuid)
        cloud.is_clean()


def test_a_delete_outlives_the_conductor(cloud):
    compute = cloud.computes["node-1"]
    more = {"availability_zone": "nova:node-1", "who": cloud.admin}
    for step in range(0, deleting(cloud, compute, **more), 3):  # some of many alike
        uuid = cloud.booted(networks=[{"uuid": cloud.network}], **more)
        compute.gate.arm(step, lambda _call: cloud.conductor.restart(), only=is_step, late=True)
        cloud.delete(uuid, who=cloud.admin)
        cloud.gone(uuid)
        cloud.is_clean()


def test_a_delete_through_an_api_that_is_killed_can_be_repeated(cloud):
    for step in range(deleting(cloud, cloud.api)):
        uuid = cloud.booted(networks=[{"uuid": cloud.network}])
        kill_at(cloud.api, step, late=True)
        with pytest.raises(Killed):
            cloud.member("DELETE", f"/v2.1/servers/{uuid}")
        cloud.api.start()
        cloud.member("DELETE", f"/v2.1/servers/{uuid}")
        cloud.gone(uuid)
        cloud.is_clean()


def deleting(cloud, part, **more):
    """How many changes the daemon makes for a delete."""
    uuid = cloud.booted(networks=[{"uuid": cloud.network}], **more)
    part.gate.arm(only=is_step)
    cloud.delete(uuid, who=more.get("who"))
    cloud.gone(uuid)
    calls = list(part.gate.calls)
    part.gate.disarm()
    cloud.is_clean()
    told = "rpc terminate_instance"  # the end of the API's part; later ones are about Neutron's reports
    count = calls.index(told) + 1 if told in calls else len(calls)
    assert count > 1
    return count


def failed_boot(cloud):
    """A server in ERROR on no host, without a guest."""
    uuid = cloud.boot(networks=[{"uuid": cloud.network}], flavorRef="huge")
    cloud.settled(uuid, "ERROR")
    return uuid


def test_a_delete_without_a_host_through_an_api_that_is_killed_can_be_repeated(cloud):
    uuid = failed_boot(cloud)
    cloud.api.gate.arm(only=is_step)
    cloud.delete(uuid)
    steps = len(cloud.api.gate.calls)
    cloud.api.gate.disarm()
    assert steps > 3
    for step in range(steps):
        uuid = failed_boot(cloud)
        kill_at(cloud.api, step, late=True)
        with pytest.raises(Killed):
            cloud.member("DELETE", f"/v2.1/servers/{uuid}")
        cloud.api.start()
        assert cloud.member("DELETE", f"/v2.1/servers/{uuid}").status_code in {204, 404}
        cloud.gone(uuid)
        cloud.is_clean()
        [row] = cloud.cells.for_instance(uuid).instances.list_by_filters({"uuid": uuid, "deleted": True})
        assert (row.vm_state, row.task_state) == ("deleted", None), step
        assert row.terminated_at is not None


def test_a_cancelled_boot_through_an_api_that_is_killed_leaves_nothing(cloud):
    for step in (0, 1):
        cloud.scheduler.kill()
        uuid = cloud.boot(networks=[{"uuid": cloud.network}])
        kill_at(cloud.api, step, late=True)
        with pytest.raises(Killed):
            cloud.member("DELETE", f"/v2.1/servers/{uuid}")
        cloud.api.start()
        assert cloud.member("DELETE", f"/v2.1/servers/{uuid}").status_code == 404
        cloud.scheduler.start()
        cloud.reconcile()
        cloud.is_clean()
        assert cloud.cells.api.instance_mappings.find(uuid) is None
