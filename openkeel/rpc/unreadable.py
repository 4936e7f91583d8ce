"""Saying what is wrong with a message: the name of the object and of the field, never the value."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from oslo_versionedobjects.exception import IncompatibleObjectVersion

from openkeel.domain.errors import Invalid, KeelError
from openkeel.objects.base import NovaObject, VersionedObjectRegistry

NAME: Final = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.name"
VERSION: Final = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.version"
NAMESPACE: Final = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.namespace"
DATA: Final = f"{NovaObject.OBJ_SERIAL_NAMESPACE}.data"

_SHOWN_MAX: Final = 60


class Unreadable(Invalid):
    """A message that we cannot make sense of. Facts: what, reason."""

    template = "{what} cannot be read: {reason}"


@contextmanager
def readable(what: str, primitive: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Say of what cannot be read what it is and where."""
    try:
        yield
    except KeelError:
        raise
    except RecursionError:
        raise Unreadable(what=what, reason="it is nested too deep") from None
    except Exception as error:  # noqa: BLE001 whatever garbage does to the reading of it
        reason = type(error).__name__ if primitive is None else _culprit(primitive)
        raise Unreadable(what=what, reason=reason) from None


def _shown(value: Any) -> str:
    """A name from a message, as an error may repeat it."""
    if not isinstance(value, str):
        return f"a {type(value).__name__}"
    return value if len(value) <= _SHOWN_MAX else f"{value[:_SHOWN_MAX]}..."


def title(primitive: Mapping[str, Any]) -> str:
    """An object by what its primitive form says that it is."""
    return f"Object {_shown(primitive.get(NAME))} version {_shown(primitive.get(VERSION, 'missing'))}"


def _culprit(primitive: Mapping[str, Any]) -> str:
    """What is wrong with an object's primitive form."""
    known = VersionedObjectRegistry.obj_classes()
    name, namespace, data = primitive[NAME], primitive.get(NAMESPACE), primitive.get(DATA)
    if not isinstance(name, str) or name not in known:
        return "there is no such object"
    if namespace != NovaObject.OBJ_PROJECT_NAMESPACE:
        return f"its namespace is {_shown(namespace)}"
    if VERSION not in primitive:
        return "it has no version"
    if not isinstance(data, dict):
        return "it has no data"
    for field in known[name][0].fields:
        wrong = _wrong_in(known[name][0], field, data)
        if wrong:
            return f"{wrong} is not what it should be"
    return "its version or its list of changes is not what it should be"


def _wrong_in(kind: type[Any], field: str, data: Mapping[str, Any]) -> str | None:
    """The path to what is wrong in a field, if something is."""
    if field not in data:
        return None
    item = kind()
    try:
        setattr(item, field, kind.fields[field].from_primitive(item, field, data[field]))
    except Exception:  # noqa: BLE001 as above
        inside = data[field]
        if isinstance(inside, dict) and isinstance(inside.get(DATA), dict):
            classes = VersionedObjectRegistry.obj_classes().get(str(inside.get(NAME)), ())
            for each in classes[:1]:
                for deeper in each.fields:
                    wrong = _wrong_in(each, deeper, inside[DATA])
                    if wrong:
                        return f"{field}.{wrong}"
        return field
    return None


def too_new(primitive: Mapping[str, Any], error: IncompatibleObjectVersion) -> Unreadable:
    """The refusal of an object from the future, or one with such an object in it."""
    found = error.kwargs
    reason = f"{found['objname']} {found['objver']} is newer than {found['supported']}, which is known here"
    return Unreadable(what=title(primitive), reason=reason)
