"""Servers for lists and views: rows of one cell, and what the API database knows beside them.

A page costs one statement for the servers and one for each part that a view needs, however many
servers are on it. Nothing here makes objects.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBError

from openkeel.db.models import api as api_rows
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores.server_filters import INSTANCE, Order, ServerFilter, Where
from openkeel.db.stores.server_rows import (
    COLUMNS,
    DATA,
    Fault,
    Need,
    ServerRow,
    Volume,
    certificates_of,
    flavor_of,
    from_build_request,
)
from openkeel.domain.errors import Invalid
from openkeel.domain.server_status import UNKNOWN, WITH_FAULT
from openkeel.objects.network_info import NetworkInfo

EXTRA: Final = table_of(rows.InstanceExtra)
CACHE: Final = table_of(rows.InstanceInfoCache)
METADATA: Final = table_of(rows.InstanceMetadata)
SYSTEM_METADATA: Final = table_of(rows.InstanceSystemMetadata)
FAULT: Final = table_of(rows.InstanceFault)
TAG: Final = table_of(rows.Tag)
DISK: Final = table_of(rows.BlockDeviceMapping)
SERVICE: Final = table_of(rows.Service)

_SPEC: Final = table_of(api_rows.RequestSpec)
_MAPPING: Final = table_of(api_rows.InstanceMapping)

_BRIEF: Final = ("uuid", "display_name", "vm_state", "task_state", "host", "project_id", "user_id")
COMPUTE_BINARY: Final = "nova-compute"
_ADDRESS_BATCH: Final = 500  # servers read at once while looking for an address


@dataclass(frozen=True, slots=True)
class ServiceState:
    """What tells whether a daemon is well. Fields are columns."""

    last_seen_up: datetime | None
    updated_at: datetime | None
    created_at: datetime | None
    forced_down: bool | None
    disabled: bool | None


class CellServerReads:
    """Servers of one cell as rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        wanted: ServerFilter,
        order: Order,
        limit: int,
        needs: Collection[Need],
        after: Sequence[Any] | None = None,
    ) -> list[ServerRow]:
        """At most `limit` servers, in order, behind the one with the values `after`.

        Raises: Invalid when the database does not understand a pattern.
        """
        if not wanted.address_patterns:
            return self._page(wanted, order, limit, frozenset(needs), after)
        with_network = frozenset({*needs, Need.NETWORK})
        found: list[ServerRow] = []
        while len(found) < limit:
            batch = self._page(wanted, order, _ADDRESS_BATCH, with_network, after)
            found += [row for row in batch if wanted.accepts_addresses(row)]
            if len(batch) < _ADDRESS_BATCH:
                break
            after = order.values(batch[-1])
        return found[:limit]

    def _page(
        self,
        wanted: ServerFilter,
        order: Order,
        limit: int,
        needs: frozenset[Need],
        after: Sequence[Any] | None,
    ) -> list[ServerRow]:
        dialect = self._database.engine.dialect.name
        where = list(wanted.clauses(dialect))
        if after is not None:
            where.append(order.beyond(after))
        names = {name for name, _ in order.keys}
        statement = _select(needs, names).where(*where).order_by(*order.order_by(dialect)).limit(limit)
        try:
            return self._load(statement, needs)
        except DBError as error:
            if wanted.patterns:
                raise Invalid("A filter is not a regular expression that the database knows.") from error
            raise

    def find(self, uuid: str, needs: Collection[Need]) -> ServerRow | None:
        """One living server."""
        needs = frozenset(needs)
        statement = _select(needs, ()).where(INSTANCE.c.uuid == uuid, INSTANCE.c.deleted == 0)
        found = self._load(statement, needs)
        return found[0] if found else None

    def values_of(self, uuid: str, order: Order) -> list[Any] | None:
        """Where a server stands in an order, also when it is deleted; None when it is not here."""
        statement = sa.select(*order.columns()).where(INSTANCE.c.uuid == uuid)
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None else list(row)

    def add_host_status(self, found: Sequence[ServerRow], judge: Callable[[ServiceState], str]) -> None:
        """Fill in how the hosts of the servers are, as `judge` sees it; "" for the dead and those on none."""
        hosts = sorted({row.host for row in found if row.host and not row.deleted})
        if not hosts:
            return
        columns = [SERVICE.c[name] for name in ("host", *(one.name for one in fields(ServiceState)))]
        statement = sa.select(*columns).where(
            SERVICE.c.host.in_(hosts), SERVICE.c.binary == COMPUTE_BINARY, SERVICE.c.deleted == 0
        )
        with self._database.read() as connection:
            states = {host: judge(ServiceState(*state)) for host, *state in connection.execute(statement)}
        for row in found:
            row.host_status = states.get(row.host, "UNKNOWN") if row.host and not row.deleted else ""

    # Loading

    def _load(self, statement: sa.Select[Any], needs: frozenset[Need]) -> list[ServerRow]:
        with self._database.read() as connection:
            found = [_row(record) for record in connection.execute(statement).mappings()]
            if found:
                _Parts(connection, found).load(needs)
        return found


