"""Objects as `kubectl get` wants them: a Table of cells, or metadata only."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import orjson

from devstack.cluster import objects
from devstack.cluster.kinds import Column, Kind
from devstack.cluster.objects import Object
from devstack.cluster.store import Record, text_at

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400


def age(stamp: str, now_s: float) -> str:
    """A span as kubectl prints it."""
    if not stamp:
        return "<unknown>"
    seconds = int(now_s - objects.seconds_of(stamp))
    if seconds < 2 * _MINUTE:
        return f"{max(0, seconds)}s"
    if seconds < 10 * _MINUTE:
        rest = f"{seconds % _MINUTE}s" if seconds % _MINUTE else ""
        return f"{seconds // _MINUTE}m{rest}"
    if seconds < 3 * _HOUR:
        return f"{seconds // _MINUTE}m"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR}h"
    return f"{seconds // _DAY}d"


def partial(kind: Kind, record: Record) -> Object:
    """PartialObjectMetadata."""
    del kind
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": record.load()["metadata"],
    }


def table(
    kind: Kind, records: Iterable[Record], meta: Object, now_s: float, include: str, *, columns: bool = True
) -> bytes:
    """A Table; `include` says how much of each object a row carries: Metadata, Object or None."""
    body = {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": meta,
        "columnDefinitions": _definitions(kind) if columns else None,
        "rows": [_row(kind, record, now_s, include) for record in records],
    }
    return orjson.dumps(body)


def _definitions(kind: Kind) -> list[Object]:
    name = {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": "Name of the object.",
        "priority": 0,
    }
    rest = [
        {
            "name": column.name,
            "type": "string" if column.type == "date" and not kind.custom else column.type,
            "format": "",
            "description": f"{column.name} of the {kind.kind}.",
            "priority": column.priority,
        }
        for column in kind.columns
    ]
    return [name, *rest]


def _row(kind: Kind, record: Record, now_s: float, include: str) -> Object:
    obj = record.load()
    cells: list[Any] = [record.key.name]
    cells += [_cell(obj, column, now_s, custom=kind.custom) for column in kind.columns]
    row: Object = {"cells": cells}
    if include == "Object":
        row["object"] = obj
    elif include != "None":
        row["object"] = {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": obj["metadata"],
        }
    return row


def _cell(obj: Object, column: Column, now_s: float, *, custom: bool) -> Any:
    if column.path.startswith("@"):
        name, _, argument = column.path[1:].partition(":")
        return _COMPUTED[name](obj, argument)
    text = text_at(obj, column.path)
    if column.type == "date":
        return age(text, now_s)
    if column.type == "integer":
        return int(text) if text else (None if custom else 0)
    return text if text or custom else "<none>"


def _containers(obj: Object) -> list[Object]:
    status = obj.get("status", {})
    sidecars = [each for each in status.get("initContainerStatuses") or () if each.get("started")]
    return [*sidecars, *(status.get("containerStatuses") or ())]


def _ready_containers(obj: Object, _: str) -> str:
    total = len(obj["spec"].get("containers") or ()) + sum(
        1 for each in obj["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always"
    )
    return f"{sum(1 for each in _containers(obj) if each.get('ready'))}/{total}"


def _pod_status(obj: Object, _: str) -> str:
    if objects.is_deleting(obj):
        return "Terminating"
    for each in _containers(obj):
        waiting = each.get("state", {}).get("waiting", {}).get("reason")
        if waiting:
            return str(waiting)
    status = obj.get("status", {})
    return str(
        status.get("reason")
        or {"Succeeded": "Completed"}.get(status.get("phase"), status.get("phase", "Unknown"))
    )


def _ready(obj: Object, _: str) -> str:
    entry = objects.condition(obj, "Ready")
    words = {"True": "Ready", "False": "NotReady"}.get((entry or {}).get("status", ""), "Unknown")
    return f"{words},SchedulingDisabled" if obj.get("spec", {}).get("unschedulable") else words


def _roles(obj: Object, _: str) -> str:
    prefix = "node-role.kubernetes.io/"
    roles = [
        name.removeprefix(prefix) for name in obj["metadata"].get("labels") or {} if name.startswith(prefix)
    ]
    return ",".join(sorted(roles)) or "<none>"


def _internal_ip(obj: Object, _: str) -> str:
    addresses = obj.get("status", {}).get("addresses") or ()
    return next((each["address"] for each in addresses if each["type"] == "InternalIP"), "<none>")


_SHORT_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def _access_modes(obj: Object, _: str) -> str:
    modes = obj.get("status", {}).get("accessModes") or obj.get("spec", {}).get("accessModes") or ()
    return ",".join(_SHORT_MODES.get(mode, mode) for mode in modes)


def _claim_status(obj: Object, _: str) -> str:
    return "Terminating" if objects.is_deleting(obj) else str(obj.get("status", {}).get("phase", ""))


def _claim_of_volume(obj: Object, _: str) -> str:
    claim = obj.get("spec", {}).get("claimRef") or {}
    return f"{claim['namespace']}/{claim['name']}" if claim else ""


def _event_object(obj: Object, _: str) -> str:
    involved = obj.get("involvedObject") or {}
    return f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}"


def _data_count(obj: Object, _: str) -> int:
    return len(obj.get("data") or ()) + len(obj.get("binaryData") or ())


def _guest_ip(obj: Object, _: str) -> str:
    interfaces = obj.get("status", {}).get("interfaces") or ()
    return next((each["ipAddress"] for each in interfaces if each.get("ipAddress")), "")


def _condition(obj: Object, kind: str) -> str:
    return str((objects.condition(obj, kind) or {}).get("status", ""))


_COMPUTED: Final[dict[str, Callable[[Object, str], Any]]] = {
    "ready_containers": _ready_containers,
    "pod_status": _pod_status,
    "restarts": lambda obj, _: sum(each.get("restartCount", 0) for each in _containers(obj)),
    "none": lambda _obj, _: "<none>",
    "ready": _ready,
    "roles": _roles,
    "internal_ip": _internal_ip,
    "access_modes": _access_modes,
    "claim_status": _claim_status,
    "claim_of_volume": _claim_of_volume,
    "event_object": _event_object,
    "data_count": _data_count,
    "guest_ip": _guest_ip,
    "condition": _condition,
}
