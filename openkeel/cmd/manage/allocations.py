"""`placement heal_allocations` and `placement audit`: servers without allocations, and the other way round.

Contract: exit codes of manage_cli.json, and what Nova's documents say of both commands.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_config import cfg

from openkeel import objects
from openkeel.clients import errors
from openkeel.clients.neutron.client import make_client as make_neutron
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.clients.placement.types import AllocationRequest, CandidateQuery
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.common.context import admin_context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import CellMappingNotFound, InstanceNotFound, KeelError
from openkeel.scheduler.request import Request
from openkeel.scheduler.resources import candidate_query

_INVALID: Final = 127

# heal_allocations
_MORE_LEFT: Final = 1
_NO_NODE: Final = 2
_NOT_WRITTEN: Final = 3
_NOTHING_DONE: Final = 4
_NEUTRON_FAILED: Final = 5
_NOT_HEALED_HERE: Final = 8

# audit
_ORPHANS_FOUND: Final = 3
_ORPHANS_DELETED: Final = 4

_PAGE: Final = 50
# Contract: whom Placement gives allocations of the time before it knew owners.
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


class _Problem(Exception):
    """A server that cannot be healed, and the exit code for it: nothing after it is looked at."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class _Healer:
    """Gives servers of one cell what they should have. `neutron` None: their ports are not looked at."""

    cell: CellStores
    placement: Any
    neutron: Any
    is_forced: bool
    is_rehearsal: bool

    def heal(self, instance: objects.Instance) -> str | None:
        """What was done for a server, in words; None when it needs nothing. Raises: _Problem."""
        try:
            present = self.placement.allocations(instance.uuid)
            wanted: Mapping[str, Mapping[str, int]] | None = None
            self._check_ports(instance)
            if not present or self.is_forced:
                wanted, done = self._wanted(instance), "Allocations were made"
            elif present.project_id in {None, _NOBODY} or present.user_id in {None, _NOBODY}:
                wanted, done = present.allocations, "Allocations got their owner"
            else:
                return None
            if self.is_rehearsal:
                return f"{done} (not really)"
            self.placement.claim(
                instance.uuid,
                AllocationRequest(wanted),
                instance.project_id or "",
                instance.user_id or "",
                may_exist=True,
            )
        except errors.ServiceError as error:
            raise _Problem(_NOT_WRITTEN, f"Instance {instance.uuid} got no allocations: {error}") from error
        return done

    def _check_ports(self, instance: objects.Instance) -> None:
        if self.neutron is None:
            return
        try:
            ports = self.neutron.list_ports(admin_context(), instance.uuid)
        except KeelError as error:
            raise _Problem(_NEUTRON_FAILED, f"Ports of instance {instance.uuid} unknown: {error}") from error
        for port in ports:
            if port.resources and port.resources.groups and not port.profile.get("allocation"):
                raise _Problem(
                    _NOT_HEALED_HERE,
                    f"Port {port.id} of instance {instance.uuid} wants resources of its own and has none. "
                    "Attach it anew, or pass it over by --skip-port-allocations.",
                )

    def _wanted(self, instance: objects.Instance) -> Mapping[str, Mapping[str, int]]:
        node = self.cell.compute_nodes.find(instance.host or "", instance.node or "")
        if node is None:
            raise _Problem(
                _NO_NODE,
                f"Instance {instance.uuid} is on node {instance.node} of host {instance.host}, which has no "
                "record.",
            )
        query = self._query(instance, node.uuid)
        if [group.suffix for group in query.groups] == [""]:
            return {node.uuid: dict(query.groups[0].resources)}
        candidates = self.placement.allocation_candidates(query)
        if not candidates.requests:
            raise _Problem(
                _NOT_WRITTEN, f"Node {instance.node} does not have what instance {instance.uuid} needs."
            )
        found: Mapping[str, Mapping[str, int]] = candidates.requests[0].allocations
        return found

    def _query(self, instance: objects.Instance, node_uuid: str) -> CandidateQuery:
        """What the flavor asks for, of this node: whether it may be here is not the question any more."""
        query = candidate_query(self._request(instance), limit=1, in_tree=node_uuid)
        groups = [
            replace(
                group,
                required=frozenset(),
                forbidden=frozenset(),
                member_of=(),
                forbidden_aggregates=frozenset(),
                in_tree=node_uuid,
            )
            for group in query.groups
            if group.resources
        ]
        classes = {name for group in groups for name in group.resources}
        if "VGPU" in classes or "accel:device_profile" in instance.flavor.extra_specs:
            raise _Problem(
                _NOT_HEALED_HERE,
                f"Instance {instance.uuid} has devices, and which cannot be seen from here: not healed.",
            )
        return replace(query, groups=tuple(groups))

    def _request(self, instance: objects.Instance) -> Request:
        flavor = instance.flavor
        boots_from_volume = not instance.image_ref or any(
            disk.boot_index == 0 and disk.destination_type == "volume"
            for disk in self.cell.bdms.list(instance.uuid)
        )
        root_gib = 0 if boots_from_volume else flavor.root_gb
        remembered = instance.system_metadata.items()
        return Request(
            project_id=instance.project_id or "",
            user_id=instance.user_id or "",
            instance_uuid=instance.uuid,
            vcpus=flavor.vcpus,
            memory_mib=flavor.memory_mb,
            disk_gib=root_gib + flavor.ephemeral_gb + -(-flavor.swap // 1024),
            extra_specs=flavor.extra_specs,
            image_properties={
                key.removeprefix("image_"): value for key, value in remembered if key.startswith("image_")
            },
        )


def _heal(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        most = _max_count(args)
    except ValueError as error:
        complain(str(error))
        return _INVALID
    tell = say if args.verbose else _hush
    cells = cell_directory(conf)
    placement = make_placement(conf)
    neutron = None if args.skip_port_allocations else make_neutron(conf)
    healed = 0
    try:
        for cell, instance in _servers(cells, args, tell):
            healer = _Healer(cell, placement, neutron, is_forced=args.force, is_rehearsal=args.dry_run)
            if healed == most and _would(healer, instance):
                tell(f"--max-count is reached: {healed} instances were healed, and there are more.")
                return _MORE_LEFT
            if done := healer.heal(instance):
                healed += 1
                tell(f"{done} for instance {instance.uuid}.")
    except (InstanceNotFound, CellMappingNotFound) as error:
        complain(str(error))
        return _INVALID
    except _Problem as problem:
        complain(str(problem))
        return problem.code
    finally:
        cells.close()
    tell(f"{healed} instances were healed.")
    return _NOTHING_DONE if args.dry_run or not healed else 0


def _would(healer: _Healer, instance: objects.Instance) -> bool:
    """Whether a server would have to be healed."""
    return replace(healer, is_rehearsal=True).heal(instance) is not None


def _max_count(args: Any) -> int | None:
    """How many to heal; None for all. Raises: ValueError when the options contradict each other."""
    if args.cell_uuid and args.instance_uuid:
        raise ValueError("--cell and --instance exclude each other.")
    if args.force and not args.instance_uuid:
        raise ValueError("--force takes an --instance.")
    if args.max_count is None or args.instance_uuid:
        return None
    most = int(args.max_count) if str(args.max_count).isdecimal() else 0
    if most < 1:
        raise ValueError("--max-count takes a number from 1 on.")
    return most


def _servers(cells: CellDirectory, args: Any, tell: Any) -> Iterator[tuple[CellStores, objects.Instance]]:
    """Servers on hosts with which nothing happens. Raises: InstanceNotFound, CellMappingNotFound."""
    parts = ("flavor", "system_metadata")
    if args.instance_uuid:
        cell = cells.for_instance(args.instance_uuid)
        instance = cell.instances.get(args.instance_uuid, parts)
        if _is_at_rest(instance, tell):
            yield cell, instance
        return
    chosen = [cells.cell(args.cell_uuid)] if args.cell_uuid else cells.cells(include_cell0=False)
    for cell in chosen:
        tell(f"Looking for instances in {cell.name}.")
        marker = None
        while page := cell.instances.list_by_filters(
            {"deleted": False},
            parts,
            sort_keys=("created_at", "id"),
            sort_dirs=("asc", "asc"),
            limit=_PAGE,
            marker=marker,
        ).objects:
            yield from ((cell, instance) for instance in page if _is_at_rest(instance, tell))
            marker = page[-1].uuid


def _is_at_rest(instance: objects.Instance, tell: Any) -> bool:
    if not (instance.host and instance.node):
        tell(f"Instance {instance.uuid} is on no host.")
    elif instance.task_state is not None:
        tell(f"Instance {instance.uuid} is in the middle of something: {instance.task_state}.")
    else:
        return True
    return False


# Audit


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
    tell = say if args.verbose else _hush
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
        owner = (present.project_id or _NOBODY, present.user_id or _NOBODY)
        placement.claim(consumer_uuid, AllocationRequest(rest), *owner, may_exist=True)
    else:
        placement.delete_allocations(consumer_uuid)


def _amounts(resources: Mapping[str, int]) -> str:
    return ", ".join(f"{amount} {name}" for name, amount in sorted(resources.items()))


def _hush(_text: str) -> None:
    """Nobody asked."""


_VERBOSE: Final = argument(
    "--verbose", action="store_true", default=False, help="Say what is found and done."
)

COMMANDS: Final = (
    Command(
        "heal_allocations",
        _heal,
        "Give servers their allocations in Placement that have none, or whose owner it does not know.",
        [
            argument(
                "--max-count",
                dest="max_count",
                metavar="<max_count>",
                help="Heal so many servers at most; exits with 1 when there are more. All by default.",
            ),
            _VERBOSE,
            argument(
                "--dry-run",
                action="store_true",
                default=False,
                help="Only say what would be done. Exits with 4.",
            ),
            argument("--instance", dest="instance_uuid", metavar="<instance_uuid>", help="Only this server."),
            argument(
                "--skip-port-allocations",
                action="store_true",
                default=False,
                help="Do not ask Neutron whether ports lack resources of their own.",
            ),
            argument("--cell", dest="cell_uuid", metavar="<cell_uuid>", help="Only servers of this cell."),
            argument(
                "--force",
                action="store_true",
                default=False,
                help="Write the allocations of the --instance anew, even if it has some.",
            ),
        ],
    ),
    Command(
        "audit",
        _audit,
        "Look for allocations in Placement of servers and migrations that are no more.",
        [
            _VERBOSE,
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