def _select(needs: frozenset[Need], more: Iterable[str]) -> sa.Select[Any]:
    names = dict.fromkeys(COLUMNS if Need.DETAIL in needs else (*_BRIEF, *more))
    if Need.USER_DATA not in needs:
        names.pop("user_data", None)  # up to 64 KiB each
    columns: list[Any] = [INSTANCE.c[name] for name in names]
    source: Any = INSTANCE
    if needs & {Need.FLAVOR, Need.CERTIFICATES}:
        columns += [EXTRA.c.flavor.label("_flavor"), EXTRA.c.trusted_certs.label("_certificates")]
        source = source.outerjoin(EXTRA, EXTRA.c.instance_uuid == INSTANCE.c.uuid)
    if Need.NETWORK in needs:
        columns.append(CACHE.c.network_info.label("_network_info"))
        source = source.outerjoin(CACHE, CACHE.c.instance_uuid == INSTANCE.c.uuid)
    return sa.select(*columns).select_from(source)


def _row(record: sa.RowMapping) -> ServerRow:
    values = {name: value for name, value in record.items() if not name.startswith("_")}
    row = ServerRow(**values)
    if "_flavor" in record:
        row.flavor = flavor_of(record["_flavor"])
        row.certificates = certificates_of(record["_certificates"])
    if "_network_info" in record:
        row.network_info = NetworkInfo.from_json(record["_network_info"])
    return row


def _tuples(result: sa.CursorResult[Any]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in result]


class _Parts:
    """What hangs on the servers of a page: one statement each."""

    def __init__(self, connection: sa.Connection, found: Sequence[ServerRow]) -> None:
        self._connection = connection
        self._rows = {row.uuid: row for row in found}

    def load(self, needs: frozenset[Need]) -> None:
        if Need.METADATA in needs:
            self._pairs(METADATA, "metadata")
        if Need.SYSTEM_METADATA in needs:
            shown = sa.or_(
                SYSTEM_METADATA.c.key.like("image\\_%", escape="\\"), SYSTEM_METADATA.c.key == "locked_reason"
            )
            self._pairs(SYSTEM_METADATA, "system_metadata", shown)
        if Need.FAULT in needs:
            self._faults()
        if Need.TAGS in needs:
            self._tags()
        if Need.VOLUMES in needs:
            self._volumes()

    def _execute(self, statement: sa.Select[Any]) -> Sequence[tuple[Any, ...]]:
        return _tuples(self._connection.execute(statement))

    def _pairs(self, table: sa.Table, attribute: str, *where: Where) -> None:
        statement = sa.select(table.c.instance_uuid, table.c.key, table.c.value).where(
            table.c.instance_uuid.in_(list(self._rows)), table.c.deleted == 0, *where
        )
        kept: dict[str, dict[str, str]] = defaultdict(dict)
        for uuid, key, value in self._execute(statement):
            kept[uuid][key] = value
        for uuid, pairs in kept.items():
            setattr(self._rows[uuid], attribute, pairs)

    def _faults(self) -> None:
        uuids = [row.uuid for row in self._rows.values() if row.status in WITH_FAULT]
        if not uuids:
            return
        latest = (
            sa.select(sa.func.max(FAULT.c.id))
            .where(FAULT.c.instance_uuid.in_(uuids), FAULT.c.deleted == 0)
            .group_by(FAULT.c.instance_uuid)
        )
        statement = sa.select(
            FAULT.c.instance_uuid, FAULT.c.code, FAULT.c.message, FAULT.c.created_at, FAULT.c.details
        ).where(FAULT.c.id.in_(latest))
        for uuid, code, message, created_at, details in self._execute(statement):
            self._rows[uuid].fault = Fault(code, message or "", created_at, details)

    def _tags(self) -> None:
        statement = sa.select(TAG.c.resource_id, TAG.c.tag).where(TAG.c.resource_id.in_(list(self._rows)))
        kept: dict[str, list[str]] = defaultdict(list)
        for uuid, tag in self._execute(statement.order_by(TAG.c.tag)):
            kept[uuid].append(tag)
        for uuid, tags in kept.items():
            self._rows[uuid].tags = tags

    def _volumes(self) -> None:
        statement = (
            sa.select(DISK.c.instance_uuid, DISK.c.volume_id, DISK.c.delete_on_termination)
            .where(
                DISK.c.instance_uuid.in_(list(self._rows)), DISK.c.deleted == 0, DISK.c.volume_id.is_not(None)
            )
            .order_by(DISK.c.id)
        )
        kept: dict[str, list[Volume]] = defaultdict(list)
        for uuid, volume_id, ends_with_server in self._execute(statement):
            kept[uuid].append(Volume(volume_id, bool(ends_with_server)))
        for uuid, volumes in kept.items():
            self._rows[uuid].volumes = volumes


