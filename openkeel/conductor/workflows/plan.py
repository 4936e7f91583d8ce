"""What the boot workflows pass between their steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openkeel import objects

# What a server's owner may change while it has no cell (services.servers.ServerChanges).
_CHANGEABLE: Final = (
    "display_name",
    "display_description",
    "hostname",
    "access_ip_v4",
    "access_ip_v6",
    "auto_disk_config",
)


@dataclass(frozen=True, slots=True)
class Order:
    """One server that the API asked for: what its database rows and its message said."""

    instance_uuid: str
    build_request: objects.BuildRequest
    request_spec: objects.RequestSpec
    bdms: Sequence[objects.BlockDeviceMapping]
    tags: objects.TagList | None


@dataclass(frozen=True, slots=True)
class GuestInput:
    """What the user gave along that is kept in no database: it travels only in messages."""

    image: Mapping[str, Any]
    admin_password: str | None
    injected_files: Sequence[Any]
    requested_networks: Any


def orders(
    build_requests: Sequence[objects.BuildRequest],
    request_specs: Sequence[objects.RequestSpec],
    bdms: Sequence[objects.BlockDeviceMapping],
    tags: objects.TagList | None,
) -> list[Order]:
    """The parallel lists of the wire as one list.

    Contract: of disks there is one list for all servers of a boot, without uuids.
    """
    return [
        Order(spec.instance_uuid, build_request, spec, tuple(bdm.obj_clone() for bdm in bdms or ()), tags)
        for build_request, spec in zip(build_requests, request_specs, strict=True)
    ]


def adopt_changes(instance: objects.Instance, latest: objects.Instance) -> bool:
    """Take over what the owner changed in the build request. Returns: whether there was anything."""
    changes = {
        field: getattr(latest, field)
        for field in _CHANGEABLE
        if latest.obj_attr_is_set(field)
        and not (instance.obj_attr_is_set(field) and getattr(instance, field) == getattr(latest, field))
    }
    for field, value in changes.items():
        setattr(instance, field, value)
    return bool(changes)


def first_filter_properties(
    request_spec: objects.RequestSpec, selection: objects.Selection
) -> dict[str, Any]:
    """The dictionary that travels with a build from host to host.

    Contract: computes read `retry` (how often and where it was tried) and `limits` from it.
    """
    properties: dict[str, Any] = {
        "retry": {"num_attempts": 1, "hosts": []},
        "limits": limits_of(selection),
        "scheduler_hints": dict(request_spec.scheduler_hints or {})
        if request_spec.obj_attr_is_set("scheduler_hints")
        else {},
    }
    note_attempt(properties, selection)
    return properties


def note_attempt(properties: dict[str, Any], selection: objects.Selection) -> None:
    """Write down that the build goes to this host."""
    properties.setdefault("retry", {"num_attempts": 1, "hosts": []})["hosts"].append(
        [selection.service_host, selection.nodename]
    )
    properties["limits"] = limits_of(selection)


def limits_of(selection: objects.Selection) -> dict[str, Any]:
    """What the scheduler allowed on the host, as the compute wants it."""
    limits = selection.limits
    if limits is None:
        return {}
    names = {"vcpu": "vcpu", "memory_mb": "memory_mb", "disk_gb": "disk_gb", "numa_topology": "numa_topology"}
    return {
        key: getattr(limits, attribute)
        for attribute, key in names.items()
        if limits.obj_attr_is_set(attribute) and getattr(limits, attribute) is not None
    }
