"""Objects and contexts on the wire.

An object too new for us is sent to a conductor, which must be at least as new as the sender, and
comes back as the version we know (contract: wire.version_of_backported_object).

What cannot be read is refused with the name of the object and of the field, never with its value.
"""

from collections.abc import Callable, Mapping
from typing import Any

import oslo_messaging
from oslo_versionedobjects.exception import IncompatibleObjectVersion

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain.errors import KeelError
from openkeel.objects.base import NovaObject, version_manifest
from openkeel.rpc.unreadable import NAME, VERSION, readable, title, too_new

# (context, primitive, versions we know) -> the object in a version we know
Backport = Callable[[Any, dict[str, Any], Mapping[str, str]], Any]


class WireSerializer(oslo_messaging.Serializer):
    """For RPC clients and servers. `backport` is None where there is nobody to ask: in conductors."""

    def __init__(self, backport: Backport | None = None) -> None:
        objects.register_all()
        self._backport = backport

    def serialize_context(self, ctxt: Context) -> dict[str, Any]:
        return ctxt.to_dict()

    def deserialize_context(self, ctxt: Mapping[str, Any]) -> Context:
        with readable("The context of the message"):
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
        with readable("An argument or an answer"):
            return self._entity(ctxt, entity)

    def _entity(self, ctxt: Any, entity: Any) -> Any:
        if isinstance(entity, dict):
            if NAME in entity:
                with readable(title(entity), entity):
                    return self._object(ctxt, entity)
            return {key: self._entity(ctxt, value) for key, value in entity.items()}
        if isinstance(entity, list | tuple):
            return [self._entity(ctxt, value) for value in entity]
        return entity

    def _object(self, ctxt: Any, primitive: dict[str, Any]) -> Any:
        try:
            return NovaObject.obj_from_primitive(primitive, context=ctxt)
        except IncompatibleObjectVersion as error:
            # It may be an object inside of it that is too new: the manifest covers the whole tree.
            version = str(primitive[VERSION])
            if version.count(".") == 2:  # noqa: PLR2004 - x.y.z: a stable branch's addition, safe to ignore
                return self._object(ctxt, {**primitive, VERSION: version.rpartition(".")[0]})
            name = primitive[NAME]
            if self._backport is None:
                raise too_new(primitive, error) from None
            return self._backport(ctxt, primitive, version_manifest(name))


class RefusingSerializer(oslo_messaging.Serializer):
    """For servers: what cannot be read is answered with the reason, and noted in one line.

    `refuse` raises the error in the form in which it leaves.
    """

    def __init__(self, inner: WireSerializer, refuse: Callable[[KeelError], Any]) -> None:
        self._inner = inner
        self._refuse = refuse

    def serialize_context(self, ctxt: Any) -> Any:
        return self._inner.serialize_context(ctxt)

    def serialize_entity(self, ctxt: Any, entity: Any) -> Any:
        return self._inner.serialize_entity(ctxt, entity)

    def deserialize_context(self, ctxt: Any) -> Any:
        try:
            return self._inner.deserialize_context(ctxt)
        except KeelError as error:
            return self._refuse(error)

    def deserialize_entity(self, ctxt: Any, entity: Any) -> Any:
        try:
            return self._inner.deserialize_entity(ctxt, entity)
        except KeelError as error:
            return self._refuse(error)
