"""Server groups for lists and views: rows of the API database, and which of their members live.

A page of groups costs four statements, and one more per cell that has members. Nothing here makes objects.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models import main as cell_rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database

_GROUP: Final = table_of(rows.InstanceGroup)
_MEMBER: Final = table_of(rows.InstanceGroupMember)
_POLICY: Final = table_of(rows.InstanceGroupPolicy)
_MAPPING: Final = table_of(rows.InstanceMapping)
_CELL: Final = table_of(rows.CellMapping)
_BUILD: Final = table_of(rows.BuildRequest)
_INSTANCE: Final = table_of(cell_rows.Instance)
_FAR: Final = 2**63 - 1  # no database counts further


@dataclass(frozen=True, slots=True)
class ServerGroupRow:
    """A server group; `members` may name servers that are gone."""

    uuid: str
    name: str | None
    project_id: str | None
    user_id: str | None
    policy: str | None
    rules: Mapping[str, int]
    members: Sequence[str]


class ServerGroupReads:
    """Groups as rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, project_id: str | None, limit: int | None, offset: int) -> Sequence[ServerGroupRow]:
        """Groups of a project, or of all for None, in the order they were made."""
        where = () if project_id is None else (_GROUP.c.project_id == project_id,)
        return self._read(*where, limit=limit, offset=offset)

    def find(self, uuid: str) -> ServerGroupRow | None:
        """One by uuid."""
        return next(iter(self._read(_GROUP.c.uuid == uuid, limit=1, offset=0)), None)

    def _read(
        self, *where: sa.ColumnElement[bool], limit: int | None, offset: int
    ) -> Sequence[ServerGroupRow]:
        names = ("id", "uuid", "name", "project_id", "user_id")
        statement = sa.select(*(_GROUP.c[name] for name in names)).where(*where).order_by(_GROUP.c.id)
        with self._database.read() as connection:
            groups = connection.execute(statement.limit(limit).offset(min(offset, _FAR) or None)).all()
            ids = [row.id for row in groups]
            members: dict[int, list[str]] = {id_: [] for id_ in ids}
            of_groups = sa.select(_MEMBER.c.group_id, _MEMBER.c.instance_uuid)
            of_groups = of_groups.where(_MEMBER.c.group_id.in_(ids)).order_by(_MEMBER.c.id)
            for id_, instance_uuid in connection.execute(of_groups):
                members[id_].append(instance_uuid)
            policies = sa.select(_POLICY.c.group_id, _POLICY.c.policy, _POLICY.c.rules)
            policy: dict[int, tuple[str | None, dict[str, int]]] = {
                id_: (name, _rules(text))
                for id_, name, text in connection.execute(policies.where(_POLICY.c.group_id.in_(ids)))
            }
        return [
            ServerGroupRow(
                row.uuid,
                row.name,
                row.project_id,
                row.user_id,
                *policy.get(row.id, (None, {})),
                members[row.id],
            )
            for row in groups
        ]

    def places(self, instance_uuids: Collection[str]) -> Mapping[str, str | None]:
        """The cell of each server that is in one; None for those that are still to be built."""
        statement = (
            sa.select(_MAPPING.c.instance_uuid, _CELL.c.uuid, _BUILD.c.id)
            .outerjoin(_CELL, _CELL.c.id == _MAPPING.c.cell_id)
            .outerjoin(_BUILD, _BUILD.c.instance_uuid == _MAPPING.c.instance_uuid)
            .where(_MAPPING.c.instance_uuid.in_(list(instance_uuids)))
        )
        with self._database.read() as connection:
            return {
                uuid: cell
                for uuid, cell, build in connection.execute(statement)
                if cell is not None or build is not None
            }


class CellMemberReads:
    """Servers of one cell as members of groups."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def living(self, instance_uuids: Collection[str]) -> frozenset[str]:
        """Those of the servers that are not deleted."""
        statement = sa.select(_INSTANCE.c.uuid).where(
            _INSTANCE.c.uuid.in_(list(instance_uuids)), _INSTANCE.c.deleted == 0
        )
        with self._database.read() as connection:
            return frozenset(connection.scalars(statement))


def _rules(text: str | None) -> dict[str, int]:
    return {name: int(value) for name, value in json.loads(text or "{}").items()}
