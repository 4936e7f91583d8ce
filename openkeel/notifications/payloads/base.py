"""What all payloads share: fields as the contract has them, each read from the object it tells of.

A payload is a versioned object that only travels outwards. It says field by field where a value comes
from; without a word the attribute of the same name is read:

    class KeypairPayload(Payload):
        fields = {"name": ..., "user_id": ...}       # keypair.name, keypair.user_id
        sources = {"user_id": "owner.id"}              # or: keypair.owner.id
                                                     # or a function of the keypair

`KeypairPayload.of(keypair)` makes one. What nobody loaded, or the source does not have, is None where
the contract allows it and left out where it does not; nothing is ever fetched.

Payloads have a registry of their own (`PAYLOADS`): they are no objects of the wire between daemons.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Self, TypeVar

from openkeel.objects.base import NovaObject, VersionedObjectRegistry

_ABSENT: Final = object()

Reader = str | Callable[[Any], Any]


def absent(_source: object) -> Any:
    """A reader for a field that the contract has and nobody fills."""
    return _ABSENT


class Payload(NovaObject):
    """Base of every payload."""

    sources: ClassVar[Mapping[str, Reader]] = {}

    @classmethod
    def of(cls, source: object, **given: Any) -> Self:
        """The payload that tells of `source`; `given` are values by field that it does not know."""
        payload = cls()
        readers = cls._readers()
        for name, field in cls.fields.items():
            value = given[name] if name in given else _read(source, readers.get(name, name))
            if value is not _ABSENT:
                setattr(payload, name, value)
            elif field.nullable and readers.get(name) is not absent:
                setattr(payload, name, None)
        return payload

    @classmethod
    def _readers(cls) -> Mapping[str, Reader]:
        merged: dict[str, Reader] = {}
        for parent in reversed(cls.__mro__):
            merged.update(parent.__dict__.get("sources", {}))
        return merged

    def to_wire(self) -> dict[str, Any]:
        """The primitive form. Contract: payload_form, without what changed."""
        self.obj_reset_changes(recursive=True)
        wire: dict[str, Any] = self.obj_to_primitive()
        return wire


_P = TypeVar("_P", bound=Payload)

PAYLOADS: Final[dict[str, type[Payload]]] = {}


def payload(cls: type[_P]) -> type[_P]:
    """Make the fields of a payload work and put its class into `PAYLOADS`."""
    made: type[_P] = VersionedObjectRegistry.register_if(False)(cls)
    PAYLOADS[made.__name__] = made
    return made


def nested(kind: type[Payload], path: str) -> Reader:
    """A reader of a payload inside a payload; None where there is nothing to tell of."""

    def read(source: object) -> Any:
        value = _read(source, path)
        return value if value is None or value is _ABSENT else kind.of(value)

    return read


def _read(source: object, reader: Reader) -> Any:
    if callable(reader):
        return reader(source)
    value: Any = source
    for name in reader.split("."):
        if value is None:
            return _ABSENT
        value = attribute(value, name, _ABSENT)
        if value is _ABSENT:
            return _ABSENT
    return value


def attribute(source: object, name: str, default: Any = None) -> Any:
    """The attribute of an object, or the default where it has none or nobody loaded it."""
    if isinstance(source, NovaObject) and name in source.fields and not source.obj_attr_is_set(name):
        return default
    return getattr(source, name, default)
