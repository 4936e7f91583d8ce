"""Objects and contexts on the wire.

An object too new for us is sent to a conductor, which must be at least as new as the sender, and
comes back as the version we know (contract: wire.version_of_backported_object).
"""

from collections.abc import Callable, Mapping
from typing import Any

import oslo_messaging
from oslo_versionedobjects import exception as ovo_exception

from openkeel import objects
from openkeel.common.context import Context
from openkeel.objects.base import NovaObject, VersionedObjectRegistry, version_manifest

# (context, primitive, versions we know) -> the object in a version we know
Backport = Callable[[Any, dict[str, Any], Mapping[str, str]], Any]

_NAME = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.name"
_VERSION = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.version"


class WireSerializer(oslo_messaging.Serializer):
    """For RPC clients and servers. `backport` is None where there is nobody to ask: in conductors."""

    def __init__(self, backport: Backport | None = None) -> None:
        objects.register_all()
        self._backport = backport

    def serialize_context(self, ctxt: Context) -> dict[str, Any]:
        return ctxt.to_dict()

    def deserialize_context(self, ctxt: Mapping[str, Any]) -> Context:
        return Context.from_dict(ctxt)

    def serialize_entity(self, ctxt: Any, entity: Any) -> Any:
        if isinstance(entity, NovaObject):
            return entity.obj_to_primitive()
        if isinstance(entity, dict):
            return {key: self.serialize_entity(ctxt, value) for key, value in entity.items()}
        if isinstance(entity, list | tuple | set | frozenset):
            # Compat: sets cannot be told from lists by the peer; they are sent as lists.
            return [self.serialize_entity(ctxt, value) for value in entity]
        return entity

    def deserialize_entity(self, ctxt: Any, entity: Any) -> Any:
        if isinstance(entity, dict):
            if _NAME in entity:
                return self._object(ctxt, entity)
            return {key: self.deserialize_entity(ctxt, value) for key, value in entity.items()}
        if isinstance(entity, list | tuple):
            return [self.deserialize_entity(ctxt, value) for value in entity]
        return entity

    def _object(self, ctxt: Any, primitive: dict[str, Any]) -> Any:
        try:
            return NovaObject.obj_from_primitive(primitive, context=ctxt)
        except ovo_exception.IncompatibleObjectVersion:
            # It may be an object inside of it that is too new: the manifest covers the whole tree.
            version = str(primitive[_VERSION])
            if version.count(".") == 2:  # noqa: PLR2004 - x.y.z: a stable branch's addition, safe to ignore
                return self._object(ctxt, {**primitive, _VERSION: version.rpartition(".")[0]})
            name = primitive[_NAME]
            if self._backport is None or name not in VersionedObjectRegistry.obj_classes():
                raise
            return self._backport(ctxt, primitive, version_manifest(name))
