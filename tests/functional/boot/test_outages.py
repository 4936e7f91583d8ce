"""Services that are down or slow, in each phase of a boot: the right code or a clear fault, and no leak."""

import threading

import pytest

from tests.fixtures.compute_world import eventually
from tests.fixtures.gate import break_it
from tests.fixtures.hold import Hold


def is_whole_or_says_why(cloud, uuid, where):
    server = cloud.settled(uuid)
    if server["status"] == "ERROR":
        assert server["fault"]["message"], where
        assert "Traceback" not in server["fault"]["message"], where
        assert cloud.guests() == {}, where
        assert cloud.ports(uuid) == [], where
    else:
        assert server["status"] == "ACTIVE", where
        assert list(cloud.guests()) == [uuid], where
        assert [port.status for port in cloud.ports(uuid)] == ["ACTIVE"], where
        assert list(cloud.placement.consumers()) == [uuid], where
    return server


def calls_of(cloud, part, upto="", **more):
    part.gate.arm()
    uuid = cloud.boot(networks=[{"uuid": cloud.network}], **more)
    cloud.settled(uuid, "ACTIVE")
    calls = list(part.gate.calls)
    part.gate.disarm()
    cloud.empty()
    return calls[: calls.index(upto) + 1] if upto else calls


def once_each(calls):
    """The first of each kind of call, with its step."""
    return {call: step for step, call in reversed(list(enumerate(calls)))}.items()


def test_whatever_the_api_cannot_reach_is_said_and_nothing_is_recorded(cloud):
    calls = calls_of(cloud, cloud.api, "rpc schedule_and_build_instances")
    assert {call.split()[0] for call in calls} == {"db", "glance", "neutron", "rpc"}
    for step, call in enumerate(calls):
        cloud.api.gate.arm(step, break_it)
        answer = cloud.create(networks=[{"uuid": cloud.network}])
        cloud.api.gate.disarm()
        assert answer.status_code == 503, (step, call, answer.text)
        assert "Traceback" not in answer.text
        assert cloud.servers() == [], call
        assert not cloud.leftovers(), call


def test_whatever_fails_the_conductor_the_server_ends_and_says_why(cloud):
    calls = calls_of(cloud, cloud.conductor, "rpc build_and_run_instance")
    for step, call in enumerate(call for call in calls if not call.startswith("db own")):
        struck = threading.Event()

        def strike(made, struck=struck):
            struck.set()
            break_it(made)

        cloud.conductor.gate.arm(step, strike, only=lambda made: not made.startswith("db own"))
        uuid = cloud.boot(networks=[{"uuid": cloud.network}])
        eventually(lambda s=struck, u=uuid: s.is_set() or cloud.show(u)["status"] == "ACTIVE", 30)
        if not struck.is_set():
            assert step > len(calls) // 2, call  # what is known by now is not read again
            break
        if call.startswith("db api read"):
            # Before it knows anything of the server there is nothing that it can do for it.
            eventually(lambda: is_idle(cloud.conductor), 30)
            cloud.reconcile()
        is_whole_or_says_why(cloud, uuid, (step, call))
        assert cloud.cells.api.build_requests.list().objects == [], call
        cloud.empty()


def is_idle(part):
    server = part.daemon._server._servers[0]
    return server._work_executor._work_queue.empty()


@pytest.mark.parametrize("service", ["placement", "neutron", "driver"])
def test_whatever_fails_a_compute_the_server_goes_on_elsewhere_or_says_why(cloud, service):
    calls = calls_of(cloud, cloud.computes["node-1"], availability_zone="nova:node-1", who=cloud.admin)
    kinds = dict(once_each(call for call in calls if call.startswith(service)))
    assert kinds
    for call in kinds:
        for part in cloud.computes.values():
            part.gate.arm(0, break_it, only=lambda made, call=call: made == call)
        uuid = cloud.boot(networks=[{"uuid": cloud.network}])
        is_whole_or_says_why(cloud, uuid, call)
        for part in cloud.computes.values():
            part.gate.disarm()
        cloud.empty()


def test_a_placement_that_is_down_for_the_scheduler_is_a_fault(cloud):
    cloud.scheduler.gate.arm(0, break_it, only=lambda call: call == "placement allocation_candidates")
    uuid = cloud.boot()
    server = cloud.settled(uuid, "ERROR")
    assert server["fault"]["message"]
    assert not cloud.placement.consumers()


def test_a_claim_whose_answer_is_lost_leaves_nothing(cloud):
    cloud.scheduler.gate.arm(0, break_it, only=lambda call: call == "placement claim", late=True)
    uuid = cloud.boot()
    cloud.settled(uuid, "ERROR")
    assert not cloud.placement.consumers()


def test_ports_whose_making_is_slow_do_not_hold_up_a_delete_for_ever(cloud):
    hold = Hold()
    for part in cloud.computes.values():
        part.gate.arm(0, hold, only=lambda call: call == "neutron POST ports")
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    assert hold.reached.wait(30)
    cloud.delete(uuid)
    hold.let_go()
    cloud.gone(uuid)
    cloud.is_clean()


def test_a_slow_glance_holds_up_only_its_own_request(cloud):
    hold = Hold()
    cloud.api.gate.arm(0, hold, only=lambda call: call.startswith("glance"))
    answers = []
    asking = threading.Thread(target=lambda: answers.append(cloud.create()))
    asking.start()
    assert hold.reached.wait(30)
    cloud.booted()
    hold.let_go()
    asking.join()
    assert answers[0].status_code == 202
    cloud.settled(answers[0].json["server"]["id"], "ACTIVE")


def test_a_dead_cell_database_fails_boots_clearly(cloud):
    cloud.conductor.gate.arm(0, break_it, only=lambda call: call == "db cell1 write")
    uuid = cloud.boot()
    server = cloud.settled(uuid, "ERROR")
    assert server["fault"]["message"]
