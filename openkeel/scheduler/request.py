"""What is asked of the scheduler, as one frozen value.

Made once per call from the RequestSpec that travelled; nothing behind this module sees a wire object
or asks whether a field was loaded.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from openkeel.clients.placement.types import ResourceGroup

MIB_PER_GIB: Final = 1024
SAME_HOST: Final = "same_host"
DIFFERENT_HOST: Final = "different_host"


@dataclass(frozen=True, slots=True)
class ServerGroup:
    """The server group of the request. `members` are uuids, those asked for among them or not."""

    uuid: str
    policy: str
    members: frozenset[str] = frozenset()
    max_server_per_host: int = 1
    hosts: frozenset[str] = frozenset()  # where members are

    def with_member(self, instance_uuid: str, host: str) -> Self:
        """The group after one more member went to a host."""
        return replace(self, members=self.members | {instance_uuid}, hosts=self.hosts | {host})


@dataclass(frozen=True, slots=True)
class Target:
    """Where the request wants to go. Sets of aggregates: in one of each set, in none forbidden."""

    host: str | None = None
    node: str | None = None
    cell_uuid: str | None = None
    may_cross_cells: bool = False
    aggregates: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Request:
    """One boot or move of `count` equal servers."""

    project_id: str
    user_id: str
    instance_uuid: str | None
    vcpus: int
    memory_mib: int
    disk_gib: int
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    image_id: str | None = None
    image_disk_format: str | None = None
    image_properties: Mapping[str, Any] = field(default_factory=dict)
    is_volume_backed: bool = False
    availability_zone: str | None = None
    force_hosts: tuple[str, ...] = ()
    force_nodes: tuple[str, ...] = ()
    ignore_hosts: frozenset[str] = frozenset()
    tried: frozenset[tuple[str, str]] = frozenset()  # (host, node) of earlier attempts
    target: Target = field(default_factory=Target)
    group: ServerGroup | None = None
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    resource_groups: tuple[ResourceGroup, ...] = ()  # of ports and devices, with their suffixes
    root_required: frozenset[str] = frozenset()
    root_forbidden: frozenset[str] = frozenset()
    same_subtree: tuple[frozenset[str], ...] = ()
    pci_devices: int = 0

    @property
    def is_forced(self) -> bool:
        """Whether an administrator named the host: then no filter is asked."""
        return bool(self.force_hosts or self.force_nodes)

    @property
    def named_servers(self) -> frozenset[str]:
        """Uuids of other servers that the hints name."""
        return frozenset(self.hints.get(SAME_HOST, ())) | frozenset(self.hints.get(DIFFERENT_HOST, ()))

    @property
    def required_traits(self) -> frozenset[str]:
        """Traits that flavor and image require of the host."""
        flavor = {
            key.partition(":")[2]
            for key, value in self.extra_specs.items()
            if key.startswith("trait:") and value == "required"
        }
        return frozenset(flavor) | frozenset(self.image_properties.get("traits_required") or ())

    @classmethod
    def of_flavor(cls, flavor: Any, *, is_volume_backed: bool = False, **more: Any) -> Self:
        """What a server of a flavor takes; `more` are further fields, nobody's by default."""
        owner: dict[str, Any] = {"project_id": "", "user_id": "", "instance_uuid": None}
        return cls(
            vcpus=flavor.vcpus,
            memory_mib=flavor.memory_mb,
            disk_gib=_disk_gib(flavor, is_volume_backed=is_volume_backed),
            extra_specs=dict(_read(flavor, "extra_specs") or {}),
            is_volume_backed=is_volume_backed,
            **{**owner, **more},
        )

    @classmethod
    def from_spec(cls, spec: Any) -> Self:
        """Read a RequestSpec; what is not loaded has its natural default."""
        is_volume_backed = bool(_read(spec, "is_bfv", False))
        image = _read(spec, "image")
        level = _read(spec, "request_level_params")
        return cls.of_flavor(
            spec.flavor,
            is_volume_backed=is_volume_backed,
            project_id=_read(spec, "project_id") or "",
            user_id=_read(spec, "user_id") or "",
            instance_uuid=_read(spec, "instance_uuid"),
            image_id=None if image is None else _read(image, "id"),
            image_disk_format=None if image is None else _read(image, "disk_format"),
            image_properties=_image_properties(image),
            availability_zone=_read(spec, "availability_zone"),
            force_hosts=tuple(_read(spec, "force_hosts") or ()),
            force_nodes=tuple(_read(spec, "force_nodes") or ()),
            ignore_hosts=frozenset(_read(spec, "ignore_hosts") or ()),
            tried=_tried(_read(spec, "retry")),
            target=_target(_read(spec, "requested_destination")),
            group=_group(_read(spec, "instance_group")),
            hints={key: tuple(values) for key, values in (_read(spec, "scheduler_hints") or {}).items()},
            resource_groups=tuple(_resource_group(one) for one in _read(spec, "requested_resources") or ()),
            root_required=frozenset(_read(level, "root_required") or ()),
            root_forbidden=frozenset(_read(level, "root_forbidden") or ()),
            same_subtree=tuple(frozenset(one) for one in _read(level, "same_subtree") or ()),
            pci_devices=sum(one.count for one in _read(_read(spec, "pci_requests"), "requests") or ()),
        )


