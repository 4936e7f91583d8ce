"""What runs inside the launcher pods.

`Guests` is what the controllers need of a hypervisor; `SimulatedGuests` has none: a guest is a few facts and
a boot log that grows with time. A backend with real QEMU processes takes the same place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from devstack.cluster import objects
from devstack.cluster.clock import Clock
from devstack.cluster.faults import Faults
from devstack.cluster.objects import Object
from devstack.cluster.timings import Timings


class GuestState(StrEnum):
    ON = "on"
    OFF = "off"
    CRASHED = "crashed"


class Guests(Protocol):
    """Guests by the uid of their VirtualMachineInstance."""

    def watch(self, changed: Callable[[str], None]) -> None:
        """Call `changed(uid)` when a guest changed by itself."""
        ...

    def power_on(self, instance: Object, *, since_s: float | None = None) -> None:
        """Start a guest; `since_s` adopts one that runs since then."""
        ...

    def state(self, uid: str) -> GuestState | None: ...

    def press_power_button(self, uid: str) -> None: ...

    def power_off(self, uid: str) -> None: ...

    def crash(self, uid: str) -> None: ...

    def reboot(self, uid: str) -> None: ...

    def set_paused(self, uid: str, *, paused: bool) -> None: ...

    def has_agent(self, uid: str) -> bool: ...

    def console(self, uid: str) -> list[tuple[float, str]]:
        """The serial console's lines so far, each with its time."""
        ...

    def forget(self, uid: str) -> None: ...


_BOOT_LOG: Final = (
    (0.00, "[    0.000000] Linux version 6.1.0-standin-amd64 (stand-in guest) #1 SMP PREEMPT_DYNAMIC"),
    (0.00, "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=/dev/vda1 console=tty0 console=ttyS0"),
    (0.02, "[    0.021337] smpboot: Allowing {cpus} CPUs, 0 hotplug CPUs"),
    (0.05, "[    0.052011] Memory: {memory} available"),
    (0.10, "[    0.103517] DMI: OpenStack Foundation OpenStack Nova, BIOS"),
    (0.25, "[    0.254120] virtio_blk virtio1: [vda] root disk"),
    (0.30, "[    0.301442] virtio_net virtio0: {interfaces} network interface(s)"),
    (0.50, "[    0.508713] systemd[1]: Detected virtualization kvm."),
    (0.55, "[    0.551829] systemd[1]: Hostname set to <{hostname}>."),
    (0.70, "[  OK  ] Reached target Network is Online."),
    (0.80, "cloud-init[412]: Cloud-init v. 24.4 running 'modules:config'. Instance {uuid}"),
    (0.95, "cloud-init[498]: Cloud-init v. 24.4 finished. Datasource DataSourceOpenStack"),
    (1.00, "{hostname} login: "),
)
_DOWN_LOG: Final = ("[  OK  ] Stopped target Multi-User System.", "reboot: Power down")


@dataclass
class SimulatedGuest:
    facts: dict[str, str]
    namespace: str
    name: str
    state: GuestState = GuestState.ON
    paused: bool = False
    boots: list[float] = field(default_factory=list)
    downs: list[float] = field(default_factory=list)
    extra: list[tuple[float, str]] = field(default_factory=list)


class SimulatedGuests:
    """Guests without a hypervisor."""

    def __init__(self, clock: Clock, timings: Timings, faults: Faults) -> None:
        self._clock = clock
        self._timings = timings
        self._faults = faults
        self._guests: dict[str, SimulatedGuest] = {}
        self._changed: Callable[[str], None] = lambda _uid: None

    def watch(self, changed: Callable[[str], None]) -> None:
        self._changed = changed

    def power_on(self, instance: Object, *, since_s: float | None = None) -> None:
        meta, spec = instance["metadata"], instance["spec"]
        domain = spec.get("domain", {})
        cpu = domain.get("cpu", {})
        facts = {
            "hostname": spec.get("hostname") or meta["name"],
            "cpus": str(cpu.get("sockets", 1) * cpu.get("cores", 1) * cpu.get("threads", 1)),
            "memory": str(domain.get("memory", {}).get("guest", "?")),
            "interfaces": str(len(domain.get("devices", {}).get("interfaces") or ())),
            "uuid": str(domain.get("firmware", {}).get("uuid", meta["uid"])),
        }
        guest = SimulatedGuest(facts, meta["namespace"], meta["name"])
        self._guests[meta["uid"]] = guest
        self._boot(meta["uid"], guest, self._clock.wall() if since_s is None else since_s)

    def state(self, uid: str) -> GuestState | None:
        guest = self._guests.get(uid)
        return guest.state if guest else None

    def press_power_button(self, uid: str) -> None:
        guest = self._guests.get(uid)
        if guest is None or guest.paused:
            return
        if self._faults.find("shutdown-ignored", namespace=guest.namespace, name=guest.name):
            return
        self._clock.call_later(self._timings.shutdown, lambda: self._end(uid, guest, GuestState.OFF))

    def power_off(self, uid: str) -> None:
        guest = self._guests.get(uid)
        if guest:
            self._end(uid, guest, GuestState.OFF)

    def crash(self, uid: str) -> None:
        guest = self._guests.get(uid)
        if guest:
            guest.extra.append((self._clock.wall(), "Kernel panic - not syncing: the stand-in was asked to"))
            self._end(uid, guest, GuestState.CRASHED)

    def reboot(self, uid: str) -> None:
        guest = self._guests.get(uid)
        if guest and guest.state is GuestState.ON:
            guest.downs.append(self._clock.wall())
            self._boot(uid, guest, self._clock.wall())

    def set_paused(self, uid: str, *, paused: bool) -> None:
        guest = self._guests.get(uid)
        if guest:
            guest.paused = paused

    def has_agent(self, uid: str) -> bool:
        guest = self._guests.get(uid)
        if guest is None or guest.state is not GuestState.ON:
            return False
        if self._faults.find("no-agent", namespace=guest.namespace, name=guest.name):
            return False
        return self._clock.wall() >= guest.boots[-1] + self._timings.boot

    def console(self, uid: str) -> list[tuple[float, str]]:
        guest = self._guests.get(uid)
        if guest is None:
            return []
        now, lines = self._clock.wall(), list(guest.extra)
        for number, boot in enumerate(guest.boots):
            # What a boot had still to say when it was cut off is never said.
            ends = guest.downs[number] if number < len(guest.downs) else now
            said = [(boot + at * self._timings.boot, text.format(**guest.facts)) for at, text in _BOOT_LOG]
            lines += [line for line in said if line[0] <= min(ends, now)]
        lines += [(down, text) for down in guest.downs for text in _DOWN_LOG]
        return sorted(lines, key=lambda line: line[0])

    def forget(self, uid: str) -> None:
        self._guests.pop(uid, None)

    def _boot(self, uid: str, guest: SimulatedGuest, at: float) -> None:
        guest.boots.append(at)
        self._clock.call_later(
            max(0.0, at + self._timings.boot - self._clock.wall()), lambda: self._changed(uid)
        )

    def _end(self, uid: str, guest: SimulatedGuest, state: GuestState) -> None:
        if guest.state is not GuestState.ON:
            return
        guest.state = state
        guest.downs.append(self._clock.wall())
        self._changed(uid)


def seconds_running(instance: Object) -> float | None:
    """Since when an instance runs, by its status."""
    for entry in instance.get("status", {}).get("phaseTransitionTimestamps") or ():
        if entry["phase"] == "Running":
            return objects.seconds_of(entry["phaseTransitionTimestamp"])
    return None
