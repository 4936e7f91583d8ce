"""What a hypervisor must offer: small protocols named with the capability words.

`compute/` calls them with typed, complete values; a driver gets no context, no versioned object and
no session, and never calls OpenStack or a database. Every call is idempotent, has a deadline of the
driver's own options, and raises only the errors at the end of this module. A capability that a
driver does not have is None in `Driver`, and is published as such in Placement traits.

Identity: one driver instance serves one host = one hypervisor node. Guests are known by the server's
uuid alone; how a driver names its objects is its own affair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from openkeel.domain.errors import KeelError
from openkeel.domain.states import PowerState

# What a guest is made of


@dataclass(frozen=True, slots=True)
class ImageSpec:
    """The boot image. `properties` are Glance's image properties (hw_*, os_*), untrusted text."""

    id: str
    disk_format: str
    container_format: str
    size_bytes: int | None
    min_disk_gib: int
    virtual_size_bytes: int | None = None
    checksum: str | None = None  # as algorithm:hex
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiskSpec:
    """A local disk (volumes join with the volumes capability).

    `kind` is root, ephemeral or swap; `index` counts within the kind; size 0 for root means the
    image's own size. Exactly the root disk of an image-backed server has an image.
    """

    kind: str
    index: int
    size_mib: int
    bus: str = "virtio"
    image: ImageSpec | None = None
    boot_index: int | None = None


@dataclass(frozen=True, slots=True)
class NicSpec:
    """A port bound to this host. `vif_type` and `details` are what Neutron's binding answered."""

    port_id: str
    mac_address: str
    network_id: str
    bridge: str
    vif_type: str
    vnic_type: str = "normal"
    mtu: int | None = None
    model: str = "virtio"
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GuestSpec:
    """Everything a driver needs to make the guest, whole and explicit."""

    instance_uuid: str
    name: str  # the hypervisor's name for it, e.g. instance-0000002a
    display_name: str
    project_id: str
    user_id: str
    vcpus: int
    memory_mib: int
    disks: tuple[DiskSpec, ...]
    nics: tuple[NicSpec, ...]
    hostname: str = ""
    user_data: str | None = None  # base64, as the user gave it
    config_drive: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    ssh_public_key: str | None = None
    admin_password: str | None = None
    injected_files: tuple[tuple[str, str], ...] = ()  # (path, base64)
    firmware: str = "bios"
    machine_type: str | None = None
    flavor_extra_specs: Mapping[str, str] = field(default_factory=dict)


# What a driver answers


@dataclass(frozen=True, slots=True)
class GuestStatus:
    """How a guest is. `reason` is for the operator's log."""

    power: PowerState
    phase: str = ""
    node: str | None = None
    ips: tuple[str, ...] = ()
    reason: str = ""


class GuestEventKind(StrEnum):
    """What a watch can tell about a guest."""

    STARTED = "started"
    STOPPED = "stopped"
    PAUSED = "paused"
    RESUMED = "resumed"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True)
class GuestEvent:
    """A guest changed by itself or by us; a hint to look, never a fact to trust."""

    instance_uuid: str
    kind: GuestEventKind
    at: datetime


