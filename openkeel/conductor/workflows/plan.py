"""What the boot workflows pass between their steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openkeel import objects


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
    bdm_lists: Sequence[Sequence[objects.BlockDeviceMapping]],
    tags: objects.TagList | None,
) -> list[Order]:
    """The parallel lists of the wire as one list."""
    return [
        Order(spec.instance_uuid, build_request, spec, tuple(bdms or ()), tags)
        for build_request, spec, bdms in zip(build_requests, request_specs, bdm_lists, strict=True)
    ]


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
