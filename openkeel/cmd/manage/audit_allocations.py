"""`placement audit`: allocations of servers and migrations that are no more.

Contract: exit codes of manage_cli.json, and what Nova's documents say of the command.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from oslo_config import cfg

from openkeel import objects
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.clients.placement.types import NOBODY, AllocationRequest
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, hush, say
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import InstanceNotFound, KeelError

_ORPHANS_FOUND: Final = 3
_ORPHANS_DELETED: Final = 4
_INVALID: Final = 127


@dataclass(frozen=True, slots=True)
class _Books:
    """What the databases know of consumers."""

    cells: CellDirectory

    def knows(self, consumer_uuid: str, root_uuid: str) -> bool:
        """Whether a server or a migration may have something of a provider under this root.

        Of a compute node it may if it is there or on its way; of others if it is anywhere.
        """
        if self.cells.api.build_requests.find(consumer_uuid) is not None:
            return True
        for cell in self.cells.cells():
            node = next(iter(cell.compute_nodes.list_by_uuids([root_uuid])), None)
            if node is not None and self._moves(cell, node, consumer_uuid):
                return True
            if node is None and self._moves_anywhere(cell, consumer_uuid):
                return True
            try:
                instance = cell.instances.get(consumer_uuid)
            except InstanceNotFound:
                continue
            if not instance.host or not self._is_node(root_uuid):
                return True
            return node is not None and (instance.host, instance.node) == (
                node.host,
                node.hypervisor_hostname,
            )
        return False

    def _is_node(self, root_uuid: str) -> bool:
        cells = self.cells.cells(include_cell0=False)
        return any(cell.compute_nodes.list_by_uuids([root_uuid]) for cell in cells)

    @staticmethod
    def _moves(cell: CellStores, node: objects.ComputeNode, consumer_uuid: str) -> bool:
        under_way = cell.migrations.list_under_way(node.host or "", node.hypervisor_hostname or "")
        return any(consumer_uuid in {one.uuid, one.instance_uuid} for one in under_way)

    @staticmethod
    def _moves_anywhere(cell: CellStores, consumer_uuid: str) -> bool:
        try:
            migration = cell.migrations.get_by_uuid(consumer_uuid)
        except KeelError:
            return False
        return any(
            one.uuid == consumer_uuid for one in cell.migrations.list_under_way_of(migration.instance_uuid)
        )


def _audit(conf: cfg.ConfigOpts, args: Any) -> int:
    placement = make_placement(conf)
    tell = say if args.verbose else hush
    providers = placement.providers()
    if args.provider_uuid:
        if args.provider_uuid not in providers:
            complain(f"Placement knows no provider {args.provider_uuid}.")
            return _INVALID
        providers = {args.provider_uuid: providers[args.provider_uuid]}
    cells = cell_directory(conf)
    books = _Books(cells)
    found = 0
    try:
        for provider_uuid, root_uuid in providers.items():
            for consumer_uuid, resources in placement.allocations_of_provider(provider_uuid).items():
                if books.knows(consumer_uuid, root_uuid):
                    continue
                found += 1
                tell(f"Consumer {consumer_uuid} has of provider {provider_uuid}: {_amounts(resources)}")
                if args.delete:
                    _take(placement, consumer_uuid, provider_uuid)
                    tell(f"That was taken from consumer {consumer_uuid}.")
    finally:
        cells.close()
    tell(f"{found} orphaned allocations were found.")
    if not found:
        return 0
    return _ORPHANS_DELETED if args.delete else _ORPHANS_FOUND


def _take(placement: Any, consumer_uuid: str, provider_uuid: str) -> None:
    """Take from a consumer what it has of a provider, and leave it the rest."""
    present = placement.allocations(consumer_uuid)
    rest = {uuid: amounts for uuid, amounts in present.allocations.items() if uuid != provider_uuid}
    if rest:
        owner = (present.project_id or NOBODY, present.user_id or NOBODY)
        placement.claim(consumer_uuid, AllocationRequest(rest), *owner, may_exist=True)
    else:
        placement.delete_allocations(consumer_uuid)


def _amounts(resources: Mapping[str, int]) -> str:
    return ", ".join(f"{amount} {name}" for name, amount in sorted(resources.items()))


COMMANDS: Final = (
    Command(
        "audit",
        _audit,
        "Look for allocations in Placement of servers and migrations that are no more.",
        [
            argument("--verbose", action="store_true", default=False, help="Say what is found and done."),
            argument(
                "--resource_provider",
                dest="provider_uuid",
                metavar="<provider_uuid>",
                help="Look at this provider only.",
            ),
            argument("--delete", action="store_true", default=False, help="Take what is found away."),
        ],
        failed=1,
    ),
)
