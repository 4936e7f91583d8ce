"""What hangs on a server, as its row of `instance_extra` keeps it.

Contract: each column holds the wire envelope of an object in JSON, except `flavor` (three of them by
the names cur, old, new) and `pci_requests` (a plain list).
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores.plan import dump_object, load_object, revive

EXTRA: Final = table_of(rows.InstanceExtra)

# Field of the server -> column. All three flavors share one.
COLUMNS: Final[Mapping[str, str]] = {
    "device_metadata": "device_metadata",
    "flavor": "flavor",
    "keypairs": "keypairs",
    "migration_context": "migration_context",
    "new_flavor": "flavor",
    "numa_topology": "numa_topology",
    "old_flavor": "flavor",
    "pci_requests": "pci_requests",
    "resources": "resources",
    "trusted_certs": "trusted_certs",
    "vcpu_model": "vcpu_model",
}
_FLAVORS: Final[Mapping[str, str]] = {"flavor": "cur", "old_flavor": "old", "new_flavor": "new"}
_PCI_REQUEST_FIELDS: Final = (
    "alias_name",
    "count",
    "is_new",
    "numa_policy",
    "request_id",
    "requester_id",
    "spec",
)


def columns_of(fields: Iterable[str]) -> list[str]:
    """The columns that keep these fields."""
    return sorted({COLUMNS[field] for field in fields if field in COLUMNS})


def set_parts(instance: Any, fields: Collection[str], values: Mapping[str, str | None]) -> None:
    """Set the asked fields from column values."""
    flavor = values.get("flavor")
    for field in fields:
        if field in _FLAVORS and flavor:
            for name, flavor_object in _load_flavors(flavor).items():
                setattr(instance, name, flavor_object)
        elif field in COLUMNS and field not in _FLAVORS:
            setattr(instance, field, load_part(field, values[COLUMNS[field]], instance.uuid))


def load_part(field: str, text: str | None, instance_uuid: str) -> Any:
    """The object that a column keeps."""
    if field == "pci_requests":
        return _load_pci_requests(text, instance_uuid)
    if field == "keypairs" and not text:
        return objects.KeyPairList(objects=[])
    part = load_object(text)
    if isinstance(part, objects.InstanceNUMATopology):
        part.instance_uuid = instance_uuid
        part.obj_reset_changes(["instance_uuid"])
    return part


def dump_parts(
    instance: Any, fields: Iterable[str], *, stored_flavors: str | None = None
) -> dict[str, str | None]:
    """Column values of `fields`; flavors that are not loaded stay as they are stored."""
    columns = {COLUMNS[field] for field in fields if field in COLUMNS}
    values: dict[str, str | None] = {}
    for column in columns - {"flavor", "pci_requests"}:
        values[column] = dump_object(getattr(instance, column))
    if "pci_requests" in columns:
        values["pci_requests"] = _dump_pci_requests(instance.pci_requests)
    if "flavor" in columns:
        values["flavor"] = _dump_flavors(instance, stored_flavors)
    return values


def _load_flavors(text: str) -> dict[str, Any]:
    kept = json.loads(text)
    return {
        field: revive(kept[name]) if kept.get(name) else None
        for field, name in _FLAVORS.items()
        if kept.get(name) or field != "flavor"
    }


def _dump_flavors(instance: Any, stored: str | None) -> str:
    kept: dict[str, Any] = dict.fromkeys(_FLAVORS.values())
    if stored:
        kept |= json.loads(stored)
    for field, name in _FLAVORS.items():
        if instance.obj_attr_is_set(field):
            flavor = getattr(instance, field)
            kept[name] = flavor.obj_to_primitive() if flavor else None
    return json.dumps(kept)


def _load_pci_requests(text: str | None, instance_uuid: str) -> Any:
    requests = [
        objects.InstancePCIRequest(**{name: request[name] for name in _PCI_REQUEST_FIELDS if name in request})
        for request in json.loads(text or "[]")
    ]
    found = objects.InstancePCIRequests(instance_uuid=instance_uuid, requests=requests)
    found.obj_reset_changes(recursive=True)
    return found


def _dump_pci_requests(value: Any) -> str | None:
    if value is None:
        return None
    return json.dumps(
        [
            {
                name: getattr(request, name) if request.obj_attr_is_set(name) else None
                for name in _PCI_REQUEST_FIELDS
            }
            for request in value.requests
        ]
    )
