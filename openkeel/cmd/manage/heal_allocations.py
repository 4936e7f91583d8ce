"""`placement heal_allocations`: servers that have no allocations, or none of an owner, get them.

Contract: exit codes of manage_cli.json, and what Nova's documents say of the command.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_config import cfg

from openkeel import objects
from openkeel.clients import errors
from openkeel.clients.neutron.client import make_client as make_neutron
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.clients.placement.types import NOBODY, AllocationRequest, CandidateQuery
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, hush, say
from openkeel.common.context import admin_context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import CellMappingNotFound, InstanceNotFound, KeelError
from openkeel.scheduler.request import Request
from openkeel.scheduler.resources import candidate_query

_MORE_LEFT: Final = 1
_NO_NODE: Final = 2
_NOT_WRITTEN: Final = 3
_NOTHING_DONE: Final = 4
_NEUTRON_FAILED: Final = 5
_NOT_HEALED_HERE: Final = 8
_INVALID: Final = 127


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
            elif present.project_id in {None, NOBODY} or present.user_id in {None, NOBODY}:
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
        boots_from_volume = not instance.image_ref or any(
            disk.boot_index == 0 and disk.destination_type == "volume"
            for disk in self.cell.bdms.list(instance.uuid)
        )
        remembered = instance.system_metadata.items()
        return Request.of_flavor(
            instance.flavor,
            is_volume_backed=boots_from_volume,
            project_id=instance.project_id or "",
            user_id=instance.user_id or "",
            instance_uuid=instance.uuid,
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
    tell = say if args.verbose else hush
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
        yield from ((cell, one) for one in cell.instances.walk(parts) if _is_at_rest(one, tell))


def _is_at_rest(instance: objects.Instance, tell: Any) -> bool:
    if not (instance.host and instance.node):
        tell(f"Instance {instance.uuid} is on no host.")
    elif instance.task_state is not None:
        tell(f"Instance {instance.uuid} is in the middle of something: {instance.task_state}.")
    else:
        return True
    return False


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
            argument("--verbose", action="store_true", default=False, help="Say what is found and done."),
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
)
