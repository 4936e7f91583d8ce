"""What all versioned objects share: Nova's envelope, no I/O, no lazy loading, backports by table.

An object only carries data. Reading a field nobody loaded raises `NotLoaded` with its name; nothing
is ever fetched behind the reader's back. Stores (`objects/stores.py`) do the reading and writing.

Backports: a peer that knows only an older version gets the object without the fields added since
(`since`: field -> version that brought it). A value it does not know (`widened`) is refused, because
dropping it would change the server. Objects inside objects follow the peer's version manifest.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any, ClassVar, TypeVar

from oslo_utils import versionutils
from oslo_versionedobjects import base as ovo
from oslo_versionedobjects import fields as ovo_fields

from openkeel.domain.errors import Internal

VersionedObjectRegistry = ovo.VersionedObjectRegistry
DictCompat = ovo.VersionedObjectDictCompat
Comparable = ovo.ComparableVersionedObject


class NotLoaded(Internal):
    """A field was read that the caller never asked the store for. Facts: kind, field."""

    template = "{kind}.{field} was not loaded"


class CannotBackport(Internal):
    """The object holds something an older peer must not lose. Facts: kind, version, reason."""

    template = "{kind} cannot be sent as version {version}: {reason}"


class NovaObject(ovo.VersionedObject):
    """Base of every object on Nova's wire."""

    OBJ_SERIAL_NAMESPACE = "nova_object"
    OBJ_PROJECT_NAMESPACE = "nova"

    since: ClassVar[Mapping[str, str]] = {}
    widened: ClassVar[Mapping[str, Mapping[str, str]]] = {}  # field -> value -> version

    def obj_load_attr(self, attrname: str) -> None:
        raise NotLoaded(kind=self.obj_name(), field=attrname)

    @classmethod
    def _obj_from_primitive(cls, context: Any, objver: str, primitive: dict[str, Any]) -> Any:
        if not isinstance(primitive[cls._obj_primitive_key("data")], dict):
            raise ValueError(f"{cls.obj_name()} has no data")  # noqa: TRY004 - as fields do
        return super()._obj_from_primitive(context, objver, primitive)

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        super().obj_make_compatible(primitive, target_version)
        for field, values in self.widened.items():
            value = str(primitive.get(field))
            if is_older(target_version, values.get(value, "0.0")):
                reason = f"it does not know {field}={value}"
                raise CannotBackport(kind=self.obj_name(), version=target_version, reason=reason)
        for field, version in self.since.items():
            if is_older(target_version, version):
                primitive.pop(field, None)


class TimestampedObject(ovo.VersionedObjectMixin):
    """For rows that remember when they were made and changed."""

    fields: MutableMapping[str, ovo_fields.Field[Any]] = {
        "created_at": ovo_fields.DateTimeField(nullable=True),
        "updated_at": ovo_fields.DateTimeField(nullable=True),
    }


class PersistentObject(ovo.VersionedObjectMixin):
    """For rows that are also soft-deleted."""

    fields: MutableMapping[str, ovo_fields.Field[Any]] = {
        "created_at": ovo_fields.DateTimeField(nullable=True),
        "updated_at": ovo_fields.DateTimeField(nullable=True),
        "deleted_at": ovo_fields.DateTimeField(nullable=True),
        "deleted": ovo_fields.BooleanField(default=False),
    }


class EphemeralObject(NovaObject):
    """For values made in memory: whatever is not given has its default."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.obj_set_defaults()


_T = TypeVar("_T", bound=ovo.VersionedObject)


class ObjectList(ovo.ObjectListBase[_T], NovaObject):
    """A sequence of objects that is an object itself."""


def is_older(version: str, than: str) -> bool:
    """Whether one object version came before another."""
    return bool(versionutils.convert_version_to_tuple(version) < versionutils.convert_version_to_tuple(than))


def version_manifest(name: str) -> dict[str, str]:
    """The versions we know of an object and of everything inside it: object name -> version."""
    return dict(ovo.obj_tree_get_versions(name))
