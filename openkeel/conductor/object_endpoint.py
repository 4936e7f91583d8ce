"""The conductor's data endpoint: what computes, ours and Nova's, read and write through.

One table (`object_methods.METHODS`) says what is served; nothing else can be reached by name.
A conductor serves the database of its own cell.
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import oslo_messaging

from openkeel.common.context import Context
from openkeel.conductor.object_methods import METHODS, Methods, OnClass, OnObject, Quota, Stores, Zones
from openkeel.domain.errors import Invalid, Unsupported
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


class ObjectEndpoint:
    """Contract: topic conductor, no namespace, version 3.0.

    Args:
        cell: The stores of the conductor's own cell.
        api: The stores of the API database.
        quota: Counts and limits, which span cells.
        zones: Where services are that no aggregate places.
    """

    target = oslo_messaging.Target(version="3.0")

    def __init__(self, cell: Any, api: Any, quota: Quota, zones: Zones, methods: Methods = METHODS) -> None:
        self._stores = Stores(cell, api, quota, zones)
        self._methods = methods

    def object_class_action_versions(
        self,
        ctx: Context,
        objname: str,
        objmethod: str,
        object_versions: Mapping[str, str],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Run a class method; an object comes back in the versions the caller knows.

        Raises: Unsupported, naming the method, when the table has no such row.
        """
        row = self._row(objname, objmethod, OnClass)
        result = _call(row, f"{objname}.{objmethod}", (self._stores, ctx), args, kwargs)
        if isinstance(result, NovaObject):
            result._context = ctx  # noqa: SLF001 - as oslo does
            return _in_versions(result, object_versions)
        return result

    def object_action(
        self,
        ctx: Context,
        objinst: NovaObject,
        objmethod: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> tuple[dict[str, Any], Any]:
        """Run a method of the object sent.

        Returns: the fields that it changed in wire form, with `obj_what_changed`; and its result.
        """
        if not isinstance(objinst, NovaObject):
            raise Invalid(f"{objmethod} needs an object, not {type(objinst).__name__}")
        name = objinst.obj_name()
        row = self._row(name, objmethod, OnObject)
        before = _fields_of(objinst)
        result = _call(row, f"{name}.{objmethod}", (self._stores, ctx, objinst), args, kwargs)
        updates = {
            field: value for field, value in _fields_of(objinst).items() if before.get(field, _UNSET) != value
        }
        updates["obj_what_changed"] = sorted(objinst.obj_what_changed())
        return updates, result

    def object_backport_versions(
        self, _ctx: Context, objinst: NovaObject, object_versions: Mapping[str, str]
    ) -> dict[str, Any]:
        """The object sent, in the versions that the caller knows."""
        if not isinstance(objinst, NovaObject):
            raise Invalid(f"A backport needs an object, not {type(objinst).__name__}")
        return _in_versions(objinst, object_versions)

    def _row(self, kind: str, method: str, way: type[OnClass | OnObject]) -> Any:
        if not (isinstance(kind, str) and isinstance(method, str)):
            raise Invalid("The object and its method must be names.")
        row = self._methods.get((kind, method))
        if row is None:
            known = kind in VersionedObjectRegistry.obj_classes()
            raise Unsupported(f"{kind}.{method} is not served" if known else f"There is no object {kind}")
        if not isinstance(row, way):
            raise Unsupported(f"{kind}.{method} is called {'without' if way is OnObject else 'on'} an object")
        return row


_UNSET = object()
_VERSION = re.compile(r"[0-9]+\.[0-9]+")


def _call(row: Any, what: str, first: tuple[Any, ...], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    if not (isinstance(args, list | tuple) and isinstance(kwargs, Mapping)):
        raise Invalid(f"The arguments of {what} must be a list and a dictionary.")
    try:
        bound = inspect.signature(row.run).bind(*first, *args, **kwargs)
    except TypeError as error:
        raise Invalid(f"{what}: {error}") from error
    return row.run(*bound.args, **bound.kwargs)


def _fields_of(item: NovaObject) -> dict[str, Any]:
    """The fields that are set, in wire form: what two moments of an object are compared by."""
    return {
        name: field.to_primitive(item, name, getattr(item, name))
        for name, field in item.fields.items()
        if item.obj_attr_is_set(name)
    }


def _in_versions(item: NovaObject, versions: Mapping[str, str]) -> dict[str, Any]:
    name = item.obj_name()
    if not isinstance(versions, Mapping) or name not in versions:
        raise Invalid(f"The version of {name} to send is missing")
    if not all(isinstance(version, str) and _VERSION.fullmatch(version) for version in versions.values()):
        raise Invalid(f"The version of {name}, or of an object in it, is none")
    return item.obj_to_primitive(target_version=versions[name], version_manifest=dict(versions))