class ApiServerReads:
    """What the API database says about servers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def build_requests(self, wanted: ServerFilter, project_id: str | None) -> list[ServerRow]:
        """Servers that no cell knows yet. One statement; few exist at any time."""
        table = table_of(api_rows.BuildRequest)
        statement = sa.select(table.c.instance, table.c.tags, table.c.created_at).where(
            table.c.instance.is_not(None)
        )
        if project_id is not None:
            statement = statement.where(table.c.project_id == project_id)
        with self._database.read() as connection:
            found = [from_build_request(*record) for record in _tuples(connection.execute(statement))]
        return [row for row in found if wanted.accepts(row)]

    def find_build_request(self, uuid: str) -> ServerRow | None:
        """The server while no cell knows it."""
        table = table_of(api_rows.BuildRequest)
        statement = sa.select(table.c.instance, table.c.tags, table.c.created_at).where(
            table.c.instance_uuid == uuid
        )
        with self._database.read() as connection:
            record = connection.execute(statement).first()
        return None if record is None or record[0] is None else from_build_request(*record)

    def add_specs(self, found: Sequence[ServerRow]) -> None:
        """Fill in what the user asked of the scheduler: zone and hints."""
        by_uuid = {row.uuid: row for row in found}
        statement = sa.select(_SPEC.c.instance_uuid, _SPEC.c.spec).where(
            _SPEC.c.instance_uuid.in_(list(by_uuid))
        )
        for uuid, text in self._all(statement):
            spec = json.loads(text)[DATA]
            by_uuid[uuid].pinned_zone = spec.get("availability_zone")
            by_uuid[uuid].scheduler_hints = spec.get("scheduler_hints") or {}

    def add_groups(self, found: Sequence[ServerRow]) -> None:
        """Fill in the server groups."""
        member, group = table_of(api_rows.InstanceGroupMember), table_of(api_rows.InstanceGroup)
        by_uuid = {row.uuid: row for row in found}
        statement = (
            sa.select(member.c.instance_uuid, group.c.uuid)
            .join_from(member, group, member.c.group_id == group.c.id)
            .where(member.c.instance_uuid.in_(list(by_uuid)))
        )
        for uuid, group_uuid in self._all(statement):
            by_uuid[uuid].groups = [group_uuid]  # a server is in one group at most

    def in_cell(self, cell_id: int, project_id: str | None, limit: int) -> list[ServerRow]:
        """Servers of a cell that does not answer, as far as their mappings tell."""
        return self._mapped(_MAPPING.c.cell_id == cell_id, project_id=project_id, limit=limit)

    def find_mapped(self, uuid: str) -> ServerRow | None:
        """One server of a cell that does not answer, with what its request spec tells."""
        found = self._mapped(_MAPPING.c.instance_uuid == uuid, limit=1)
        if not found:
            return None
        row = found[0]
        statement = sa.select(_SPEC.c.spec).where(_SPEC.c.instance_uuid == uuid)
        for (text,) in self._all(statement):
            spec = json.loads(text)[DATA]
            flavor, image = spec.get("flavor"), spec.get("image")
            row.flavor = flavor[DATA] if flavor else {}
            row.image_ref = image[DATA].get("id") if image else None
            row.zone = spec.get("availability_zone") or UNKNOWN
        return row

    def _mapped(self, *where: Where, project_id: str | None = None, limit: int) -> list[ServerRow]:
        living = sa.func.coalesce(_MAPPING.c.queued_for_delete, sa.false()) == sa.false()
        statement = sa.select(
            _MAPPING.c.instance_uuid, _MAPPING.c.project_id, _MAPPING.c.user_id, _MAPPING.c.created_at
        ).where(*where, living)
        if project_id is not None:
            statement = statement.where(_MAPPING.c.project_id == project_id)
        statement = statement.order_by(_MAPPING.c.created_at.desc(), _MAPPING.c.id.desc()).limit(limit)
        return [
            ServerRow(uuid, project_id=project, user_id=user, created_at=created_at, is_down=True)
            for uuid, project, user, created_at in self._all(statement)
        ]

    def _all(self, statement: sa.Select[Any]) -> Sequence[tuple[Any, ...]]:
        with self._database.read() as connection:
            return _tuples(connection.execute(statement))
