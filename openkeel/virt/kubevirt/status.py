"""Phases and conditions as power states and verdicts. Pure (docs/kubevirt.md, section 7)."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.domain.states import PowerState
from openkeel.virt.driver import DriverError, GuestRejected, GuestStatus, HostFailure

Object = Mapping[str, Any]

FINAL: Final = frozenset({"Succeeded", "Failed"})

_POWER: Final = {
    "Running": PowerState.RUNNING,
    "Succeeded": PowerState.SHUTDOWN,
    "Failed": PowerState.CRASHED,
}

# Reasons of a VMI's condition Synchronized=False that no other host can mend.
_HOPELESS: Final = frozenset({"FailedPvcNotFound"})
# And those that another host may.
_ELSEWHERE: Final = frozenset(
    {"FailedCreate", "FailedGuaranteeResources", "ErrImagePull", "ImagePullBackOff", "PVCNotReady"}
)


def phase_of(vmi: Object | None) -> str:
    """The phase of a VirtualMachineInstance; empty when there is none or nobody has seen it yet."""
    return str((vmi or {}).get("status", {}).get("phase", ""))


def condition(item: Object | None, kind: str) -> Object | None:
    """A condition by type."""
    each: Object
    for each in (item or {}).get("status", {}).get("conditions", ()):
        if each.get("type") == kind:
            return each
    return None


def is_true(item: Object | None, kind: str) -> bool:
    """Whether a condition is present and True."""
    found = condition(item, kind)
    return found is not None and found.get("status") == "True"


def guest_status(vmi: Object | None) -> GuestStatus:
    """How the guest of an existing VM is. Without an instance it is off."""
    if vmi is None:
        return GuestStatus(PowerState.SHUTDOWN, phase="")
    phase = phase_of(vmi)
    power = _POWER.get(phase, PowerState.NOSTATE)
    if phase == "Running" and is_true(vmi, "Paused"):
        power = PowerState.PAUSED
    status = vmi.get("status", {})
    ips = tuple(
        address
        for interface in status.get("interfaces", ())
        for address in interface.get("ipAddresses") or filter(None, (interface.get("ipAddress"),))
    )
    return GuestStatus(
        power, phase=phase, node=status.get("nodeName"), ips=ips, reason=str(status.get("reason") or "")
    )


def start_verdict(vmi: Object | None, node: str, age_s: float, grace_s: float) -> DriverError | None:
    """Whether a starting guest is lost, `age_s` seconds after it was told to start."""
    phase = phase_of(vmi)
    if phase in FINAL:
        return HostFailure(reason=f"the guest ended before it ran: {_message(vmi)}")
    placed = (vmi or {}).get("status", {}).get("nodeName")
    if placed and placed != node:
        return GuestRejected(reason=f"Kubernetes placed the guest on {placed} instead of {node}")
    scheduled = condition(vmi, "PodScheduled")
    if scheduled and scheduled.get("status") == "False" and age_s >= grace_s:
        return HostFailure(reason=f"unschedulable: {scheduled.get('message', '')}")
    synchronized = condition(vmi, "Synchronized")
    if synchronized and synchronized.get("status") == "False" and age_s >= grace_s:
        reason = str(synchronized.get("reason", ""))
        text = f"{reason}: {synchronized.get('message', '')}"
        if reason in _HOPELESS:
            return GuestRejected(reason=text)
        if reason in _ELSEWHERE:
            return HostFailure(reason=text)
    return None


def import_verdict(data_volume: Object | None) -> DriverError | None:
    """Whether the filling of a disk has failed for good."""
    phase = phase_of(data_volume)
    running = condition(data_volume, "Running") or {}
    restarts = int((data_volume or {}).get("status", {}).get("restartCount") or 0)
    failed = phase == "Failed" or (running.get("reason") == "Error" and restarts >= 3)  # noqa: PLR2004
    if not failed:
        return None
    text = str(running.get("message") or "the disk could not be filled")
    hopeless = any(word in text.lower() for word in ("401", "403", "404", "checksum", "format", "invalid"))
    return (GuestRejected if hopeless else HostFailure)(reason=text)


def import_done(data_volume: Object | None) -> bool:
    """Whether the disk is filled, or will be by the first start of its guest."""
    return phase_of(data_volume) in {"Succeeded", "WaitForFirstConsumer", "PendingPopulation"}


def _message(vmi: Object | None) -> str:
    status = (vmi or {}).get("status", {})
    texts = [str(status.get("reason") or "")]
    texts += [str(c.get("message")) for c in status.get("conditions", ()) if c.get("message")]
    return "; ".join(text for text in texts if text) or phase_of(vmi)
