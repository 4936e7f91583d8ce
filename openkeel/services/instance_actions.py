"""What was done to servers, living or deleted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oslo_utils import uuidutils

from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.action_reads import ActionFilter, CellActionReads
from openkeel.domain.errors import InstanceNotFound, Invalid, NotFound


@dataclass(frozen=True, slots=True)
class ServerHistory:
    """A server whose actions are asked for; no reads while it is in no cell yet."""

    uuid: str
    project_id: str
    user_id: str
    reads: CellActionReads | None


class InstanceActionService:
    """The use cases of instance actions."""

    def __init__(self, cells: CellDirectory) -> None:
        self._cells = cells

    def find_server(self, ctx: Context, uuid: str, *, deleted: bool) -> ServerHistory:
        """The server, also a deleted one where `deleted` says so. A foreign one does not exist.

        Raises: InstanceNotFound; CellUnreachable.
        """
        found = self._find(uuid, deleted=deleted) if uuidutils.is_uuid_like(uuid) else None
        if found is None or not (ctx.is_admin or found.project_id == ctx.project_id):
            raise InstanceNotFound(instance_id=uuid)
        return found

    def _find(self, uuid: str, *, deleted: bool) -> ServerHistory | None:
        mapping = self._cells.api.instance_mappings.find(uuid)
        if mapping is None:
            return None
        if mapping.cell_mapping is None:
            build = self._cells.api.build_requests.find(uuid)
            if build is None:
                return None
            return ServerHistory(uuid, build.instance.project_id, build.instance.user_id, None)
        reads = CellActionReads(self._cells.cell(mapping.cell_mapping.uuid).database)
        row = reads.server(uuid)
        if row is None or (row.deleted and not deleted):
            return None
        return ServerHistory(uuid, row.project_id, row.user_id, reads)

    def page(
        self, server: ServerHistory, wanted: ActionFilter, limit: int | None, marker: str | None
    ) -> list[Any]:
        """Actions, newest first. Raises: Invalid for an unknown marker or times in the wrong order."""
        since, before = wanted.changed_since, wanted.changed_before
        if since is not None and before is not None and since > before:
            raise Invalid("changes-since must not be later than changes-before.")
        if server.reads is None:
            return []
        found = server.reads.page(server.uuid, wanted, limit, marker)
        if found is None:
            raise Invalid(f"Marker {marker} could not be found.")
        return found

    def get(self, server: ServerHistory, request_id: str) -> tuple[Any, Sequence[Any]]:
        """An action with its events, newest first. Raises: NotFound."""
        action = None if server.reads is None else server.reads.find(server.uuid, request_id)
        if action is None or server.reads is None:
            raise NotFound(f"Server {server.uuid} has no action of request {request_id}.")
        return action, server.reads.events(action.id)
