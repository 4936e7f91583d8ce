"""Servers: create, read with what was asked for, compare-and-swap, end.

Fields that are columns of `instances` are always loaded; what hangs on a server only when it is named
in `expected_attrs`. However many servers are read, the number of statements is the same.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores import instance_parts, plans
from openkeel.db.stores.instance_filters import conditions, ordering
from openkeel.db.stores.instance_rows import DICTIONARIES, METADATA, load_rows
from openkeel.db.stores.plan import aware, dump_object, naive, rows_of, values_of
from openkeel.db.stores.table import Where, end_rows
from openkeel.domain.errors import (
    AlreadyExists,
    Conflict,
    InstanceDeleting,
    InstanceNotFound,
    StateConflict,
)
from openkeel.domain.lifecycle import Keep, Rule, Step
from openkeel.domain.states import TaskState, VMState
from openkeel.objects.base import NovaObject
from openkeel.objects.stores import ANY

INSTANCE: Final = table_of(rows.Instance)
CACHE: Final = table_of(rows.InstanceInfoCache)
# Rows that end with their server. Actions stay: they tell what happened to it.
_ENDS_WITH_SERVER: Final[Sequence[tuple[sa.Table, str]]] = (
    (table_of(rows.InstanceInfoCache), "instance_uuid"),
    (table_of(rows.InstanceMetadata), "instance_uuid"),
    (table_of(rows.InstanceSystemMetadata), "instance_uuid"),
    (table_of(rows.InstanceFault), "instance_uuid"),
    (table_of(rows.InstanceExtra), "instance_uuid"),
    (table_of(rows.InstanceIdMapping), "uuid"),
    (table_of(rows.BlockDeviceMapping), "instance_uuid"),
    (table_of(rows.Migration), "instance_uuid"),
    (table_of(rows.SecurityGroupInstanceAssociation), "instance_uuid"),
    (table_of(rows.ConsoleAuthToken), "instance_uuid"),
    (table_of(rows.Tag), "resource_id"),
)


class InstanceStore:
    """Servers of one cell.

    Args:
        database: Of the cell.
        on_saved: Told of each server that was written, with its states and its name as they were.
    """

    def __init__(
        self, database: Database, on_saved: Callable[[Any, Mapping[str, Any]], None] | None = None
    ) -> None:
        self._database = database
        self._on_saved = on_saved

    # Reading

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

    def part(self, instance_uuid: str, field: str) -> Any:
        """One thing that hangs on a server (`numa_topology`, `pci_requests`...) without the server.

        Raises: InstanceNotFound.
        """
        extra = instance_parts.EXTRA
        statement = sa.select(extra.c[instance_parts.COLUMNS[field]]).where(
            extra.c.instance_uuid == instance_uuid, extra.c.deleted == 0
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        if row is None:
            raise InstanceNotFound(instance_id=instance_uuid)
        return instance_parts.load_part(field, row[0], instance_uuid)

    @retried
    def save_part(self, instance_uuid: str, field: str, part: Any) -> None:
        """Write one thing that hangs on a server. Raises: InstanceNotFound."""
        extra = instance_parts.EXTRA
        values = {instance_parts.COLUMNS[field]: dump_object(part), "updated_at": utcnow()}
        mine = sa.update(extra).where(extra.c.instance_uuid == instance_uuid, extra.c.deleted == 0)
        with self._database.write() as connection:
            if connection.execute(mine.values(values)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance_uuid)

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

    def uuids_by_host(self, host: str, *, node: str | None = None) -> Sequence[str]:
        """The uuids of servers on a host, or on one node of it."""
        where = [INSTANCE.c.host == host]
        if node is not None:
            where.append(INSTANCE.c.node == node)
        return [name for _, name in self._uuids(where)]

    def uuids_by_hosts(self, hosts: Collection[str]) -> dict[str, list[str]]:
        """The uuids of servers by host; hosts without servers have an empty list."""
        found: dict[str, list[str]] = {host: [] for host in hosts}
        for host, name in self._uuids([INSTANCE.c.host.in_(list(hosts))]):
            found[host].append(name)
        return found

    def uuids_unplaced_since(self, before: datetime) -> Sequence[str]:
        """Servers that have been waiting for a host since before: their build may have been cut off."""
        touched = sa.func.coalesce(INSTANCE.c.updated_at, INSTANCE.c.created_at)
        where = (
            INSTANCE.c.host.is_(None),
            INSTANCE.c.vm_state == VMState.BUILDING,
            _is_one_of(INSTANCE.c.task_state, (None, TaskState.SCHEDULING)),
            touched < naive(before),
        )
        return [name for _, name in self._uuids(where)]

    def _uuids(self, where: Iterable[Where]) -> Sequence[Any]:
        statement = sa.select(INSTANCE.c.host, INSTANCE.c.uuid).where(*where, INSTANCE.c.deleted == 0)
        with self._database.read() as connection:
            return connection.execute(statement).all()

    def owners(self, page_size: int) -> Iterator[Sequence[tuple[str, str, str]]]:
        """Pages of (uuid, project, user) of every server the cell ever had rows of."""
        last = 0
        while True:
            statement = (
                sa.select(INSTANCE.c.id, INSTANCE.c.uuid, INSTANCE.c.project_id, INSTANCE.c.user_id)
                .where(INSTANCE.c.id > last)
                .order_by(INSTANCE.c.id)
                .limit(page_size)
            )
            with self._database.read() as connection:
                page = rows_of(connection, statement)
            if not page:
                return
            yield [(name, project_id, user_id) for _, name, project_id, user_id in page]
            last = page[-1][0]

    def usage(self, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
        """What a project, and a user of it, has here: `{"project": {"instances", "cores", "ram"}, ...}`."""
        count = (
            sa.func.count(INSTANCE.c.id),
            sa.func.coalesce(sa.func.sum(INSTANCE.c.vcpus), 0),
            sa.func.coalesce(sa.func.sum(INSTANCE.c.memory_mb), 0),
        )
        statement = sa.select(*count).where(
            INSTANCE.c.deleted == 0,
            INSTANCE.c.project_id == project_id,
            sa.or_(INSTANCE.c.vm_state.is_(None), INSTANCE.c.vm_state != VMState.SOFT_DELETED),
            sa.or_(INSTANCE.c.hidden.is_(None), sa.not_(INSTANCE.c.hidden)),
        )
        scopes = {"project": statement}
        if user_id:
            scopes["user"] = statement.where(INSTANCE.c.user_id == user_id)
        with self._database.read() as connection:
            return {
                scope: dict(
                    zip(("instances", "cores", "ram"), map(int, connection.execute(query).one()), strict=True)
                )
                for scope, query in scopes.items()
            }

    def count_by_vm_state(self, project_id: str, user_id: str, vm_state: str) -> int:
        """How many servers of a user stand in a state."""
        statement = sa.select(sa.func.count()).where(
            INSTANCE.c.deleted == 0,
            INSTANCE.c.project_id == project_id,
            INSTANCE.c.user_id == user_id,
            INSTANCE.c.vm_state == vm_state,
        )
        with self._database.read() as connection:
            return int(connection.scalar(statement) or 0)

    def _load(
        self,
        where: Iterable[Where],
        expected_attrs: Sequence[str],
        *,
        deleted: bool | None = False,
        order_by: Sequence[Any] = (),
        limit: int | None = None,
    ) -> Any:
        parts = instance_parts.columns_of(expected_attrs)
        selected: list[sa.ColumnElement[Any]] = list(plans.INSTANCES.columns)
        source: sa.FromClause = INSTANCE
        if parts:
            extra = instance_parts.EXTRA
            selected += [extra.c[name].label(f"extra_{name}") for name in parts]
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
                instance_parts.set_parts(
                    instance, expected_attrs, {name: values[f"extra_{name}"] for name in parts}
                )
                if "info_cache" in expected_attrs:
                    instance.info_cache = _cache_of(instance.uuid, values)
                instances.append(instance)
            if instances:
                load_rows(connection, instances, expected_attrs)
        for instance in instances:
            instance.obj_reset_changes(recursive=False)
        return plans.INSTANCES.wrap(instances)

    # Writing

    @retried
    def create(self, instance: Any) -> None:
        """Insert it with its extra, metadata, system metadata and info cache.

        Raises: AlreadyExists.
        """
        now = utcnow()
        if not instance.obj_attr_is_set("uuid"):
            instance.uuid = str(uuid.uuid4())
        row = plans.INSTANCES.new_row(instance, now)
        set_fields = [name for name in instance.fields if instance.obj_attr_is_set(name)]
        fresh = {"created_at": now, "deleted": 0}
        cache = instance.info_cache if "info_cache" in set_fields else None
        cached = plans.INFO_CACHES.values(cache, ["network_info"]) if cache else {"network_info": "[]"}
        try:
            with self._database.write() as connection:
                key = connection.execute(sa.insert(INSTANCE).values(row)).inserted_primary_key
                extra = dict.fromkeys(set(instance_parts.COLUMNS.values()))
                extra |= instance_parts.dump_parts(instance, set_fields)
                connection.execute(
                    sa.insert(instance_parts.EXTRA).values(instance_uuid=instance.uuid, **fresh, **extra)
                )
                connection.execute(sa.insert(CACHE).values(instance_uuid=instance.uuid, **fresh, **cached))
                connection.execute(
                    sa.insert(table_of(rows.InstanceIdMapping)).values(uuid=instance.uuid, **fresh)
                )
                for field, dictionaries in DICTIONARIES.items():
                    if field in set_fields:
                        dictionaries.insert(connection, instance.uuid, getattr(instance, field), now)
        except DBDuplicateEntry as error:
            raise AlreadyExists(f"Instance {instance.uuid} already exists.") from error
        plans.INSTANCES.fill(instance, {"deleted_at": None, **row, "id": key[0] if key else None})
        if cache is None:
            instance.info_cache = objects.InstanceInfoCache(instance_uuid=instance.uuid, network_info=[])
        instance.obj_reset_changes(recursive=True)

    @retried
    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        """Write the changes if the row still stands in an expected state (a value or a tuple).

        Raises: InstanceNotFound; InstanceDeleting when it is being deleted and that was not
        expected; StateConflict.
        """
        changed = instance.obj_what_changed()
        expected = {"vm_state": expected_vm_state, "task_state": expected_task_state}
        if not changed and all(value is ANY for value in expected.values()):
            return
        now = utcnow()
        values = plans.INSTANCES.values(instance, changed)
        is_dead = instance.obj_attr_is_set("deleted") and instance.deleted
        where: list[Where] = [INSTANCE.c.uuid == instance.uuid]
        if not is_dead:
            where.append(INSTANCE.c.deleted == 0)
        where += [
            _is_one_of(INSTANCE.c[column], accepted)
            for column, accepted in expected.items()
            if accepted is not ANY
        ]
        statement = sa.update(INSTANCE).where(*where).values(updated_at=now, **values)
        with self._database.write() as connection:
            before = self._before(connection, instance.uuid)
            if connection.execute(statement).rowcount == 0:
                raise _why_not(connection, instance.uuid, expected)
            self._save_parts(connection, instance, changed, now)
            self._save_rows(connection, instance, changed, now)
        instance.updated_at = aware(now)
        _reset_saved(instance, changed)
        self._saved(instance, before)

    def _before(self, connection: sa.Connection, instance_uuid: str) -> Mapping[str, Any]:
        """What changes are told by, if anybody wants to know of them."""
        if self._on_saved is None:
            return {}
        names = (INSTANCE.c.vm_state, INSTANCE.c.task_state, INSTANCE.c.display_name)
        row = connection.execute(sa.select(*names).where(INSTANCE.c.uuid == instance_uuid)).first()
        return {} if row is None else values_of(row)

    def _saved(self, instance: Any, before: Mapping[str, Any]) -> None:
        if self._on_saved is not None and before:
            self._on_saved(instance, before)

    def _save_parts(
        self, connection: sa.Connection, instance: Any, changed: Collection[str], now: datetime
    ) -> None:
        parts = {field for field in changed if field in instance_parts.COLUMNS}
        if not parts:
            return
        extra = instance_parts.EXTRA
        mine = extra.c.instance_uuid == instance.uuid
        stored: str | None = None
        if "flavor" in instance_parts.columns_of(parts):
            stored = connection.scalar(sa.select(extra.c.flavor).where(mine))
        values = instance_parts.dump_parts(instance, parts, stored_flavors=stored)
        connection.execute(sa.update(extra).where(mine).values(updated_at=now, **values))

    def _save_rows(
        self, connection: sa.Connection, instance: Any, changed: Collection[str], now: datetime
    ) -> None:
        for field, dictionaries in DICTIONARIES.items():
            if field in changed:
                dictionaries.merge(connection, instance.uuid, getattr(instance, field), now)
        if "info_cache" in changed and instance.info_cache is not None:
            cached = plans.INFO_CACHES.values(instance.info_cache, ["network_info"])
            connection.execute(
                sa.update(CACHE)
                .where(CACHE.c.instance_uuid == instance.uuid)
                .values(updated_at=now, **cached)
            )
        if "pci_devices" in changed and instance.pci_devices is not None:
            table = plans.PCI_DEVICES.table
            for device in instance.pci_devices:
                values = plans.PCI_DEVICES.values(device, device.obj_what_changed())
                if values:
                    connection.execute(
                        sa.update(table).where(table.c.id == device.id).values(updated_at=now, **values)
                    )

    def move(self, instance: Any, rule: Rule, step: Step) -> None:
        """Move it along a lifecycle rule: one compare-and-swap. Raises as `save`."""
        vm_states, task_states = rule.expects(step)
        vm_state, task_state = rule.leads_to(step)
        before = (instance.vm_state, instance.task_state)
        if not isinstance(vm_state, Keep):
            instance.vm_state = vm_state
        instance.task_state = task_state
        try:
            self.save(
                instance,
                expected_vm_state=ANY if vm_states is None else tuple(vm_states),
                expected_task_state=ANY if task_states is None else tuple(task_states),
            )
        except Exception:
            instance.vm_state, instance.task_state = before
            instance.obj_reset_changes(["vm_state", "task_state"])
            raise

    @retried
    def destroy(self, instance: Any) -> None:
        """Soft-delete the row and what hangs on it.

        Raises: InstanceNotFound; Conflict when it was without a host and has got one meanwhile.
        """
        now = utcnow()
        where: list[Where] = [INSTANCE.c.uuid == instance.uuid, INSTANCE.c.deleted == 0]
        homeless = instance.obj_attr_is_set("host") and instance.host is None
        if homeless:
            where.append(INSTANCE.c.host.is_(None))
        statement = (
            sa.update(INSTANCE)
            .where(*where)
            .values(deleted=INSTANCE.c.id, deleted_at=now, updated_at=INSTANCE.c.updated_at)
        )
        with self._database.write() as connection:
            if connection.execute(statement).rowcount == 0:
                present = _states(connection, instance.uuid)
                if present is None or present["deleted"]:
                    raise InstanceNotFound(instance_id=instance.uuid)
                raise Conflict(
                    f"Instance {instance.uuid} got a host while it was being deleted.",
                    action="destroy",
                    reason="host changed",
                    instance_uuid=instance.uuid,
                )
            for table, owner in _ENDS_WITH_SERVER:
                end_rows(connection, table, table.c[owner] == instance.uuid, now=now)
        instance.deleted = True
        instance.deleted_at = aware(now)
        instance.obj_reset_changes(["deleted", "deleted_at"])

    @retried
    def purge(self, instance_uuid: str) -> None:
        """Remove the row and all that hangs on it for good, as if it had never been here.

        Raises: InstanceNotFound.
        """
        action = table_of(rows.InstanceAction)
        event = table_of(rows.InstanceActionEvent)
        mine = action.c.instance_uuid == instance_uuid
        with self._database.write() as connection:
            connection.execute(
                sa.delete(event).where(event.c.action_id.in_(sa.select(action.c.id).where(mine)))
            )
            connection.execute(sa.delete(action).where(mine))
            for table, owner in (*_ENDS_WITH_SERVER, (table_of(rows.VirtualInterface), "instance_uuid")):
                connection.execute(sa.delete(table).where(table.c[owner] == instance_uuid))
            if connection.execute(sa.delete(INSTANCE).where(INSTANCE.c.uuid == instance_uuid)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance_uuid)

    @retried
    def write_metadata(
        self, instance: Any, values: Mapping[str, str], *, remove: Iterable[str] | None = ()
    ) -> None:
        """Set items of the owner's metadata and end those to `remove`; None ends all that are not set.

        What others write at the same time stays, since nothing else is touched; the object has all of
        it afterwards. Raises: InstanceNotFound.
        """
        now = utcnow()
        with self._database.write() as connection:
            # First of all, so that writers wait for each other here.
            mine = sa.update(INSTANCE).where(INSTANCE.c.uuid == instance.uuid, INSTANCE.c.deleted == 0)
            if connection.execute(mine.values(updated_at=now)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance.uuid)
            before = self._before(connection, instance.uuid)
            METADATA.merge(connection, instance.uuid, values, now, remove=remove)
            left = METADATA.read(connection, [instance.uuid])[instance.uuid]
        instance.metadata = left
        instance.obj_reset_changes(["metadata"])
        self._saved(instance, before)

    def delete_metadata_key(self, instance: Any, key: str) -> None:
        """Remove one key of the owner's metadata. Raises: InstanceNotFound."""
        self.write_metadata(instance, {}, remove=[key])


