"""Which cells there are, and which hosts and servers each holds."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.plan import naive, rows_of, values_of
from openkeel.db.stores.table import TableStore, Where
from openkeel.domain.errors import CellMappingNotFound, HostMappingNotFound, InstanceMappingNotFound

CELL: Final = table_of(rows.CellMapping)
HOST: Final = table_of(rows.HostMapping)
INSTANCE: Final = table_of(rows.InstanceMapping)
BUILD: Final = table_of(rows.BuildRequest)


class CellMappingStore(TableStore[Any]):
    """Cells, with their URLs as the operator wrote them."""

    plan = api_plans.CELL_MAPPINGS
    not_found = CellMappingNotFound

    def list(self) -> Any:
        """All, cell0 first."""
        return self._list(order_by=(CELL.c.id,))

    def list_by_disabled(self, *, disabled: bool) -> Any:
        """Those that do, or do not, take new servers."""
        flag = sa.func.coalesce(CELL.c.disabled, sa.false())
        return self._list(flag.is_(sa.true()) if disabled else flag.is_(sa.false()), order_by=(CELL.c.id,))

    def find(self, uuid: str) -> Any | None:
        return self._find(CELL.c.uuid == uuid)

    def get(self, uuid: str) -> Any:
        """Raises: CellMappingNotFound."""
        return self._get(CELL.c.uuid == uuid, uuid=uuid)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"uuid": item.uuid}


class _InCell(TableStore[Any]):
    """Rows that name a cell: their objects carry its mapping."""

    def _select(self, *where: Where, deleted: bool | None = False) -> sa.Select[Any]:
        del deleted  # these tables keep no dead
        cell = [column.label(f"cell_{column.name}") for column in CELL.c]
        table = self.plan.table
        joined = table.outerjoin(CELL, CELL.c.id == table.c.cell_id)
        return sa.select(*self.plan.columns, *cell).select_from(joined).where(*where)

    def _find(self, *where: Where, deleted: bool | None = False) -> Any | None:
        del deleted
        return next(iter(self._list(*where, limit=1)), None)

    def _list(
        self,
        *where: Where,
        order_by: Sequence[Any] = (),
        limit: int | None = None,
        deleted: bool | None = False,
    ) -> Any:
        del deleted
        statement = self._select(*where).order_by(*order_by).limit(limit)
        with self._database.read() as connection:
            found = [values_of(row) for row in connection.execute(statement)]
        items = []
        for values in found:
            item = self.plan.to_object(values)
            cell = {column.name: values[f"cell_{column.name}"] for column in CELL.c}
            item.cell_mapping = api_plans.CELL_MAPPINGS.to_object(cell) if cell["id"] is not None else None
            item.obj_reset_changes(["cell_mapping"])
            items.append(item)
        return self.plan.wrap(items)

    def _insert(self, connection: sa.Connection, item: Any, now: datetime) -> dict[str, Any]:
        row = self.plan.new_row(item, now) | _cell_id(item)
        key = connection.execute(sa.insert(self.plan.table).values(row)).inserted_primary_key
        return {**row, "id": key[0] if key else None}

    @retried
    def save(self, item: Any) -> None:
        """Write what was changed. Raises: NotFound."""
        changed = item.obj_what_changed()
        row = self.plan.values(item, changed)
        if "cell_mapping" in changed:
            row |= _cell_id(item)
        if not row:
            return
        statement = sa.update(self.plan.table).where(self._mine(item)).values(row | {"updated_at": utcnow()})
        with self._database.write() as connection:
            if connection.execute(statement).rowcount == 0:
                raise self.not_found(**self._facts(item))
        item.obj_reset_changes(recursive=False)


def _cell_id(item: Any) -> dict[str, int | None]:
    cell = item.cell_mapping if item.obj_attr_is_set("cell_mapping") else None
    return {"cell_id": cell.id if cell else None}


class HostMappingStore(_InCell):
    """Which cell a host is in."""

    plan = api_plans.HOST_MAPPINGS
    not_found = HostMappingNotFound

    def find(self, host: str) -> Any | None:
        return self._find(HOST.c.host == host)

    def get(self, host: str) -> Any:
        """Raises: HostMappingNotFound."""
        return self._get(HOST.c.host == host, name=host)

    def list(self, cell_uuid: str | None = None) -> Any:
        """All, or those of a cell."""
        return self._list(*(() if cell_uuid is None else (CELL.c.uuid == cell_uuid,)), order_by=(HOST.c.id,))

    def list_by_hosts(self, hosts: Collection[str]) -> Any:
        """Those of the hosts that have one."""
        return self._list(HOST.c.host.in_(list(hosts)))

    def list_by_cell_id(self, cell_id: int) -> Any:
        """Those of a cell by its id."""
        return self._list(HOST.c.cell_id == cell_id, order_by=(HOST.c.id,))

    @retried
    def delete(self, host: str) -> None:
        """Raises: HostMappingNotFound."""
        with self._database.write() as connection:
            if connection.execute(sa.delete(HOST).where(HOST.c.host == host)).rowcount == 0:
                raise HostMappingNotFound(name=host)

    @retried
    def delete_by_cell_id(self, cell_id: int) -> None:
        """Forget all hosts of a cell."""
        with self._database.write() as connection:
            connection.execute(sa.delete(HOST).where(HOST.c.cell_id == cell_id))

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"name": item.host if item.obj_attr_is_set("host") else None}


class InstanceMappingStore(_InCell):
    """Which cell a server is in; none while it is being scheduled."""

    plan = api_plans.INSTANCE_MAPPINGS
    not_found = InstanceMappingNotFound

    def find(self, instance_uuid: str) -> Any | None:
        return self._find(INSTANCE.c.instance_uuid == instance_uuid)

    def get(self, instance_uuid: str) -> Any:
        """Raises: InstanceMappingNotFound."""
        return self._get(INSTANCE.c.instance_uuid == instance_uuid, uuid=instance_uuid)

    def list_by_uuids(self, instance_uuids: Collection[str]) -> Any:
        """Those of the servers that have one."""
        return self._list(INSTANCE.c.instance_uuid.in_(list(instance_uuids)))

    def list_by_cell_id(self, cell_id: int) -> Any:
        """All servers of a cell."""
        return self._list(INSTANCE.c.cell_id == cell_id)

    def list_by_project(self, project_id: str) -> Any:
        """All servers of a project."""
        return self._list(INSTANCE.c.project_id == project_id)

    def count(
        self, project_id: str, user_id: str | None = None, *, without: Collection[str] = ()
    ) -> dict[str, dict[str, int]]:
        """Servers of a project, and of a user in it, that are not about to go and not among some."""
        flag = sa.func.coalesce(INSTANCE.c.queued_for_delete, sa.false())
        statement = sa.select(sa.func.count()).where(
            INSTANCE.c.project_id == project_id, flag.is_(sa.false())
        )
        if without:
            statement = statement.where(INSTANCE.c.instance_uuid.not_in(list(without)))
        scopes = {"project": statement}
        if user_id:
            scopes["user"] = statement.where(INSTANCE.c.user_id == user_id)
        with self._database.read() as connection:
            return {scope: {"instances": connection.scalar(query) or 0} for scope, query in scopes.items()}

    def count_of_user(self, instance_uuids: Collection[str], user_id: str) -> int:
        """How many of the servers belong to a user and are not about to go."""
        flag = sa.func.coalesce(INSTANCE.c.queued_for_delete, sa.false())
        statement = sa.select(sa.func.count()).where(
            INSTANCE.c.instance_uuid.in_(list(instance_uuids)),
            INSTANCE.c.user_id == user_id,
            flag.is_(sa.false()),
        )
        with self._database.read() as connection:
            return connection.scalar(statement) or 0

    def recorded_after(self, project_id: str, instance_uuids: Collection[str]) -> dict[str, str | None]:
        """Servers of a project, with their users, that were recorded after all of these."""
        last = sa.select(sa.func.max(INSTANCE.c.id)).where(INSTANCE.c.instance_uuid.in_(list(instance_uuids)))
        statement = sa.select(INSTANCE.c.instance_uuid, INSTANCE.c.user_id).where(
            INSTANCE.c.project_id == project_id, INSTANCE.c.id > last.scalar_subquery()
        )
        with self._database.read() as connection:
            return dict(rows_of(connection, statement))

    def is_in_cell(self, cell_id: int) -> bool:
        """Whether any living server is mapped to the cell."""
        flag = sa.func.coalesce(INSTANCE.c.queued_for_delete, sa.false())
        statement = sa.select(INSTANCE.c.id).where(INSTANCE.c.cell_id == cell_id, flag.is_(sa.false()))
        with self._database.read() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def uuids_cancelled_before(self, before: datetime) -> Sequence[str]:
        """Servers in no cell and without a build request since: deleted before they were placed."""
        touched = sa.func.coalesce(INSTANCE.c.updated_at, INSTANCE.c.created_at)
        is_waited_for = sa.exists().where(BUILD.c.instance_uuid == INSTANCE.c.instance_uuid)
        statement = sa.select(INSTANCE.c.instance_uuid).where(
            INSTANCE.c.cell_id.is_(None), touched < naive(before), ~is_waited_for
        )
        with self._database.read() as connection:
            return list(connection.scalars(statement))

    @retried
    def map_to_cell(self, instance_uuid: str, cell_uuid: str) -> bool:
        """Say in which cell the server is, if nobody has said so before; whether it was us."""
        cell_id = sa.select(CELL.c.id).where(CELL.c.uuid == cell_uuid).scalar_subquery()
        statement = (
            sa.update(INSTANCE)
            .where(INSTANCE.c.instance_uuid == instance_uuid, INSTANCE.c.cell_id.is_(None))
            .values(cell_id=cell_id, updated_at=utcnow())
        )
        with self._database.write() as connection:
            return connection.execute(statement).rowcount == 1

    @retried
    def set_queued_for_delete(self, instance_uuid: str, *, queued: bool = True) -> None:
        """Say that the server is about to go: lists and counts leave it out. Fine when there is none."""
        statement = (
            sa.update(INSTANCE)
            .where(INSTANCE.c.instance_uuid == instance_uuid)
            .values(queued_for_delete=queued, updated_at=utcnow())
        )
        with self._database.write() as connection:
            connection.execute(statement)

    @retried
    def delete(self, instance_uuid: str) -> None:
        """Raises: InstanceMappingNotFound."""
        with self._database.write() as connection:
            statement = sa.delete(INSTANCE).where(INSTANCE.c.instance_uuid == instance_uuid)
            if connection.execute(statement).rowcount == 0:
                raise InstanceMappingNotFound(uuid=instance_uuid)

    @retried
    def delete_by_cell_id(self, cell_id: int) -> None:
        """Forget the deleted servers of a cell."""
        with self._database.write() as connection:
            connection.execute(sa.delete(INSTANCE).where(INSTANCE.c.cell_id == cell_id))

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"uuid": item.instance_uuid}
