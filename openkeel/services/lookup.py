"""Finding one server, wherever it is: still a build request, or a row of some cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from oslo_utils import uuidutils

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import InstanceNotFound

# What computes read of a server they are sent.
FOR_COMPUTES: Final = (
    "device_metadata",
    "flavor",
    "info_cache",
    "keypairs",
    "metadata",
    "numa_topology",
    "pci_requests",
    "resources",
    "security_groups",
    "system_metadata",
    "trusted_certs",
)


@dataclass(frozen=True, slots=True)
class Located:
    """A server with the stores of its cell; both None and a build request before it has one."""

    instance: objects.Instance
    cell: CellStores | None = None
    build_request: objects.BuildRequest | None = None

    @property
    def project_id(self) -> str:
        """Whose it is, for policy."""
        return str(self.instance.project_id)

    @property
    def user_id(self) -> str:
        """Who made it, for policy."""
        return str(self.instance.user_id)

    @property
    def uuid(self) -> str:
        return str(self.instance.uuid)


class ServerLookup:
    """Looks servers up for a user: a server of another project does not exist for him."""

    def __init__(self, cells: CellDirectory) -> None:
        self._cells = cells

    def get(self, ctx: Context, uuid: str, expected_attrs: Sequence[str] = FOR_COMPUTES) -> Located:
        """The server. Raises: InstanceNotFound; CellUnreachable when its cell is down."""
        located = self._find(uuid, expected_attrs) if uuidutils.is_uuid_like(uuid) else None
        if located is None or not (ctx.is_admin or located.project_id == ctx.project_id):
            raise InstanceNotFound(instance_id=uuid)
        return located

    def _find(self, uuid: str, expected_attrs: Sequence[str]) -> Located | None:
        # Twice: between the two questions the conductor may move a build request to a cell.
        for _ in range(2):
            mapping = self._cells.api.instance_mappings.find(uuid)
            if mapping is None:
                return None
            if mapping.cell_mapping is not None:
                cell = self._cells.cell(mapping.cell_mapping.uuid)
                return Located(cell.instances.get(uuid, expected_attrs), cell)
            build_request = self._cells.api.build_requests.find(uuid)
            if build_request is not None:
                return Located(build_request.instance, build_request=build_request)
        return None
