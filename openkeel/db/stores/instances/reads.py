"""Servers as objects, with what was asked for."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.stores import plans
from openkeel.db.stores.instances import parts
from openkeel.db.stores.instances.cell import CACHE, INSTANCE, ServersOfCell
from openkeel.db.stores.instances.filters import conditions, ordering
from openkeel.db.stores.instances.rows import load_rows
from openkeel.db.stores.plan import naive, values_of
from openkeel.db.stores.table import Where
from openkeel.domain.errors import InstanceNotFound
from openkeel.domain.states import TaskState


class InstanceReads(ServersOfCell):
    """Reads. However many servers are read, the number of statements is the same."""

    def get(self, uuid: str, expected_attrs: Sequence[str] = (), *, deleted: bool | None = False) -> Any:
        """Raises: InstanceNotFound."""
        return self._get(INSTANCE.c.uuid == uuid, expected_attrs, deleted, uuid)

    def get_by_id(self, id_: int, expected_attrs: Sequence[str] = (), *, deleted: bool | None = False) -> Any:
        """Raises: InstanceNotFound."""
        return self._get(INSTANCE.c.id == id_, expected_attrs, deleted, str(id_))

    def _get(self, where: Where, expected_attrs: Sequence[str], deleted: bool | None, name: str) -> Any:
        found = self._load((where,), expected_attrs, deleted=deleted, limit=1)
        if not found.objects:
            raise InstanceNotFound(instance_id=name)
        return found.objects[0]

    def refresh(self, instance: Any) -> None:
        """Read again all that is loaded. Raises: InstanceNotFound."""
        loaded = [name for name in instance.fields if instance.obj_attr_is_set(name)]
        deleted = None if instance.obj_attr_is_set("deleted") and instance.deleted else False
        fresh = self.get(instance.uuid, loaded, deleted=deleted)
        for name in loaded:
            if fresh.obj_attr_is_set(name):
                setattr(instance, f"_obj_{name}", getattr(fresh, name))
        instance.obj_reset_changes()

    def list_all(self, expected_attrs: Sequence[str] = ()) -> Any:
        """Every living server of the cell."""
        return self._load((), expected_attrs)

    def list_by_host(self, host: str, expected_attrs: Sequence[str] = (), *, node: str | None = None) -> Any:
        """Servers on a host, or on one node of it."""
        where = [INSTANCE.c.host == host]
        if node is not None:
            where.append(INSTANCE.c.node == node)
        return self._load(where, expected_attrs)

    def list_by_host_and_not_type(
        self, host: str, flavor_id: int | None, expected_attrs: Sequence[str] = ()
    ) -> Any:
        """Servers on a host of any other flavor."""
        return self._load((INSTANCE.c.host == host, INSTANCE.c.instance_type_id != flavor_id), expected_attrs)

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        expected_attrs: Sequence[str] = (),
        *,
        sort_keys: Sequence[str] = ("created_at",),
        sort_dirs: Sequence[str] = ("desc",),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        """Filters as Nova's `InstanceList.get_by_filters` takes them. Raises: InstanceNotFound (marker)."""
        if limit == 0:
            return plans.INSTANCES.wrap([])
        where = list(conditions(filters))
        with self._database.read() as connection:
            order_by, beyond = ordering(connection, sort_keys, sort_dirs, marker)
        if beyond is not None:
            where.append(beyond)
        return self._load(where, expected_attrs, deleted=None, order_by=order_by, limit=limit)

    def walk(self, expected_attrs: Sequence[str] = (), *, page_size: int = 100) -> Iterator[Any]:
        """Every living server of the cell, the oldest first, however many there are."""
        marker = None
        while page := self.list_by_filters(
            {"deleted": False},
            expected_attrs,
            sort_keys=("created_at", "id"),
            sort_dirs=("asc", "asc"),
            limit=page_size,
            marker=marker,
        ).objects:
            yield from page
            marker = page[-1].uuid

    def list_active_by_window(
        self,
        begin: datetime,
        end: datetime | None = None,
        *,
        project_id: str | None = None,
        host: str | None = None,
        expected_attrs: Sequence[str] = (),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        """Servers that were there at any time of the window, dead ones too."""
        terminated, launched = INSTANCE.c.terminated_at, INSTANCE.c.launched_at
        where: list[Where] = [sa.or_(terminated.is_(None), terminated > naive(begin))]
        if end:
            where.append(launched < naive(end))
        if project_id:
            where.append(INSTANCE.c.project_id == project_id)
        if host:
            where.append(INSTANCE.c.host == host)
        with self._database.read() as connection:
            order_by, beyond = ordering(connection, ("project_id", "uuid"), ("asc", "asc"), marker)
        if beyond is not None:
            where.append(beyond)
        return self._load(where, expected_attrs, deleted=None, order_by=order_by, limit=limit)

    def list_by_security_groups(self, group_ids: Collection[int], *, granted_by: bool = False) -> Any:
        """Servers in any of the old security groups, or `granted_by` a rule for one of them."""
        link, rule = table_of(rows.SecurityGroupInstanceAssociation), table_of(rows.SecurityGroupRule)
        wanted: Where = link.c.security_group_id.in_(list(group_ids))
        if granted_by:
            wanted = link.c.security_group_id.in_(
                sa.select(rule.c.parent_group_id).where(
                    rule.c.group_id.in_(list(group_ids)), rule.c.deleted == 0
                )
            )
        member = sa.exists().where(link.c.instance_uuid == INSTANCE.c.uuid, link.c.deleted == 0, wanted)
        return self._load((member,), ())

    def list_hung_in_rebooting(self, window_s: int, expected_attrs: Sequence[str] = ()) -> Any:
        """Servers that have been rebooting for longer than the window."""
        since = utcnow() - timedelta(seconds=window_s)
        where = (INSTANCE.c.updated_at <= since, INSTANCE.c.task_state == TaskState.REBOOTING)
        return self._load(where, expected_attrs)

    def _load(
        self,
        where: Iterable[Where],
        expected_attrs: Sequence[str],
        *,
        deleted: bool | None = False,
        order_by: Sequence[Any] = (),
        limit: int | None = None,
    ) -> Any:
        columns = parts.columns_of(expected_attrs)
        selected: list[sa.ColumnElement[Any]] = list(plans.INSTANCES.columns)
        source: sa.FromClause = INSTANCE
        if columns:
            extra = parts.EXTRA
            selected += [extra.c[name].label(f"extra_{name}") for name in columns]
            source = source.outerjoin(extra, extra.c.instance_uuid == INSTANCE.c.uuid)
        if "info_cache" in expected_attrs:
            selected += [column.label(f"cache_{column.name}") for column in CACHE.c]
            source = source.outerjoin(CACHE, CACHE.c.instance_uuid == INSTANCE.c.uuid)
        statement = sa.select(*selected).select_from(source).where(*where).order_by(*order_by).limit(limit)
        if deleted is not None:
            statement = statement.where(INSTANCE.c.deleted != 0 if deleted else INSTANCE.c.deleted == 0)
        with self._database.read() as connection:
            instances = []
            for row in connection.execute(statement):
                values = values_of(row)
                instance = plans.INSTANCES.to_object(values)
                parts.set_parts(instance, expected_attrs, {name: values[f"extra_{name}"] for name in columns})
                if "info_cache" in expected_attrs:
                    instance.info_cache = _cache_of(instance.uuid, values)
                instances.append(instance)
            if instances:
                load_rows(connection, instances, expected_attrs)
        for instance in instances:
            instance.obj_reset_changes(recursive=False)
        return plans.INSTANCES.wrap(instances)


def _cache_of(instance_uuid: str, values: Mapping[str, Any]) -> Any:
    if values["cache_id"] is None:
        return None
    return plans.INFO_CACHES.to_object(
        {column.name: values[f"cache_{column.name}"] for column in CACHE.c} | {"instance_uuid": instance_uuid}
    )
