"""Services, hypervisors and what runs on them: rows of one cell for lists and views."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores.plan import values_of

_SERVICE: Final = table_of(rows.Service)
_NODE: Final = table_of(rows.ComputeNode)
_INSTANCE: Final = table_of(rows.Instance)

COMPUTE: Final = "nova-compute"
# API processes leave a row for their version only: they are no service anybody manages.
_API_BINARIES: Final = ("nova-osapi_compute", "nova-metadata")

_SERVED: Final = sa.and_(
    _SERVICE.c.host == _NODE.c.host, _SERVICE.c.binary == COMPUTE, _SERVICE.c.deleted == 0
)

_HEARTBEAT: Final = (
    "id",
    "uuid",
    "host",
    "disabled",
    "disabled_reason",
    "forced_down",
    "last_seen_up",
    "created_at",
    "updated_at",
)
_BRIEF: Final = ("id", "uuid", "hypervisor_hostname", "host")
_FULL: Final = (
    "hypervisor_type",
    "hypervisor_version",
    "host_ip",
    "vcpus",
    "memory_mb",
    "local_gb",
    "vcpus_used",
    "memory_mb_used",
    "local_gb_used",
    "free_ram_mb",
    "free_disk_gb",
    "current_workload",
    "running_vms",
    "disk_available_least",
    "cpu_info",
)
SUMMED: Final = (
    "vcpus",
    "memory_mb",
    "local_gb",
    "vcpus_used",
    "memory_mb_used",
    "local_gb_used",
    "free_ram_mb",
    "free_disk_gb",
    "current_workload",
    "running_vms",
    "disk_available_least",
)


class CellHostReads:
    """Hosts of one cell as rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def services(self, host: str | None = None, binary: str | None = None) -> list[sa.Row[Any]]:
        """Services in the order they came, without those of API processes."""
        where = [_SERVICE.c.deleted == 0, _SERVICE.c.binary.not_in(_API_BINARIES)]
        if host:
            where.append(_SERVICE.c.host == host)
        if binary:
            where.append(_SERVICE.c.binary == binary)
        columns = [_SERVICE.c[name] for name in (*_HEARTBEAT, "binary", "topic")]
        with self._database.read() as connection:
            return list(connection.execute(sa.select(*columns).where(*where).order_by(_SERVICE.c.id)))

    def service(self, key: int | str) -> sa.Row[Any] | None:
        """One service by id or uuid, whatever its kind."""
        column = _SERVICE.c.id if isinstance(key, int) else _SERVICE.c.uuid
        columns = [_SERVICE.c[name] for name in (*_HEARTBEAT, "binary", "topic")]
        statement = sa.select(*columns).where(column == key, _SERVICE.c.deleted == 0)
        with self._database.read() as connection:
            return connection.execute(statement).first()

    def hypervisors(
        self,
        *,
        full: bool,
        name_part: str | None = None,
        key: int | str | None = None,
        after_id: int | None = None,
        limit: int | None = None,
    ) -> list[sa.Row[Any]]:
        """Nodes with the service of their host, as columns `service_*`, by id.

        Args:
            full: with what a node has and uses.
            name_part: text that the name holds.
            key: only the one with this id or uuid.
            after_id: only ids beyond.
            limit: at most so many.
        """
        columns = [_NODE.c[name] for name in (*_BRIEF, *(_FULL if full else ()))]
        service = [_SERVICE.c[name].label(f"service_{name}") for name in _HEARTBEAT]
        where = [_NODE.c.deleted == 0]
        if name_part is not None:
            where.append(_NODE.c.hypervisor_hostname.contains(name_part, autoescape=True))
        if key is not None:
            where.append((_NODE.c.id if isinstance(key, int) else _NODE.c.uuid) == key)
        if after_id is not None:
            where.append(_NODE.c.id > after_id)
        statement = (
            sa.select(*columns, *service)
            .join(_SERVICE, _SERVED)
            .where(*where)
            .order_by(_NODE.c.id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return list(connection.execute(statement))

    def totals(self) -> Mapping[str, int]:
        """Sums over all nodes that have a service, and their `count`."""
        sums = [sa.func.coalesce(sa.func.sum(_NODE.c[name]), 0).label(name) for name in SUMMED]
        statement = (
            sa.select(sa.func.count().label("count"), *sums)
            .select_from(_NODE)
            .join(_SERVICE, _SERVED)
            .where(_NODE.c.deleted == 0, _SERVICE.c.disabled.is_(sa.false()))
        )
        with self._database.read() as connection:
            found = connection.execute(statement).one()
        return {name: int(value) for name, value in values_of(found).items()}

    def servers(self, hosts: Collection[str]) -> list[sa.Row[Any]]:
        """Servers on hosts: host, node, id and uuid."""
        names = ("id", "uuid", "host", "node")
        statement = sa.select(*(_INSTANCE.c[name] for name in names)).where(
            _INSTANCE.c.deleted == 0, _INSTANCE.c.host.in_(hosts)
        )
        with self._database.read() as connection:
            return list(connection.execute(statement.order_by(_INSTANCE.c.id)))

    def resources(self, host: str) -> list[sa.Row[Any]]:
        """What the nodes of a host have and use."""
        names = ("vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used")
        statement = sa.select(*(_NODE.c[name] for name in names)).where(
            _NODE.c.deleted == 0, _NODE.c.host == host
        )
        with self._database.read() as connection:
            return list(connection.execute(statement.order_by(_NODE.c.id)))

    def usage_by_project(self, host: str) -> dict[str, tuple[int, int, int]]:
        """Processors, memory and disk that the servers of each project on a host may use."""
        amounts = (
            _INSTANCE.c.vcpus,
            _INSTANCE.c.memory_mb,
            sa.func.coalesce(_INSTANCE.c.root_gb, 0) + sa.func.coalesce(_INSTANCE.c.ephemeral_gb, 0),
        )
        sums = [sa.func.coalesce(sa.func.sum(amount), 0) for amount in amounts]
        statement = (
            sa.select(_INSTANCE.c.project_id, *sums)
            .where(_INSTANCE.c.deleted == 0, _INSTANCE.c.host == host)
            .group_by(_INSTANCE.c.project_id)
            .order_by(sa.func.min(_INSTANCE.c.id))
        )
        with self._database.read() as connection:
            return {
                project or "": (int(cpu), int(memory), int(disk))
                for project, cpu, memory, disk in connection.execute(statement)
            }

    def has_servers(self, hosts: Collection[str]) -> bool:
        """Whether any server is on any of the hosts."""
        statement = sa.select(_INSTANCE.c.id).where(_INSTANCE.c.deleted == 0, _INSTANCE.c.host.in_(hosts))
        with self._database.read() as connection:
            return connection.execute(statement.limit(1)).first() is not None
