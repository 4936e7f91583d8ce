"""Moves of servers: what is listed of them. Contract: os-migrations and /servers/{id}/migrations."""

from collections.abc import Sequence
from typing import Any

from openkeel.db.cells import CellDirectory
from openkeel.db.stores.migration_reads import CellMigrationReads, MigrationFilter, Rows
from openkeel.domain.errors import CellUnreachable, Invalid, MigrationNotFoundForInstance
from openkeel.services.lookup import Located


class MigrationService:
    """The use cases of migrations."""

    def __init__(self, cells: CellDirectory, cell_timeout_s: float = 60.0) -> None:
        self._cells = cells
        self._cell_timeout_s = cell_timeout_s

    def list(self, wanted: MigrationFilter) -> Sequence[Any]:
        """All migrations that are wanted, of all cells that answer."""
        return self._ask(lambda reads: reads.list(wanted))

    def page(self, wanted: MigrationFilter, limit: int, marker: str | None) -> Sequence[Any]:
        """The newest migrations first. Raises: Invalid for an unknown marker or times in the wrong order."""
        since, before = wanted.changed_since, wanted.changed_before
        if since is not None and before is not None and since > before:
            raise Invalid("changes-since must not be later than changes-before.")
        after = None if marker is None else self._marker(marker)
        if limit == 0:
            return []
        found = self._ask(lambda reads: reads.page(wanted, limit, after))
        found.sort(key=lambda row: (row.created_at, row.id), reverse=True)
        return found[:limit]

    def _marker(self, uuid: str) -> Any:
        found = self._ask(lambda reads: [row] if (row := reads.find(uuid)) is not None else [])
        if not found:
            raise Invalid(f"Marker {uuid} could not be found.")
        return found[0]

    def _ask(self, question: Any) -> Rows:
        answers = self._cells.scatter(
            lambda cell: question(CellMigrationReads(cell.database)),
            self._cells.cells(include_cell0=False),
            self._cell_timeout_s,
        )
        return [row for rows in answers.values() if not isinstance(rows, CellUnreachable) for row in rows]

    def under_way(self, server: Located) -> Sequence[Any]:
        """Live migrations of a server that are in progress."""
        if server.cell is None:
            return []
        return CellMigrationReads(server.cell.database).under_way(server.uuid)

    def get_under_way(self, server: Located, migration_id: str) -> Any:
        """Raises: MigrationNotFoundForInstance, also when it is none in progress or no live migration."""
        for row in self.under_way(server):
            if str(row.id) == migration_id:
                return row
        raise MigrationNotFoundForInstance(migration_id=migration_id, instance_id=server.uuid)
