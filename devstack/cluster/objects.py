"""Facts true of every Kubernetes object: keys, names, times, conditions, quantities."""

import math
import random
import re
import uuid
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

Object = dict[str, Any]

NAME_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_VALUE: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_QUANTITY: Final = re.compile(r"([+-]?[0-9.]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")
_SCALES: Final = {
    **{letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
    **{letter: Decimal(1000) ** power for power, letter in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    "m": Decimal("0.001"),
    "u": Decimal("0.000001"),
    "n": Decimal("0.000000001"),
}
LABEL_LENGTH: Final = 63
SUBDOMAIN_LENGTH: Final = 253


class Key(NamedTuple):
    """Where an object of a kind lives; namespace is empty for cluster scope."""

    namespace: str
    name: str


def key_of(obj: Object) -> Key:
    """An object's key."""
    meta = obj["metadata"]
    return Key(meta.get("namespace", ""), meta["name"])


def new_uid() -> str:
    """A uid for a new object."""
    return str(uuid.uuid4())


def generated(prefix: str) -> str:
    """A name for `generateName`."""
    return prefix + "".join(random.choices(NAME_LETTERS, k=5))  # noqa: S311  names, not secrets


def timestamp(seconds: float) -> str:
    """A moment as metadata carries it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(seconds: float) -> str:
    """A moment with microseconds, as logs carry it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds_of(stamp: str) -> float:
    """Seconds since the epoch of a timestamp."""
    return datetime.fromisoformat(stamp).timestamp()


def is_label(name: str) -> bool:
    """Whether a name is a DNS label."""
    return len(name) <= LABEL_LENGTH and _LABEL.fullmatch(name) is not None


def is_subdomain(name: str) -> bool:
    """Whether a name is a DNS subdomain."""
    return len(name) <= SUBDOMAIN_LENGTH and _SUBDOMAIN.fullmatch(name) is not None


def is_label_value(value: str) -> bool:
    """Whether a text can be the value of a label."""
    return len(value) <= LABEL_LENGTH and _LABEL_VALUE.fullmatch(value) is not None


def quantity(value: Any) -> Decimal:
    """A resource amount in its base unit; zero for what is no quantity."""
    match = _QUANTITY.fullmatch(str(value))
    if match is None:
        return Decimal(0)
    number, suffix = match[1], match[2] or ""
    try:
        if suffix[:1] in {"e", "E"} and len(suffix) > 1 and suffix not in _SCALES:
            return Decimal(number + suffix)
        return Decimal(number) * _SCALES.get(suffix, Decimal(1))
    except InvalidOperation:
        return Decimal(0)


def bytes_of(value: Any) -> int:
    """A quantity in whole bytes."""
    return math.ceil(quantity(value))


def millicores(value: Any) -> int:
    """A quantity of cpu in thousandths."""
    return math.ceil(quantity(value) * 1000)


def condition(obj: Object, kind: str) -> Object | None:
    """The condition of that type in the object's status."""
    for entry in obj.get("status", {}).get("conditions") or ():
        if entry["type"] == kind:
            return dict(entry)
    return None


def is_true(obj: Object, kind: str) -> bool:
    """Whether the condition of that type is there and True."""
    entry = condition(obj, kind)
    return entry is not None and entry["status"] == "True"


def set_condition(obj: Object, kind: str, value: bool, now: str, reason: str = "", message: str = "") -> None:
    """Put a condition into the status; the transition time moves only when the value does."""
    conditions: list[Object] = obj.setdefault("status", {}).setdefault("conditions", [])
    status = "True" if value else "False"
    for entry in conditions:
        if entry["type"] == kind:
            if entry["status"] != status:
                entry["lastTransitionTime"] = now
            entry["status"] = status
            _say(entry, reason, message)
            return
    beats = obj.get("kind") in {"DataVolume", "Node"}
    looked = {"lastHeartbeatTime": now} if beats else {"lastProbeTime": None}
    entry = {"type": kind, "status": status, **looked, "lastTransitionTime": now}
    _say(entry, reason, message)
    conditions.append(entry)


def drop_condition(obj: Object, kind: str) -> None:
    """Take a condition out of the status."""
    conditions: list[Object] = obj.get("status", {}).get("conditions") or []
    conditions[:] = [entry for entry in conditions if entry["type"] != kind]


def _say(entry: Object, reason: str, message: str) -> None:
    for name, text in (("reason", reason), ("message", message)):
        if text:
            entry[name] = text
        else:
            entry.pop(name, None)


def owner_reference(owner: Object, *, controller: bool = True, block: bool = True) -> Object:
    """The reference that a dependent carries to its owner."""
    meta = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": controller,
        "blockOwnerDeletion": block,
    }


def is_owned_by(obj: Object, owner: Object) -> bool:
    """Whether one object names the other as its owner."""
    uid = owner["metadata"]["uid"]
    return any(reference["uid"] == uid for reference in obj["metadata"].get("ownerReferences") or ())


def is_deleting(obj: Object) -> bool:
    """Whether a deletion was asked for and waits."""
    return "deletionTimestamp" in obj["metadata"]
