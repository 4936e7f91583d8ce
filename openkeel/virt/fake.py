"""A hypervisor in memory: keeps the rules of `driver.py`, and fails when it is told to.

For tests and for running the daemons without any cluster (`compute_driver = fake`). Guests run at
once and write one line to their console for each start. A guest survives this object only as the real ones
do: hand the same `FakeHypervisor` to a new daemon to play a restart.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from openkeel.common.clock import Clock, SystemClock
from openkeel.domain.states import PowerState
from openkeel.virt.driver import (
    Capabilities,
    Driver,
    GuestEvent,
    GuestEventKind,
    GuestNotFound,
    GuestSpec,
    GuestStatus,
    HostFailure,
    HostInventory,
    ImageSpec,
)

DEFAULT_INVENTORY: Final = HostInventory(
    vcpus=64,
    memory_mib=256 * 1024,
    disk_gib=4096,
    hypervisor_type="fake",
    hypervisor_version=1000,
    architecture="x86_64",
    cpu_info={"arch": "x86_64", "model": "fake", "vendor": "fake", "features": [], "topology": {}},
    host_ip="127.0.0.1",
    traits=frozenset({"HW_CPU_X86_SSE42"}),
)


@dataclass(slots=True)
class FakeGuest:
    """One guest: what it was made from, whether it runs, what it wrote."""

    spec: GuestSpec
    power: PowerState = PowerState.SHUTDOWN
    console: bytearray = field(default_factory=bytearray)
    starts: int = 0


class Script:
    """What is to happen in which call. Steps of one call are used up in order, one per call."""

    def __init__(self) -> None:
        self._before: dict[str, deque[Callable[[], None]]] = defaultdict(deque)
        self._after: dict[str, deque[Callable[[], None]]] = defaultdict(deque)

    def fail(self, call: str, error: BaseException, *, times: int = 1, after: bool = False) -> None:
        """Raise the error in the next `times` calls; `after` the call took its effect if so wished."""

        def step() -> None:
            raise error

        for _ in range(times):
            (self._after if after else self._before)[call].append(step)

    def during(self, call: str, function: Callable[[], None]) -> None:
        """Run a function at the beginning of the next call."""
        self._before[call].append(function)

    def before(self, call: str) -> None:
        """A call begins."""
        if self._before[call]:
            self._before[call].popleft()()

    def after(self, call: str) -> None:
        """A call took its effect."""
        if self._after[call]:
            self._after[call].popleft()()


class FakeHypervisor:
    """Every protocol of `driver.py` in one object; `driver()` is the seam the compute sees."""

    def __init__(
        self,
        node: str = "node-1",
        *,
        inventory: HostInventory = DEFAULT_INVENTORY,
        capabilities: Capabilities | None = None,
        clock: Clock | None = None,
        asks_guests: bool = True,
        caches_images: bool = True,
    ) -> None:
        """Whether guests can be asked to reboot is `asks_guests`."""
        self.guests: dict[str, FakeGuest] = {}
        self.images: set[str] = set()
        self.script = Script()
        self._caches_images = caches_images
        self.asks_guests = asks_guests
        self._inventory = inventory
        self._capabilities = capabilities or Capabilities()
        self._node = node
        self._node_uuid: str | None = None
        self._clock = clock or SystemClock()
        self._on_event: Callable[[GuestEvent], None] | None = None
        self._lock = threading.RLock()

    def driver(self) -> Driver:
        """The hypervisor as its capabilities."""
        return Driver(
            lifecycle=self,
            power=self,
            console=self,
            host=self,
            capabilities=self._capabilities,
            images=self if self._caches_images else None,
        )

    # Guests act by themselves

    def shut_down_by_itself(self, instance_uuid: str, power: PowerState = PowerState.SHUTDOWN) -> None:
        """The guest's own system powers it off, or it crashes."""
        with self._lock:
            self.guests[instance_uuid].power = power
        self._emit(instance_uuid, GuestEventKind.STOPPED)

    def write_console(self, instance_uuid: str, text: bytes) -> None:
        """The guest writes to its serial console."""
        with self._lock:
            self.guests[instance_uuid].console += text

    # Images

    def cache(self, image: ImageSpec) -> bool:
        self.script.before("cache")
        with self._lock:
            is_new = image.id not in self.images
            self.images.add(image.id)
        self.script.after("cache")
        return is_new

    # Lifecycle

    def spawn(self, spec: GuestSpec, *, start: bool = True) -> None:
        self.script.before("spawn")
        with self._lock:
            guest = self.guests.setdefault(spec.instance_uuid, FakeGuest(spec))
            guest.spec = spec
        if start:
            self._run(guest)
        self.script.after("spawn")

    def destroy(self, instance_uuid: str, project_id: str, *, destroy_disks: bool = True) -> None:  # noqa: ARG002
        self.script.before("destroy")
        with self._lock:
            guest = self.guests.pop(instance_uuid, None)
        if guest is not None and guest.power is PowerState.RUNNING:
            self._emit(instance_uuid, GuestEventKind.STOPPED)
        self.script.after("destroy")

    def observe(self, instance_uuid: str, project_id: str) -> GuestStatus | None:  # noqa: ARG002
        self.script.before("observe")
        with self._lock:
            guest = self.guests.get(instance_uuid)
            return None if guest is None else GuestStatus(power=guest.power, node=self._node)

    def list(self) -> Sequence[str]:
        self.script.before("list")
        with self._lock:
            return tuple(self.guests)

    # Power

    def power_on(self, spec: GuestSpec) -> None:
        self.script.before("power_on")
        with self._lock:
            guest = self.guests.get(spec.instance_uuid)
            if guest is None:
                raise GuestNotFound(instance_uuid=spec.instance_uuid)
            guest.spec = spec
        self._run(guest)
        self.script.after("power_on")

    def power_off(self, instance_uuid: str, project_id: str, *, grace_s: int) -> None:  # noqa: ARG002
        self.script.before("power_off")
        self._halt(instance_uuid)
        self.script.after("power_off")

    def reboot_soft(self, instance_uuid: str, project_id: str) -> bool:  # noqa: ARG002
        self.script.before("reboot_soft")
        with self._lock:
            guest = self.guests.get(instance_uuid)
            if not self.asks_guests or guest is None or guest.power is not PowerState.RUNNING:
                return False
            guest.power = PowerState.SHUTDOWN
        self._run(guest)
        self.script.after("reboot_soft")
        return True

    def reboot_hard(self, spec: GuestSpec) -> None:
        self.script.before("reboot_hard")
        self._halt(spec.instance_uuid)
        with self._lock:
            guest = self.guests[spec.instance_uuid]
            guest.spec = spec
        self._run(guest)
        self.script.after("reboot_hard")

    # Console

    def output(self, instance_uuid: str, project_id: str, *, max_bytes: int) -> bytes:  # noqa: ARG002
        self.script.before("output")
        with self._lock:
            guest = self.guests.get(instance_uuid)
            if guest is None:
                raise GuestNotFound(instance_uuid=instance_uuid)
            return bytes(guest.console[-max_bytes:])

    # Host

    def start(self, on_event: Callable[[GuestEvent], None]) -> None:
        self.script.before("start")
        self._on_event = on_event

    def stop(self) -> None:
        self._on_event = None

    def node_name(self) -> str:
        return self._node

    def node_uuid(self, proposed: str) -> str:
        with self._lock:
            if self._node_uuid is None:
                self._node_uuid = proposed
            return self._node_uuid

    def inventory(self) -> HostInventory:
        self.script.before("inventory")
        return self._inventory

    def uptime(self) -> str | None:
        self.script.before("uptime")
        return " 10:00:00 up 1 day,  0:00,  0 users,  load average: 0.00, 0.00, 0.00"

    # Steps

    def _run(self, guest: FakeGuest) -> None:
        uuid = guest.spec.instance_uuid
        with self._lock:
            if self.guests.get(uuid) is not guest:  # destroyed while it was being started
                raise HostFailure(reason=f"the guest of instance {uuid} vanished")
            if guest.power is PowerState.RUNNING:
                return
            guest.power = PowerState.RUNNING
            guest.starts += 1
            guest.console += f"{guest.spec.hostname or uuid} boot {guest.starts}\n".encode()
        self._emit(uuid, GuestEventKind.STARTED)

    def _halt(self, instance_uuid: str) -> None:
        with self._lock:
            guest = self.guests.get(instance_uuid)
            if guest is None:
                raise GuestNotFound(instance_uuid=instance_uuid)
            was_on = guest.power is PowerState.RUNNING
            guest.power = PowerState.SHUTDOWN
        if was_on:
            self._emit(instance_uuid, GuestEventKind.STOPPED)

    def _emit(self, instance_uuid: str, kind: GuestEventKind) -> None:
        on_event = self._on_event
        if on_event is not None:
            on_event(GuestEvent(instance_uuid, kind, self._clock.now()))