def _read(source: Any, name: str, default: Any = None) -> Any:
    """A field of a wire object; the default when object or field are not there."""
    if source is None or not source.obj_attr_is_set(name):
        return default
    return getattr(source, name)


def _disk_gib(flavor: Any, *, is_volume_backed: bool) -> int:
    """Local disk: root unless it is a volume, ephemeral, swap rounded up."""
    root = 0 if is_volume_backed else flavor.root_gb
    return int(root + (_read(flavor, "ephemeral_gb") or 0)) + math.ceil(
        (_read(flavor, "swap") or 0) / MIB_PER_GIB
    )


def _image_properties(image: Any) -> dict[str, Any]:
    properties = _read(image, "properties")
    if properties is None:
        return {}
    return {name: getattr(properties, name) for name in properties.fields if properties.obj_attr_is_set(name)}


def _tried(retry: Any) -> frozenset[tuple[str, str]]:
    return frozenset(
        (_read(node, "host") or "", _read(node, "hypervisor_hostname") or "")
        for node in _read(retry, "hosts") or ()
    )


def _target(destination: Any) -> Target:
    return Target(
        host=_read(destination, "host"),
        node=_read(destination, "node"),
        cell_uuid=_read(_read(destination, "cell"), "uuid"),
        may_cross_cells=bool(_read(destination, "allow_cross_cell_move", False)),
        aggregates=tuple(frozenset(one.split(",")) for one in _read(destination, "aggregates") or ()),
        forbidden_aggregates=frozenset(_read(destination, "forbidden_aggregates") or ()),
    )


def _group(group: Any) -> ServerGroup | None:
    if group is None:
        return None
    policy = _read(group, "policy") or next(iter(_read(group, "policies") or ()), None)
    if policy is None:
        return None
    rules: Mapping[str, str] = _read(group, "_rules") or {}
    return ServerGroup(
        uuid=_read(group, "uuid") or "",
        policy=policy,
        members=frozenset(_read(group, "members") or ()),
        max_server_per_host=int(rules.get("max_server_per_host", 1)),
        hosts=frozenset(_read(group, "hosts") or ()),
    )


def _resource_group(group: Any) -> ResourceGroup:
    return ResourceGroup(
        suffix=_read(group, "requester_id") or "",
        resources=dict(_read(group, "resources") or {}),
        required=frozenset(_read(group, "required_traits") or ()),
        forbidden=frozenset(_read(group, "forbidden_traits") or ()),
        member_of=tuple(frozenset(one) for one in _read(group, "aggregates") or ()),
        forbidden_aggregates=frozenset(_read(group, "forbidden_aggregates") or ()),
        in_tree=_read(group, "in_tree"),
    )
