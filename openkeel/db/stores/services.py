"""Daemons and their heartbeats."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models.base import utcnow
from openkeel.db.session import Database
from openkeel.db.stores import plans
from openkeel.db.stores.plan import aware, values_of
from openkeel.db.stores.table import TableStore
from openkeel.db.witness import Witness
from openkeel.domain.errors import ServiceBinaryExists, ServiceNotFound

SERVICE: Final = plans.SERVICES.table
NODE: Final = plans.COMPUTE_NODES.table
COMPUTE: Final = "nova-compute"

_STATUS: Final = frozenset({"disabled", "disabled_reason", "forced_down"})  # all else is the pulse


class ServiceStore(TableStore[Any]):
    """Service records of one cell."""

    plan = plans.SERVICES
    not_found = ServiceNotFound
    exists = ServiceBinaryExists

    def __init__(self, database: Database, witness: Witness | None = None) -> None:
        super().__init__(database)
        self._witness = witness

    def create(self, item: Any) -> None:
        """Raises: ServiceBinaryExists."""
        super().create(item)
        if self._witness is not None:
            self._witness.service_created(item)

    def save(self, item: Any) -> None:
        """Write what was changed. Raises: NotFound.

        Compat: a pulse of Nova's daemons is a higher count alone; the moment is noted here.
        """
        changed = item.obj_what_changed()
        if "report_count" in changed and "last_seen_up" not in changed and item.report_count:
            item.last_seen_up = aware(utcnow())
        is_told = not _STATUS.isdisjoint(changed)
        super().save(item)
        if is_told and self._witness is not None:
            self._witness.service_updated(item)

    def find(self, host: str, binary: str) -> Any | None:
        """The record of a daemon on a host."""
        return self._find(SERVICE.c.host == host, SERVICE.c.binary == binary)

    def find_by_topic(self, host: str, topic: str) -> Any | None:
        """The record of a daemon that listens to a topic."""
        return self._find(SERVICE.c.host == host, SERVICE.c.topic == topic, sa.not_(SERVICE.c.disabled))

    def get(self, id_: int) -> Any:
        """Raises: NotFound."""
        return self._get(SERVICE.c.id == id_, service_id=id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._get(SERVICE.c.uuid == uuid, service_id=uuid)

    def find_compute(self, host: str) -> Any | None:
        """The compute of a host."""
        return self.find(host, COMPUTE)

    def list(self, *, disabled: bool | None = None) -> Any:
        """All daemons of the cell."""
        return self._list(*_disabled(disabled))

    def list_by_binary(self, binary: str, *, include_disabled: bool = False) -> Any:
        """All daemons of a kind."""
        return self._list(SERVICE.c.binary == binary, *_disabled(None if include_disabled else False))

    def list_by_host(self, host: str) -> Any:
        """All daemons of a host."""
        return self._list(SERVICE.c.host == host)

    def list_by_topic(self, topic: str) -> Any:
        """All enabled daemons that listen to a topic."""
        return self._list(SERVICE.c.topic == topic, *_disabled(disabled=False))

    def list_computes_by_hypervisor(self, hypervisor_type: str) -> Any:
        """Enabled computes that have a node of this kind."""
        hosts = sa.select(NODE.c.host).where(NODE.c.hypervisor_type == hypervisor_type, NODE.c.deleted == 0)
        return self._list(SERVICE.c.binary == COMPUTE, SERVICE.c.host.in_(hosts), *_disabled(disabled=False))

    def minimum_version(self, binary: str) -> int:
        """The lowest version among the daemons of a kind that are not forced down; 0 if there are none."""
        return self.minimum_versions([binary])[binary]

    def minimum_versions(self, binaries: Collection[str]) -> Mapping[str, int]:
        """The lowest version of each kind."""
        statement = (
            sa.select(SERVICE.c.binary, sa.func.min(SERVICE.c.version))
            .where(
                SERVICE.c.binary.in_(list(binaries)),
                SERVICE.c.deleted == 0,
                sa.func.coalesce(SERVICE.c.forced_down, sa.false()).is_(sa.false()),
            )
            .group_by(SERVICE.c.binary)
        )
        with self._database.read() as connection:
            found = {binary: version or 0 for binary, version in connection.execute(statement)}
        return {binary: found.get(binary, 0) for binary in binaries}

    def destroy(self, item: Any) -> None:
        """End a record, and the nodes of a compute with it. Raises: NotFound."""
        with self._database.write() as connection:
            if self._end(connection, SERVICE.c.id == item.id) == 0:
                raise self.not_found(service_id=item.id)
            if item.binary == COMPUTE:
                nodes = sa.update(NODE).where(NODE.c.host == item.host, NODE.c.deleted == 0)
                connection.execute(nodes.values(deleted=NODE.c.id, deleted_at=utcnow()))
        item.deleted = True
        item.obj_reset_changes(["deleted"])
        if self._witness is not None:
            self._witness.service_deleted(item)

    def with_nodes(self, binary: str = COMPUTE) -> Sequence[tuple[Any, Any]]:
        """Pairs of a compute and a node of it, in one statement."""
        labelled = [column.label(f"node_{column.name}") for column in plans.COMPUTE_NODES.columns]
        statement = (
            sa.select(*plans.SERVICES.columns, *labelled)
            .join(NODE, NODE.c.host == SERVICE.c.host)
            .where(SERVICE.c.binary == binary, SERVICE.c.deleted == 0, NODE.c.deleted == 0)
        )
        pairs = []
        with self._database.read() as connection:
            for row in connection.execute(statement):
                values = values_of(row)
                node = {name[5:]: value for name, value in values.items() if name.startswith("node_")}
                pairs.append((plans.SERVICES.to_object(values), plans.COMPUTE_NODES.to_object(node)))
        return pairs

    def _facts(self, item: Any) -> dict[str, Any]:
        facts: dict[str, Any] = {
            name: getattr(item, name) for name in ("host", "binary") if item.obj_attr_is_set(name)
        }
        if item.obj_attr_is_set("id"):
            facts["service_id"] = item.id
        return facts


def _disabled(disabled: bool | None) -> Sequence[sa.ColumnElement[bool]]:
    if disabled is None:
        return ()
    flag = sa.func.coalesce(SERVICE.c.disabled, sa.false())
    return (flag.is_(sa.true()) if disabled else flag.is_(sa.false()),)
