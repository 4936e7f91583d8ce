"""What all stores of one table have in common."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar, cast

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models.base import utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores.plan import aware, values_of
from openkeel.domain.errors import AlreadyExists, KeelError, NotFound
from openkeel.objects.base import NovaObject

O = TypeVar("O", bound=NovaObject)  # noqa: E741

Where = sa.ColumnElement[bool]


class TableStore(Generic[O]):
    """Objects that are rows of one table. Subclasses add the questions their noun is asked."""

    plan: ClassVar[Any]  # a Plan of O
    not_found: ClassVar[type[KeelError]] = NotFound
    exists: ClassVar[type[KeelError]] = AlreadyExists

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, item: O) -> None:
        """Insert it; ids, times and defaults are set on the object.

        Raises: AlreadyExists.
        """
        self.create_many([item])

    @retried
    def create_many(
        self, items: Sequence[O], *, first: Callable[[sa.Connection], None] = lambda _connection: None
    ) -> None:
        """Insert all in one transaction, which `first` begins. Raises: AlreadyExists; what `first` raises."""
        now = utcnow()
        inserted: list[tuple[O, dict[str, Any]]] = []
        item: O | None = None
        try:
            with self._database.write() as connection:
                first(connection)
                for item in items:
                    inserted.append((item, self._insert(connection, item, now)))
        except DBDuplicateEntry as error:
            raise self.exists(**({} if item is None else self._facts(item))) from error
        for done, row in inserted:
            self.plan.fill(done, row)
            done.obj_reset_changes(recursive=True)

    def _insert(self, connection: sa.Connection, item: O, now: datetime) -> dict[str, Any]:
        if "uuid" in self.plan.fields and not item.obj_attr_is_set("uuid"):
            item.uuid = str(uuid.uuid4())  # type: ignore[attr-defined]
        row = self.plan.new_row(item, now)
        key = connection.execute(sa.insert(self.plan.table).values(row)).inserted_primary_key
        if "id" in self.plan.table.c and key is not None:
            row["id"] = key[0]
        return {"deleted_at": None, **row}

    @retried
    def save(self, item: O) -> None:
        """Write what was changed. Raises: NotFound."""
        row = self.plan.values(item, item.obj_what_changed())
        if not row:
            return
        now = utcnow()
        stamped = "updated_at" in self.plan.table.c
        if stamped:
            row["updated_at"] = now
        try:
            with self._database.write() as connection:
                statement = sa.update(self.plan.table).where(self._mine(item)).values(row)
                if connection.execute(statement).rowcount == 0:
                    raise self.not_found(**self._facts(item))
        except DBDuplicateEntry as error:
            raise self.exists(**self._facts(item)) from error
        if stamped and "updated_at" in item.fields:
            item.updated_at = aware(now)  # type: ignore[attr-defined]
        item.obj_reset_changes(recursive=True)

    @retried
    def destroy(self, item: O) -> None:
        """End the row: soft-delete where the table keeps its dead. Raises: NotFound."""
        now = utcnow()
        with self._database.write() as connection:
            if self._end(connection, self._mine(item), now=now) == 0:
                raise self.not_found(**self._facts(item))
        if self.plan.soft_deletes:
            item.deleted = True  # type: ignore[attr-defined]
            item.deleted_at = aware(now)  # type: ignore[attr-defined]
            item.obj_reset_changes(["deleted", "deleted_at"])

    def _mine(self, item: O) -> Where:
        """The row of an object."""
        return cast("Where", self.plan.table.c.id == item.id)  # type: ignore[attr-defined]

    def _end(self, connection: sa.Connection, *where: Where, now: Any = None) -> int:
        return end_rows(connection, self.plan.table, *where, now=now)

    def _facts(self, item: O) -> dict[str, Any]:
        """What the noun's errors say about an object."""
        return {"id": item.id} if "id" in item.fields and item.obj_attr_is_set("id") else {}  # type: ignore[attr-defined]

    def _select(self, *where: Where, deleted: bool | None = False) -> sa.Select[Any]:
        """Rows of the noun; `deleted` None means living and dead."""
        statement = sa.select(*self.plan.columns).where(*where)
        if not self.plan.soft_deletes or deleted is None:
            return statement
        return statement.where(self.plan.table.c.deleted != 0 if deleted else self.plan.table.c.deleted == 0)

    def _find(self, *where: Where, deleted: bool | None = False) -> O | None:
        with self._database.read() as connection:
            row = connection.execute(self._select(*where, deleted=deleted).limit(1)).first()
        return None if row is None else self.plan.to_object(values_of(row))

    def _get(self, *where: Where, deleted: bool | None = False, **facts: Any) -> O:
        found = self._find(*where, deleted=deleted)
        if found is None:
            raise self.not_found(**facts)
        return found

    def _list(
        self,
        *where: Where,
        order_by: Sequence[Any] = (),
        limit: int | None = None,
        deleted: bool | None = False,
    ) -> Any:
        statement = self._select(*where, deleted=deleted).order_by(*order_by).limit(limit)
        with self._database.read() as connection:
            return self.plan.to_list(connection.execute(statement).all())


def end_rows(connection: sa.Connection, table: sa.Table, *where: Where, now: Any = None) -> int:
    """Soft-delete the living rows where the table keeps its dead, else remove them; how many."""
    if "deleted" not in table.c:
        return connection.execute(sa.delete(table).where(*where)).rowcount
    statement = (
        sa.update(table)
        .where(*where, table.c.deleted == 0)
        .values(deleted=table.c.id, deleted_at=now or utcnow(), updated_at=table.c.updated_at)
    )
    return connection.execute(statement).rowcount
