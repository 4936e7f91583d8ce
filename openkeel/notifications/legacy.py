"""Payloads of the unversioned format: plain dictionaries, as consumers have known them since long.

Contract: legacy_payload_keys_by_builder of notifications.json; spellings of times and of what is absent
as Nova 34 was seen to send them. What Nova puts in besides and nobody should see (whole request
contexts, key data, user data) is left out.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from openkeel import objects
from openkeel.domain.errors import Forbidden, Invalid, InvalidState, KeelError, NotFound
from openkeel.notifications.payloads.base import attribute
from openkeel.notifications.payloads.instance import AuditPeriod, StateUpdate, Told
from openkeel.objects.network_info import fixed_ips

_IMAGE: Final = "image_"


def server(told: Told, image_url: str) -> dict[str, Any]:
    """What every notification about a server says."""
    instance = told.instance
    flavor = attribute(instance, "flavor")

    def of(name: str) -> Any:
        return attribute(instance, name)

    return {
        # Owner and identity
        "tenant_id": of("project_id"),
        "user_id": of("user_id"),
        "instance_id": of("uuid"),
        "display_name": of("display_name"),
        "reservation_id": of("reservation_id"),
        "hostname": of("hostname"),
        # Flavor
        "instance_type": attribute(flavor, "name"),
        "instance_type_id": attribute(flavor, "id"),
        "instance_flavor_id": attribute(flavor, "flavorid"),
        "architecture": of("architecture"),
        # Capacity
        "memory_mb": attribute(flavor, "memory_mb"),
        "disk_gb": (attribute(flavor, "root_gb") or 0) + (attribute(flavor, "ephemeral_gb") or 0),
        "vcpus": attribute(flavor, "vcpus"),
        "root_gb": attribute(flavor, "root_gb"),
        "ephemeral_gb": attribute(flavor, "ephemeral_gb"),
        # Place
        "host": of("host"),
        "node": of("node"),
        "availability_zone": of("availability_zone"),
        "cell_name": of("cell_name") or "",
        # Times
        "created_at": _spoken(of("created_at")),
        "terminated_at": _iso(of("terminated_at")),
        "deleted_at": _iso(of("deleted_at")),
        "launched_at": _iso(of("launched_at")),
        # Image
        "image_ref_url": image_url,
        "os_type": of("os_type"),
        "kernel_id": of("kernel_id"),
        "ramdisk_id": of("ramdisk_id"),
        "image_meta": _image_meta(instance),
        # State
        "state": of("vm_state"),
        "state_description": of("task_state") or "",
        "progress": int(of("progress")) if of("progress") else "",
        # Access
        "access_ip_v4": _text(of("access_ip_v4")),
        "access_ip_v6": _text(of("access_ip_v6")),
        "metadata": dict(of("metadata") or {}),
    }


def addresses(instance: objects.Instance) -> list[dict[str, Any]]:
    """The fixed addresses of the server."""
    return list(_addresses(instance))


def _addresses(instance: objects.Instance) -> Iterator[dict[str, Any]]:
    for vif in attribute(attribute(instance, "info_cache"), "network_info") or ():
        label = (vif.get("network") or {}).get("label")
        for ip in fixed_ips(vif):
            yield {**ip, "label": label, "vif_mac": vif["address"]}


def states(update: StateUpdate) -> dict[str, Any]:
    """From where to where the server went."""
    return {
        "old_state": update.old_state,
        "state": update.state,
        "old_task_state": update.old_task_state,
        "new_task_state": update.new_task_state,
    }


def update_period(period: AuditPeriod) -> dict[str, Any]:
    """The period of an update, which is still going on."""
    return {
        "audit_period_beginning": _iso(period.audit_period_beginning),
        "audit_period_ending": _iso(period.audit_period_ending),
    }


def failure(error: BaseException) -> dict[str, Any]:
    """What went wrong. The text of an error that is not ours may say too much; its kind does not."""
    return {
        "exception": _represented(error),
        "message": str(error) if isinstance(error, KeelError) else type(error).__name__,
        "code": _code(error),
    }


def exception(error: BaseException, instance: objects.Instance | None) -> dict[str, Any]:
    """A method of a daemon that failed, and the server it worked on."""
    told = ("uuid", "host", "vm_state", "task_state")
    args = {"instance": {name: attribute(instance, name) for name in told}} if instance is not None else {}
    return {"exception": _represented(error), "args": args}


def request(spec: objects.RequestSpec) -> dict[str, Any]:
    """What the scheduler is asked."""
    return {
        "request_spec": {
            "num_instances": attribute(spec, "num_instances", 1),
            "instance_type": _columns(attribute(spec, "flavor"), ("projects",)),
            "image": _image(attribute(spec, "image")),
            "instance_properties": _wanted(spec),
        }
    }


def _wanted(spec: objects.RequestSpec) -> dict[str, Any]:
    flavor = attribute(spec, "flavor")
    return {
        "uuid": attribute(spec, "instance_uuid"),
        "project_id": attribute(spec, "project_id"),
        "user_id": attribute(spec, "user_id"),
        "availability_zone": attribute(spec, "availability_zone"),
        **{name: attribute(flavor, name) for name in ("vcpus", "memory_mb", "root_gb", "ephemeral_gb")},
        "numa_topology": _wire(attribute(spec, "numa_topology")),
        "pci_requests": _wire(attribute(spec, "pci_requests")),
    }


def _image(image: Any) -> dict[str, Any]:
    if image is None:
        return {}
    columns = _columns(image, ("properties",))
    return {**columns, "properties": _columns(attribute(image, "properties"), ())}


def _columns(item: Any, hidden: tuple[str, ...]) -> dict[str, Any]:
    """The fields of an object that are set, as plain values."""
    if item is None:
        return {}
    names = (name for name in item.fields if name not in hidden and item.obj_attr_is_set(name))
    return {name: _plain(getattr(item, name)) for name in names}


def _plain(value: Any) -> Any:
    return _iso(value) if isinstance(value, datetime) else value


def _wire(item: Any) -> Any:
    return None if item is None else item.obj_to_primitive()


def _image_meta(instance: objects.Instance) -> dict[str, Any]:
    kept: Mapping[str, Any] = attribute(instance, "system_metadata") or {}
    meta = {key.removeprefix(_IMAGE): value for key, value in kept.items() if key.startswith(_IMAGE)}
    return {"base_image_ref": attribute(instance, "image_ref"), **meta}


def _iso(moment: datetime | None) -> str:
    """Compat: a naive UTC time with microseconds, "" for never."""
    if moment is None:
        return ""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")


def _spoken(moment: datetime | None) -> str | None:
    return None if moment is None else str(moment)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _represented(error: BaseException) -> str:
    text = str(error) if isinstance(error, KeelError) else ""
    return f"{type(error).__name__}({text!r})"


def _code(error: BaseException) -> int:
    codes = ((NotFound, 404), (Forbidden, 403), (InvalidState, 409), (Invalid, 400))
    return next((code for kind, code in codes if isinstance(error, kind)), 500)
