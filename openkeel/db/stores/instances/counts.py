"""Which servers there are, and how much they are together, without their objects."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from openkeel.db.stores.instances.cell import INSTANCE, ServersOfCell
from openkeel.db.stores.instances.swap import is_one_of
from openkeel.db.stores.plan import naive, rows_of
from openkeel.db.stores.table import Where
from openkeel.domain.states import TaskState, VMState


class InstanceCounts(ServersOfCell):
    """Uuids and sums."""

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
            is_one_of(INSTANCE.c.task_state, (None, TaskState.SCHEDULING)),
            touched < naive(before),
        )
        return [name for _, name in self._uuids(where)]

    def namesakes(self, names: Collection[str], project_id: str | None = None) -> Sequence[tuple[str, str]]:
        """(uuid, name) of servers, of a project or of all, that have one of the names, in lower case.

        A name is what its owner calls the server, or what it calls itself on its networks.
        """
        wanted = list(names)
        statement = sa.union_all(
            *(
                sa.select(INSTANCE.c.uuid, column)
                .where(sa.func.lower(column).in_(wanted), INSTANCE.c.deleted == 0)
                .where(sa.true() if project_id is None else INSTANCE.c.project_id == project_id)
                for column in (INSTANCE.c.display_name, INSTANCE.c.hostname)
            )
        )
        with self._database.read() as connection:
            return rows_of(connection, statement)

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
