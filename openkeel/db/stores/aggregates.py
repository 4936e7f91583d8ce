"""Groups of hosts; an availability zone is a metadata item of one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry, DBReferenceError

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.dictionaries import Dictionaries
from openkeel.db.stores.plan import aware, rows_of, values_of
from openkeel.db.stores.table import TableStore, Where
from openkeel.domain.errors import (
    AggregateHostExists,
    AggregateHostNotFound,
    AggregateNameExists,
    AggregateNotFound,
)

AGGREGATE: Final = table_of(rows.Aggregate)
HOST: Final = table_of(rows.AggregateHost)
METADATA: Final = Dictionaries(table_of(rows.AggregateMetadata), "aggregate_id")
ZONE_KEY: Final = "availability_zone"


class AggregateStore(TableStore[Any]):
    """Aggregates of the deployment."""

    plan = api_plans.AGGREGATES
    not_found = AggregateNotFound
    exists = AggregateNameExists

    def get(self, id_: int) -> Any:
        """Raises: AggregateNotFound."""
        return self._one(AGGREGATE.c.id == id_, name=id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: AggregateNotFound."""
        return self._one(AGGREGATE.c.uuid == uuid, name=uuid)

    def _one(self, where: Where, name: Any) -> Any:
        found = self._load(where)
        if not found:
            raise AggregateNotFound(aggregate_id=name)
        return found[0]

    def list(self) -> Any:
        """All."""
        return self.plan.wrap(self._load())

    def list_by_host(self, host: str, key: str | None = None) -> Any:
        """Those a host is in, and that have a metadata key."""
        where = [sa.exists().where(HOST.c.aggregate_id == AGGREGATE.c.id, HOST.c.host == host)]
        return self.plan.wrap(self._load(*where, *([] if key is None else [_has(key)])))

    def list_by_metadata(self, key: str | None = None, value: str | None = None) -> Any:
        """Those with a metadata key, a value, or both."""
        return self.plan.wrap(self._load(_has(key, value)))

    def list_by_metadata_key(self, key: str, hosts: Collection[str] | None = None) -> Any:
        """Those with a metadata key that have any of the hosts."""
        where = [_has(key)]
        if hosts is not None:
            member = HOST.c.host.in_(list(hosts))
            where.append(sa.exists().where(HOST.c.aggregate_id == AGGREGATE.c.id, member))
        return self.plan.wrap(self._load(*where))

    def availability_zones(self) -> set[str]:
        """The names of all zones."""
        table = METADATA.table
        with self._database.read() as connection:
            return set(connection.scalars(sa.select(table.c.value).where(table.c.key == ZONE_KEY)))

    def zones_of_hosts(self, hosts: Collection[str] | None = None) -> dict[str, str]:
        """Host -> zone, of those (or all) hosts that are in one."""
        table = METADATA.table
        statement = sa.select(HOST.c.host, table.c.value).join(
            table, table.c.aggregate_id == HOST.c.aggregate_id
        )
        statement = statement.where(table.c.key == ZONE_KEY)
        if hosts is not None:
            statement = statement.where(HOST.c.host.in_(list(hosts)))
        with self._database.read() as connection:
            return dict(rows_of(connection, statement))

    def _load(self, *where: Where) -> Sequence[Any]:
        statement = sa.select(*self.plan.columns).where(*where).order_by(AGGREGATE.c.id)
        with self._database.read() as connection:
            found = [self.plan.to_object(values_of(row)) for row in connection.execute(statement)]
            ids = [aggregate.id for aggregate in found]
            metadata = METADATA.read(connection, ids)
            hosts = _hosts(connection, ids)
        for aggregate in found:
            aggregate.metadata = metadata[aggregate.id]
            aggregate.hosts = hosts.get(aggregate.id, [])
            _never_deleted(aggregate)
        return found

    @retried
    def create(self, item: Any) -> None:
        """Insert it with its metadata. Raises: AggregateNameExists."""
        now = utcnow()
        metadata = dict(item.metadata or {}) if item.obj_attr_is_set("metadata") else {}
        try:
            with self._database.write() as connection:
                row = self._insert(connection, item, now)
                METADATA.insert(connection, row["id"], metadata, now)
        except DBDuplicateEntry as error:
            raise AggregateNameExists(aggregate_name=item.name) from error
        self.plan.fill(item, row)
        item.hosts, item.metadata = [], metadata
        _never_deleted(item)

    @retried
    def save(self, item: Any) -> None:
        """Write its name and metadata. Raises: AggregateNotFound; AggregateNameExists."""
        changed = item.obj_what_changed()
        now = utcnow()
        row = self.plan.values(item, changed) | {"updated_at": now}
        try:
            with self._database.write() as connection:
                if connection.execute(sa.update(AGGREGATE).where(self._mine(item)).values(row)).rowcount == 0:
                    raise AggregateNotFound(aggregate_id=item.id)
                if "metadata" in changed:
                    METADATA.merge(connection, item.id, item.metadata or {}, now)
        except DBDuplicateEntry as error:
            raise AggregateNameExists(aggregate_name=item.name) from error
        item.updated_at = aware(now)
        item.obj_reset_changes(recursive=False)

    @retried
    def update_metadata(self, item: Any, updates: Mapping[str, str | None]) -> None:
        """Set keys, and remove those whose value is None. Raises: AggregateNotFound.

        Compat: the aggregate's own row, and so its `updated_at`, stays as it is.
        """
        values = {key: value for key, value in updates.items() if value is not None}
        gone = [key for key, value in updates.items() if value is None]
        with self._database.write() as connection:
            mine = sa.select(AGGREGATE.c.id).where(self._mine(item)).with_for_update()  # writers wait here
            if connection.execute(mine).first() is None:
                raise AggregateNotFound(aggregate_id=item.id)
            METADATA.merge(connection, item.id, values, utcnow(), remove=gone)
            item.metadata = METADATA.read(connection, [item.id])[item.id]
        item.obj_reset_changes(recursive=False)

    @retried
    def add_host(self, item: Any, host: str) -> None:
        """Raises: AggregateHostExists; AggregateNotFound."""
        row = {"aggregate_id": item.id, "host": host, "created_at": utcnow()}
        try:
            with self._database.write() as connection:
                connection.execute(sa.insert(HOST).values(row))
        except DBDuplicateEntry as error:
            raise AggregateHostExists(aggregate_id=item.id, host=host) from error
        except DBReferenceError as error:
            raise AggregateNotFound(aggregate_id=item.id) from error
        item.hosts = [*(item.hosts or []), host]
        item.obj_reset_changes(["hosts"])

    @retried
    def delete_host(self, item: Any, host: str) -> None:
        """Raises: AggregateHostNotFound."""
        statement = sa.delete(HOST).where(HOST.c.aggregate_id == item.id, HOST.c.host == host)
        with self._database.write() as connection:
            if connection.execute(statement).rowcount == 0:
                raise AggregateHostNotFound(aggregate_id=item.id, host=host)
        item.hosts = [name for name in item.hosts or [] if name != host]
        item.obj_reset_changes(["hosts"])

    @retried
    def destroy(self, item: Any) -> None:
        """Remove it with its metadata and hosts. Raises: AggregateNotFound."""
        with self._database.write() as connection:
            for table in (METADATA.table, HOST):
                connection.execute(sa.delete(table).where(table.c.aggregate_id == item.id))
            if connection.execute(sa.delete(AGGREGATE).where(self._mine(item))).rowcount == 0:
                raise AggregateNotFound(aggregate_id=item.id)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"aggregate_id": item.id if item.obj_attr_is_set("id") else None, "aggregate_name": item.name}


def _has(key: str | None, value: str | None = None) -> Where:
    table = METADATA.table
    test = sa.exists().where(table.c.aggregate_id == AGGREGATE.c.id)
    if key is not None:
        test = test.where(table.c.key == key)
    return test if value is None else test.where(table.c.value == value)


def _hosts(connection: sa.Connection, ids: Iterable[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    statement = sa.select(HOST.c.aggregate_id, HOST.c.host).where(HOST.c.aggregate_id.in_(list(ids)))
    for id_, host in rows_of(connection, statement.order_by(HOST.c.id)):
        found.setdefault(id_, []).append(host)
    return found


def _never_deleted(item: Any) -> None:
    item.deleted, item.deleted_at = False, None  # fields of the wire; the table keeps no dead
    item.obj_reset_changes(recursive=False)
