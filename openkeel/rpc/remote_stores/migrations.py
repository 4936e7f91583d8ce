"""Moves of servers."""

from collections.abc import Mapping
from typing import Any

from openkeel.rpc.remote_stores.rows import Rows, named, or_none


class RemoteMigrations(Rows):
    """Contract: Migration, MigrationList."""

    def create(self, item: Any) -> None:
        named(item)
        super().create(item)

    def _made(self, item: Any) -> Any | None:
        return or_none(lambda: self._wire.ask("Migration", "get_by_uuid", migration_uuid=item.uuid))

    def list_in_progress(self, host: str, node: str) -> Any:
        return self._wire.ask("MigrationList", "get_in_progress_and_error", host=host, node=node)

    def list_by_filters(self, filters: Mapping[str, Any]) -> Any:
        return self._wire.ask("MigrationList", "get_by_filters", filters=dict(filters))
