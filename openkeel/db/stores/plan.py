"""How the rows of a table become versioned objects and back.

A `Plan` pairs an object class with a row class by name. Where a field is kept in another form (JSON,
another column), the plan names a `Codec`. Fields that live in other tables are the store's business.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar, cast

import sqlalchemy as sa
from oslo_versionedobjects import fields as ovo_fields

from openkeel.db.models.base import table_of
from openkeel.objects.base import NovaObject

O = TypeVar("O", bound=NovaObject)  # noqa: E741  the object of a store: one letter as for any type variable


@dataclass(frozen=True, slots=True)
class Codec:
    """A field kept in `column` (its own name by default) in another form."""

    load: Callable[[Any], Any]
    dump: Callable[[Any], Any]
    column: str | None = None


def aware(moment: datetime | None) -> datetime | None:
    """A time of the database, which are naive UTC."""
    return None if moment is None else moment.replace(tzinfo=UTC)


def naive(moment: datetime | None) -> datetime | None:
    """A time as the database keeps it."""
    if moment is None or moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def values_of(row: Any) -> Mapping[str, Any]:
    """A row of a result by the names of its columns."""
    return cast("Mapping[str, Any]", row._mapping)  # noqa: SLF001  public in SQLAlchemy


def rows_of(connection: sa.Connection, statement: sa.Select[Any] | sa.CompoundSelect[Any]) -> Sequence[Any]:
    """Rows to unpack, without the types of their columns."""
    return connection.execute(statement).all()


def _as_text(value: Any) -> str | None:
    """An address, which objects keep as a type of its own."""
    return None if value is None else str(value)


def dump_object(value: NovaObject | None) -> str | None:
    """An object as Nova keeps it in a text column: its wire envelope in JSON."""
    return None if value is None else json.dumps(value.obj_to_primitive())


def load_object(text: str | None) -> Any:
    """The object that `dump_object` kept."""
    return revive(json.loads(text)) if text else None


def revive(primitive: Mapping[str, Any]) -> Any:
    """The object of a wire envelope, as unchanged: whoever kept it may have kept its changes as well."""
    loaded = NovaObject.obj_from_primitive(dict(primitive))
    loaded.obj_reset_changes(recursive=True)
    return loaded


def json_codec(column: str | None = None, *, empty: Any = None) -> Codec:
    """Plain JSON in a text column; `empty` stands for NULL."""
    return Codec(
        load=lambda text: json.loads(text) if text else empty,
        dump=lambda value: None if value is None else json.dumps(value),
        column=column,
    )


OBJECT_CODEC: Final = Codec(load=load_object, dump=dump_object)


_ADDRESSES: Final = (ovo_fields.IPAddressField, ovo_fields.IPV4AddressField, ovo_fields.IPV6AddressField)


class Plan(Generic[O]):
    """The fields of `object_class` that are columns of `row_class`."""

    def __init__(
        self,
        object_class: type[O],
        row_class: type[Any],
        *,
        list_class: type[Any] | None = None,
        codecs: Mapping[str, Codec] | None = None,
        without: Collection[str] = (),
    ) -> None:
        self.object_class = object_class
        self.list_class = list_class
        self.table = table_of(row_class)
        self.soft_deletes = "deleted" in self.table.c
        self._codecs = dict(codecs or {})
        self._loaders: list[tuple[str, str, Callable[[Any], Any] | None, bool]] = []
        # A column that nobody fills is no value of a field that must have one: it stays unset.
        self._nullable = frozenset(name for name, field in object_class.fields.items() if field.nullable)
        self._dumpers: dict[str, tuple[str, Callable[[Any], Any] | None]] = {}
        for name, field in object_class.fields.items():
            if name not in without:
                self._add(name, field)
        names = dict.fromkeys(column for _, column, _, _ in self._loaders)
        self.columns: list[sa.ColumnElement[Any]] = [self.table.c[name] for name in names]
        self._defaults = {
            column.name: _default_of(column)
            for column in self.table.c
            if column.name not in {"id", "created_at", "updated_at"}
        }

    def _add(self, name: str, field: ovo_fields.Field[Any]) -> None:
        codec = self._codecs.get(name)
        column = codec.column or name if codec else name
        if column not in self.table.c:
            return
        load: Callable[[Any], Any] | None
        dump: Callable[[Any], Any] | None
        coerced = codec is not None
        if codec:
            load, dump = codec.load, codec.dump
        elif isinstance(field, ovo_fields.DateTimeField):
            load, dump = aware, naive
        elif isinstance(field, ovo_fields.BooleanField):
            load, dump = bool, None
        elif isinstance(field, _ADDRESSES):
            load, dump = None, _as_text
        else:
            load, dump = None, None
        self._loaders.append((name, column, load, coerced))
        if name not in {"id", "deleted", "deleted_at", "created_at", "updated_at"}:
            self._dumpers[name] = (column, dump)

    @property
    def fields(self) -> Collection[str]:
        """Names of the fields that can be written."""
        return self._dumpers.keys()

    def column(self, field: str) -> sa.ColumnElement[Any]:
        """The column that keeps a field, for conditions and sorting."""
        return self.table.c[self._dumpers[field][0] if field in self._dumpers else field]

    def fill(self, target: O, row: Mapping[str, Any]) -> O:
        """Set the fields from a row (or the mapping of a wider one) as unchanged."""
        for name, column, load, coerced in self._loaders:
            value = row[column]
            if load is not None:
                value = load(value)
            if coerced:  # containers and objects inside watch their changes: let the field wrap them
                if hasattr(target, f"_obj_{name}"):
                    delattr(target, f"_obj_{name}")
                setattr(target, name, value)
            elif value is not None or name in self._nullable:
                # Rows hold what fields accept; coercing 60 fields again would cost more than the query.
                setattr(target, f"_obj_{name}", value)
        target.obj_reset_changes([name for name, _, _, _ in self._loaders])
        return target

    def to_object(self, row: Mapping[str, Any]) -> O:
        """A new object with the fields of a row."""
        return self.fill(self.object_class(), row)

    def to_list(self, rows: Iterable[Any]) -> Any:
        """Objects of rows, in the list object of the noun if it has one."""
        return self.wrap([self.to_object(values_of(row)) for row in rows])

    def wrap(self, items: Sequence[O]) -> Any:
        """A list object around `items`, or the plain list where the noun has none."""
        if self.list_class is None:
            return list(items)
        wrapped = self.list_class(objects=list(items))
        wrapped.obj_reset_changes(recursive=False)
        return wrapped

    def values(self, source: NovaObject, names: Iterable[str]) -> dict[str, Any]:
        """Column values of the named fields; fields kept elsewhere are left out."""
        found: dict[str, Any] = {}
        for name in names:
            if name in self._dumpers:
                column, dump = self._dumpers[name]
                value = getattr(source, name)
                found[column] = dump(value) if dump else value
        return found

    def new_row(self, source: NovaObject, now: datetime) -> dict[str, Any]:
        """All column values of a row that is to be inserted, defaults included."""
        set_fields = [name for name in self._dumpers if source.obj_attr_is_set(name)]
        row = self._defaults | self.values(source, set_fields)
        if "created_at" in self.table.c:
            row["created_at"] = now
            row["updated_at"] = None
        return row


def _default_of(column: sa.Column[Any]) -> Any:
    default = column.default
    return getattr(default, "arg", None) if default is not None and default.is_scalar else None