@dataclass(frozen=True, slots=True)
class HostInventory:
    """What the node has in all. Reserved amounts are the platform's own need, seen by the driver."""

    vcpus: int
    memory_mib: int
    disk_gib: int
    hypervisor_type: str  # e.g. KubeVirt
    hypervisor_version: int  # 1.9.0 -> 1009000
    architecture: str  # x86_64
    cpu_info: Mapping[str, object] = field(default_factory=dict)
    memory_mib_reserved: int = 0
    vcpus_reserved: int = 0
    host_ip: str | None = None
    traits: frozenset[str] = frozenset()  # what the node is able to do, e.g. HW_CPU_X86_AVX2


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the driver is able to do beyond the protocols present; mapped to COMPUTE_* traits."""

    image_formats: frozenset[str] = frozenset({"raw", "qcow2"})
    attach_interface: bool = False
    device_tagging: bool = False
    multiattach: bool = False
    extend_volume: bool = False
    trusted_certs: bool = False
    evacuate: bool = False


# The protocols


class Lifecycle(Protocol):
    """Make, find and remove guests."""

    def spawn(self, spec: GuestSpec, *, start: bool = True) -> None:
        """Make the guest and wait until it runs (or exists, with start=False).

        Called again after a crash it goes on where it was: one guest per uuid whatever happens.
        What a failed spawn leaves behind is removed by `destroy`.

        Raises: GuestRejected, HostFailure, GuestTimeout.
        """

    def destroy(self, instance_uuid: str, project_id: str, *, destroy_disks: bool = True) -> None:
        """Remove the guest and all that belongs to it; fine when there is none. Waits until gone.

        May be called while another thread spawns the same guest (the server is deleted during its
        build): that spawn then fails soon instead of waiting to its deadline.
        """

    def observe(self, instance_uuid: str, project_id: str) -> GuestStatus | None:
        """How the guest is, None when there is none on this host. Cheap: from the watch's cache."""

    def list(self) -> Sequence[str]:
        """Uuids of the guests on this host."""


class Power(Protocol):
    """Turn guests on and off."""

    def power_on(self, spec: GuestSpec) -> None:
        """Start the guest from the present spec and wait until it runs; fine when it runs."""

    def power_off(self, instance_uuid: str, project_id: str, *, grace_s: int) -> None:
        """Stop the guest: grace_s seconds for the guest's own shutdown, then hard. Fine when off."""

    def reboot_soft(self, instance_uuid: str, project_id: str) -> bool:
        """Ask the guest to reboot. False when it cannot be asked: then reboot it hard."""

    def reboot_hard(self, spec: GuestSpec) -> None:
        """Off and on again from the present spec, whatever state the guest is in."""


class Console(Protocol):
    """What the guest shows."""

    def output(self, instance_uuid: str, project_id: str, *, max_bytes: int) -> bytes:
        """The tail of the serial console's log.

        Raises: GuestNotFound when the guest never wrote to a console we can read.
        """


class Host(Protocol):
    """The node itself."""

    def start(self, on_event: Callable[[GuestEvent], None]) -> None:
        """Check that the platform is usable and begin to watch. Raises HostFailure with what is amiss."""

    def stop(self) -> None:
        """Stop watching. Guests stay as they are."""

    def node_name(self) -> str:
        """The hypervisor's hostname; one per driver."""

    def node_uuid(self, proposed: str) -> str:
        """The compute node's uuid as recorded at the node; records `proposed` when there is none."""

    def inventory(self) -> HostInventory:
        """What the node has, fresh."""

    def uptime(self) -> str | None:
        """One line like that of the uptime command, None where it cannot be known."""


class Images(Protocol):
    """Images that are kept for the guests to come."""

    def cache(self, image: ImageSpec) -> bool:
        """Fetch an image, and wait until it is there. False when it was before.

        Raises: GuestRejected for an image that cannot be used, HostFailure, GuestTimeout.
        """


@dataclass(frozen=True)
class Driver:
    """A hypervisor as the sum of its capabilities; optional ones are None."""

    lifecycle: Lifecycle
    power: Power
    console: Console
    host: Host
    capabilities: Capabilities = Capabilities()
    images: Images | None = None


# What can go wrong


class DriverError(KeelError):
    """Base of all a driver raises."""

    template = "The hypervisor failed: {reason}"


class GuestNotFound(DriverError):
    template = "There is no guest for instance {instance_uuid}."


class GuestRejected(DriverError):
    """The platform refuses this spec; no other host will take it either. Build: abort."""

    template = "The guest was refused: {reason}"


class HostFailure(DriverError):
    """This host or the platform failed; another host may do. Build: reschedule."""

    template = "The host failed: {reason}"


class GuestTimeout(DriverError):
    """The platform did not get there in time. Build: reschedule."""

    template = "Gave up after {seconds} s waiting for {what}."
