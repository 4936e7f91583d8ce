"""Phases and conditions become power states and verdicts."""

import pytest

from openkeel.domain.states import PowerState
from openkeel.virt.driver import GuestRejected, HostFailure
from openkeel.virt.kubevirt import status
from openkeel.virt.kubevirt.quantities import bytes_of, cores_of


def vmi(phase, **more):
    conditions = [{"type": kind, **values} for kind, values in more.pop("conditions", {}).items()]
    return {"status": {"phase": phase, "conditions": conditions, **more}}


@pytest.mark.parametrize(
    ("found", "power"),
    [
        (None, PowerState.SHUTDOWN),
        (vmi(""), PowerState.NOSTATE),
        (vmi("Scheduling"), PowerState.NOSTATE),
        (vmi("Running"), PowerState.RUNNING),
        (vmi("Running", conditions={"Paused": {"status": "True"}}), PowerState.PAUSED),
        (vmi("Running", conditions={"Paused": {"status": "False"}}), PowerState.RUNNING),
        (vmi("Succeeded"), PowerState.SHUTDOWN),
        (vmi("Failed"), PowerState.CRASHED),
        (vmi("Unknown"), PowerState.NOSTATE),
    ],
)
def test_power_state_of_a_phase(found, power):
    assert status.guest_status(found).power is power


def test_addresses_are_listed():
    found = vmi("Running", nodeName="node-1", interfaces=[{"ipAddress": "10.0.0.1"}, {}])
    assert status.guest_status(found).ips == ("10.0.0.1",)
    assert status.guest_status(found).node == "node-1"


UNSCHEDULABLE = vmi("Scheduling", conditions={"PodScheduled": {"status": "False", "message": "0/2"}})


def test_an_unschedulable_guest_gets_its_grace_and_then_another_host():
    assert status.start_verdict(UNSCHEDULABLE, "node-1", 5, 30) is None
    assert isinstance(status.start_verdict(UNSCHEDULABLE, "node-1", 31, 30), HostFailure)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("FailedPvcNotFound", GuestRejected), ("FailedCreate", HostFailure), ("SomethingNew", type(None))],
)
def test_synchronization_failures_are_hopeless_or_not(reason, kind):
    found = vmi("Pending", conditions={"Synchronized": {"status": "False", "reason": reason}})
    assert isinstance(status.start_verdict(found, "node-1", 60, 30), kind)


def test_a_guest_that_ended_before_it_ran_may_run_elsewhere():
    assert isinstance(status.start_verdict(vmi("Failed"), "node-1", 0, 30), HostFailure)


def test_a_guest_on_the_wrong_node_is_refused():
    verdict = status.start_verdict(vmi("Scheduled", nodeName="node-2"), "node-1", 0, 30)
    assert isinstance(verdict, GuestRejected)


@pytest.mark.parametrize(
    ("message", "kind"),
    [("expected status code 401", GuestRejected), ("checksum mismatch", GuestRejected), ("EOF", HostFailure)],
)
def test_a_failed_import_is_the_images_fault_or_the_transports(message, kind):
    found = vmi("Failed", conditions={"Running": {"status": "False", "message": message}})
    assert isinstance(status.import_verdict(found), kind)


def test_an_import_may_fail_twice_and_go_on():
    found = vmi("ImportInProgress", restartCount=2, conditions={"Running": {"reason": "Error"}})
    assert status.import_verdict(found) is None
    found["status"]["restartCount"] = 3
    assert isinstance(status.import_verdict(found), HostFailure)


@pytest.mark.parametrize(("text", "cores"), [("2", 2.0), ("1500m", 1.5), ("0", 0.0), (3, 3.0)])
def test_cores(text, cores):
    assert cores_of(text) == cores


@pytest.mark.parametrize(
    ("text", "size"), [("7Gi", 7 * 2**30), ("128M", 128 * 10**6), ("1024", 1024), ("1Ki", 1024)]
)
def test_bytes(text, size):
    assert bytes_of(text) == size
