"""Server groups: which servers shall, or shall not, share a host.

A member is put in by a boot that names the group and never leaves: servers that are gone are left out
when somebody looks. Contract: the os-server-groups operations, 2.1 to 2.104.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from oslo_utils import uuidutils

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.server_group_reads import CellMemberReads, ServerGroupReads, ServerGroupRow
from openkeel.domain.errors import CellUnreachable, InstanceGroupNotFound
from openkeel.notifications.notifier import Notifications
from openkeel.services.quota import QuotaService


class ServerGroupService:
    """The use cases of server groups."""

    def __init__(
        self,
        cells: CellDirectory,
        quota: QuotaService,
        notifications: Notifications | None = None,
        cell_timeout_s: float = 60.0,
    ) -> None:
        self._notifications = notifications or Notifications()
        self._cells = cells
        self._quota = quota
        self._cell_timeout_s = cell_timeout_s
        self._reads = ServerGroupReads(cells.api.database)

    # Reading

    def page(
        self, ctx: Context, *, all_projects: bool, limit: int | None, offset: int
    ) -> Sequence[ServerGroupRow]:
        """Groups of the caller's project, or of all, with their living members."""
        project_id = None if all_projects else ctx.project_id or ""
        return self._with_living(self._reads.page(project_id, limit, offset))

    def get(self, ctx: Context, uuid: str) -> ServerGroupRow:
        """A group with its living members; a foreign one does not exist. Raises: InstanceGroupNotFound."""
        found = self._reads.find(uuid)
        if found is None or not (ctx.is_admin or found.project_id == ctx.project_id):
            raise InstanceGroupNotFound(group_uuid=uuid)
        return self._with_living([found])[0]

    def _with_living(self, groups: Sequence[ServerGroupRow]) -> Sequence[ServerGroupRow]:
        members = {uuid for group in groups for uuid in group.members}
        if not members:
            return groups
        living = self._living(members)
        return [replace(one, members=[uuid for uuid in one.members if uuid in living]) for one in groups]

    def _living(self, instance_uuids: set[str]) -> set[str]:
        places = self._reads.places(instance_uuids)
        living = {uuid for uuid, cell in places.items() if cell is None}
        in_cell: dict[str, list[str]] = {}
        for uuid, cell_uuid in places.items():
            if cell_uuid is not None:
                in_cell.setdefault(cell_uuid, []).append(uuid)
        answers = self._cells.scatter(
            lambda cell: CellMemberReads(cell.database).living(in_cell[cell.mapping.uuid]),
            [self._cells.cell(uuid) for uuid in in_cell],
            self._cell_timeout_s,
        )
        for cell_uuid, answer in answers.items():
            # Nobody knows that those of a silent cell are gone.
            living.update(in_cell[cell_uuid] if isinstance(answer, CellUnreachable) else answer)
        return living

    # Writing

    def create(self, ctx: Context, name: str, policy: str, rules: Mapping[str, int]) -> ServerGroupRow:
        """Make a group without members. Raises: OverQuota."""
        group = objects.InstanceGroup(
            uuid=uuidutils.generate_uuid(),
            name=name,
            project_id=ctx.project_id,
            user_id=ctx.user_id,
            policy=policy,
            members=[],
            _rules={key: str(value) for key, value in rules.items()},
        )
        self._cells.api.instance_groups.create(group, admit=self._quota.server_groups_bound(ctx))
        self._notifications.server_groups.created(ctx, group)
        return self.get(ctx, group.uuid)

    def delete(self, ctx: Context, uuid: str) -> None:
        """Forget a group; its members stay where they are. Raises: InstanceGroupNotFound."""
        group = self._cells.api.instance_groups.get(self.get(ctx, uuid).uuid)
        self._cells.api.instance_groups.destroy(group)
        self._notifications.server_groups.deleted(ctx, group)
