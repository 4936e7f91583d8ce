"""What the servers of projects and users take: those in cells, and those on their way there."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models import main as cell_rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.domain.states import VMState

_BUILD: Final = table_of(rows.BuildRequest)
_MAPPING: Final = table_of(rows.InstanceMapping)
_INSTANCE: Final = table_of(cell_rows.Instance)


@dataclass(frozen=True, slots=True)
class Usage:
    """Servers and what they take."""

    instances: int = 0
    cores: int = 0
    memory_mib: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)  # by "class:NAME", where Placement counted

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.instances + other.instances,
            self.cores + other.cores,
            self.memory_mib + other.memory_mib,
            {
                name: self.classes.get(name, 0) + other.classes.get(name, 0)
                for name in self.classes.keys() | other.classes.keys()
            },
        )


class ApiQuotaReads:
    """Servers that are in no cell yet."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pending(self, project_id: str) -> dict[str, tuple[str | None, Usage]]:
        """Servers that belong to no cell yet: by uuid, their users and what they will take."""
        statement = (
            sa.select(_BUILD.c.instance_uuid, _BUILD.c.instance)
            .join(_MAPPING, _MAPPING.c.instance_uuid == _BUILD.c.instance_uuid)
            .where(_BUILD.c.project_id == project_id, _MAPPING.c.cell_id.is_(None))
        )
        with self._database.read() as connection:
            found = connection.execute(statement).all()
        return {uuid: _pending(text) for uuid, text in found if text}


def _pending(text: str) -> tuple[str | None, Usage]:
    data: Mapping[str, Any] = json.loads(text)["nova_object.data"]
    return data.get("user_id"), Usage(1, data.get("vcpus") or 0, data.get("memory_mb") or 0)


class CellQuotaReads:
    """Usage in one cell."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def usage(
        self, project_id: str, user_id: str | None = None, without: Collection[str] = ()
    ) -> tuple[Usage, Usage]:
        """What the servers of a project take but for those named, and those of a user in it.

        Contract: soft-deleted servers do not count, failed ones do.
        """
        mine = _INSTANCE.c.user_id == user_id
        amounts = (sa.literal(1), _INSTANCE.c.vcpus, _INSTANCE.c.memory_mb)
        sums = [_sum(amount) for amount in amounts] + [
            _sum(sa.case((mine, amount), else_=0)) for amount in amounts
        ]
        statement = sa.select(*sums).where(
            _INSTANCE.c.project_id == project_id,
            _INSTANCE.c.deleted == 0,
            sa.or_(_INSTANCE.c.vm_state.is_(None), _INSTANCE.c.vm_state != VMState.SOFT_DELETED.value),
        )
        if without:
            statement = statement.where(_INSTANCE.c.uuid.not_in(list(without)))
        with self._database.read() as connection:
            one, two, three, *users = (int(number) for number in connection.execute(statement).one())
        return Usage(one, two, three), Usage(users[0], users[1], users[2])


def _sum(amount: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.func.coalesce(sa.func.sum(amount), 0)