def _cache_of(instance_uuid: str, values: Mapping[str, Any]) -> Any:
    if values["cache_id"] is None:
        return None
    return plans.INFO_CACHES.to_object(
        {column.name: values[f"cache_{column.name}"] for column in CACHE.c} | {"instance_uuid": instance_uuid}
    )


def _is_one_of(column: sa.ColumnElement[Any], accepted: Any) -> Where:
    """SQL for: the column holds one of the accepted values, where None is one too."""
    values = set(accepted) if isinstance(accepted, (tuple, list, set, frozenset)) else {accepted}
    named = sorted(str(value) for value in values if value is not None)
    tests: list[Where] = [column.in_(named)] if named else []
    if None in values:
        tests.append(column.is_(None))
    return sa.or_(*tests) if tests else sa.false()


def _states(connection: sa.Connection, instance_uuid: str) -> Mapping[str, Any] | None:
    columns = (INSTANCE.c.vm_state, INSTANCE.c.task_state, INSTANCE.c.deleted)
    row = connection.execute(sa.select(*columns).where(INSTANCE.c.uuid == instance_uuid)).first()
    return None if row is None else values_of(row)


def _why_not(connection: sa.Connection, instance_uuid: str, expected: Mapping[str, Any]) -> Exception:
    """Read again and say which case it is."""
    found = _states(connection, instance_uuid)
    if found is None or found["deleted"]:
        return InstanceNotFound(instance_id=instance_uuid)
    if found["task_state"] == TaskState.DELETING:
        return InstanceDeleting(
            instance_uuid=instance_uuid, expected=_plain(expected), found=TaskState.DELETING.value
        )
    return StateConflict(
        instance_uuid=instance_uuid,
        expected=_plain(expected),
        found={"vm_state": found["vm_state"], "task_state": found["task_state"]},
    )


def _plain(expected: Mapping[str, Any]) -> dict[str, Any]:
    """Expected states as they can travel in an error."""
    plain: dict[str, Any] = {}
    for column, accepted in expected.items():
        if accepted is ANY:
            continue
        values = accepted if isinstance(accepted, (tuple, list, set, frozenset)) else (accepted,)
        plain[column] = sorted((None if value is None else str(value) for value in values), key=str)
    return plain


def _reset_saved(instance: Any, changed: Collection[str]) -> None:
    for field in changed:
        part = getattr(instance, field)
        if isinstance(part, NovaObject):
            part.obj_reset_changes(recursive=True)
    instance.obj_reset_changes(recursive=False)
