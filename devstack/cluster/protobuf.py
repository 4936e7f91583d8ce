"""Bodies in Kubernetes' protobuf: kubectl's typed commands (create namespace, auth can-i) send nothing else.

Only what those commands send is described here; answers are JSON, which every client takes.
"""

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from devstack.cluster import objects
from devstack.cluster.errors import ApiError
from devstack.cluster.objects import Object

MAGIC: Final = b"k8s\0"
_VARINT: Final = 0
_FIXED64: Final = 1
_LENGTH: Final = 2
_FIXED32: Final = 5

Read = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message: its JSON name and how its value is read."""

    name: str
    read: Read
    repeated: bool = False
    is_map: bool = False


Message = Mapping[int, Field]


def _text(value: bytes) -> str:
    return value.decode()


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _message(fields: Message) -> Read:
    return lambda value: decode(value, fields)


def _time(value: bytes) -> str | None:
    seconds = dict(_items(value)).get(1, 0)
    return objects.timestamp(seconds) if seconds > 0 else None


def _map(name: str, read: Read) -> Field:
    return Field(name, read, is_map=True)


def _texts(*names: str, start: int = 1) -> dict[int, Field]:
    """Text fields numbered one after the other."""
    return {number: Field(name, _text) for number, name in enumerate(names, start)}


META: Final[Message] = {
    **_texts("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"),
    7: Field("generation", int),
    8: Field("creationTimestamp", _time),
    11: _map("labels", _text),
    12: _map("annotations", _text),
    14: Field("finalizers", _text, repeated=True),
}
_RESOURCE: Final = _texts("namespace", "verb", "group", "version", "resource", "subresource", "name")
_REVIEW_SPEC: Final[Message] = {
    1: Field("resourceAttributes", _message(_RESOURCE)),
    2: Field("nonResourceAttributes", _message(_texts("path", "verb"))),
}
_HEAD: Final = Field("metadata", _message(META))
KINDS: Final[Mapping[str, Message]] = {
    "Namespace": {1: _HEAD},
    "Secret": {
        1: _HEAD,
        2: _map("data", _base64),
        3: Field("type", _text),
        4: _map("stringData", _text),
        5: Field("immutable", bool),
    },
    "ConfigMap": {
        1: _HEAD,
        2: _map("data", _text),
        3: _map("binaryData", _base64),
        4: Field("immutable", bool),
    },
    "SelfSubjectAccessReview": {1: _HEAD, 2: Field("spec", _message(_REVIEW_SPEC))},
    "DeleteOptions": {
        1: Field("gracePeriodSeconds", int),
        2: Field("preconditions", _message(_texts("uid", "resourceVersion"))),
        3: Field("orphanDependents", bool),
        4: Field("propagationPolicy", _text),
        5: Field("dryRun", _text, repeated=True),
    },
}
_TYPE: Final[Message] = _texts("apiVersion", "kind")
_UNKNOWN: Final[Message] = {1: Field("type", _message(_TYPE)), 2: Field("raw", bytes)}


def parse(raw: bytes) -> Object:
    """Read a body that begins with MAGIC.

    Raises: ApiError 415 for a kind that is not described here, 400 for what is no protobuf.
    """
    try:
        envelope = decode(raw.removeprefix(MAGIC), _UNKNOWN)
        types = envelope.get("type", {})
        fields = KINDS.get(types.get("kind", ""))
        if fields is None:
            kind = types.get("kind", "objects")
            raise ApiError(
                415, f"protobuf is not served for {kind} - accepted media types include: application/json"
            )
        return {**types, **decode(envelope.get("raw", b""), fields)}
    except (IndexError, UnicodeDecodeError, ValueError) as error:
        raise ApiError(400, f"the body is no protobuf of the kind it names: {error}") from error


def decode(raw: bytes, fields: Message) -> Object:
    """The known fields of one message."""
    found: Object = {}
    for number, value in _items(raw):
        field = fields.get(number)
        if field is None:
            continue
        if field.is_map:
            pair = dict(_items(value))
            found.setdefault(field.name, {})[pair.get(1, b"").decode()] = field.read(pair.get(2, b""))
        elif field.repeated:
            found.setdefault(field.name, []).append(field.read(value))
        else:
            read = field.read(value)
            if read is not None and read != "":
                found[field.name] = read
    return found


def _items(raw: bytes) -> Iterator[tuple[int, Any]]:
    """Field numbers and raw values of a message."""
    place = 0
    while place < len(raw):
        tag, place = _varint(raw, place)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, place = _varint(raw, place)
            yield number, value
        elif wire == _LENGTH:
            length, place = _varint(raw, place)
            if place + length > len(raw):
                raise ValueError("it ends too early")
            yield number, raw[place : place + length]
            place += length
        elif wire in {_FIXED64, _FIXED32}:
            place += 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(f"unknown wire type {wire}")


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  the top bit says that more follows
            return value, place
        shift += 7
