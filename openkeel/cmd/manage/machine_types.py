"""`libvirt`: what kind of machine each server is, as servers from a libvirt host remember it.

Contract: exit codes of manage_cli.json. KubeVirt chooses the machine of its guests by itself; what is
written here counts for computes of Nova beside ours, and for a way back.
"""

import re
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.cmd.manage.one_server import AT_REST, NOT_FOUND, found
from openkeel.db.machine_types import MACHINE_TYPE, servers_without_machine_type
from openkeel.domain.errors import CellMappingNotFound

# Families of machines; one of them with a version is a machine that stays as it is for ever.
_FAMILIES: Final = ("pc-i440fx", "pc-q35", "pc", "q35", "virt", "s390-ccw-virtio")
_MACHINE: Final = re.compile(rf"({'|'.join(_FAMILIES)})(?:-(\d+(?:\.\d+)*))?")


def _get(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        with found(conf, args.instance_uuid) as (_, _, instance):
            kind = instance.system_metadata.get(MACHINE_TYPE)
    except NOT_FOUND as error:
        complain(str(error))
        return 2
    if not kind:
        complain(f"Instance {args.instance_uuid} has no machine type of its own.")
        return 3
    say(kind)
    return 0


def _update(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        with found(conf, args.instance_uuid) as (_, cell, instance):
            before = instance.system_metadata.get(MACHINE_TYPE)
            if not args.force:
                refusal = _refusal(instance, before, args.machine_type)
                if refusal:
                    code, text = refusal
                    complain(text)
                    return code
            instance.system_metadata = {**instance.system_metadata, MACHINE_TYPE: args.machine_type}
            cell.instances.save(instance)
    except NOT_FOUND as error:
        complain(str(error))
        return 2
    say(f"Instance {args.instance_uuid} is a {args.machine_type} now, it was {before or 'not decided'}.")
    return 0


def _refusal(instance: Any, before: str | None, wanted: str) -> tuple[int, str] | None:
    """Why not, with the exit code for it."""
    if instance.vm_state not in AT_REST:
        states = ", ".join(sorted(AT_REST))
        return 3, f"Instance {instance.uuid} is {instance.vm_state}; it must be one of {states}."
    new = _MACHINE.fullmatch(wanted)
    if new is None:
        return 5, f"{wanted} is no machine type; known are {', '.join(_FAMILIES)}, with a version or without."
    old = _MACHINE.fullmatch(before or "")
    if old is None or wanted == before:
        return None
    if old[1] != new[1]:
        return 4, f"A {before} cannot become a {wanted}: its devices would not be found any more."
    if not old[2] or not new[2] or _numbers(new[2]) < _numbers(old[2]):
        return 4, f"A {before} cannot become an older machine, or one that may be older: {wanted}."
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _list_unset(conf: cfg.ConfigOpts, args: Any) -> int:
    cells = cell_directory(conf)
    try:
        chosen = [cells.cell(args.cell_uuid)] if args.cell_uuid else cells.cells()
        unset = [uuid for cell in chosen for uuid in servers_without_machine_type(cell)]
    except CellMappingNotFound as error:
        complain(str(error))
        return 2
    finally:
        cells.close()
    if not unset:
        say("Every server has a machine type of its own.")
        return 0
    say("\n".join(unset))
    return 3


_SERVER: Final = argument("instance_uuid", metavar="<instance_uuid>", help="The server.")

COMMANDS: Final = (
    Command("get_machine_type", _get, "Print the machine type of a server.", [_SERVER], failed=1),
    Command(
        "update_machine_type",
        _update,
        "Decide what machine a server is from its next start on.",
        [
            _SERVER,
            argument("machine_type", metavar="<machine_type>", help="Such as q35 or pc-i440fx-7.2."),
            argument("--force", action="store_true", default=False, help="Whatever it is and does."),
        ],
        failed=1,
    ),
    Command(
        "list_unset_machine_type",
        _list_unset,
        "List servers that have no machine type of their own.",
        [argument("--cell-uuid", dest="cell_uuid", metavar="<cell_uuid>", help="Only in this cell.")],
        failed=1,
    ),
)
