"""`volume_attachment`: what a server knows of a volume on it. Contract: exit codes of manage_cli.json.

The commands that need the host of the server, get_connector and refresh, are not here.
"""

import json
from datetime import datetime
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.manage.command import Command, argument, complain, say, table
from openkeel.cmd.manage.one_server import NOT_FOUND, found


def _show(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        with found(conf, args.instance_uuid) as (_, cell, _):
            disks = cell.bdms.list(args.instance_uuid)
    except NOT_FOUND as error:
        complain(str(error))
        return 2
    disk = next((disk for disk in disks if disk.volume_id == args.volume_id), None)
    if disk is None:
        complain(f"Volume {args.volume_id} is not on instance {args.instance_uuid}.")
        return 3
    if args.connection_info:
        shown: dict[str, Any] = json.loads(disk.connection_info or "{}")
    else:
        shown = {
            name: getattr(disk, name)
            for name in disk.fields
            if name != "instance" and disk.obj_attr_is_set(name)
        }
    if args.json:
        say(json.dumps({name: _plain(value) for name, value in shown.items()}))
    else:
        rows = [[name, str(value)] for name, value in sorted(shown.items())]
        say(table(("Property", "Value"), rows, align=str.ljust))
    return 0


def _plain(value: Any) -> Any:
    """Compat: times in JSON have no zone; they are in UTC."""
    return value.replace(tzinfo=None).isoformat() if isinstance(value, datetime) else value


COMMANDS: Final = (
    Command(
        "show",
        _show,
        "Show what a server knows of a volume on it.",
        [
            argument("instance_uuid", metavar="<instance_uuid>", help="The server."),
            argument("volume_id", metavar="<volume_id>", help="The volume."),
            argument(
                "--connection_info",
                action="store_true",
                default=False,
                help="Show only how the host reaches it, secrets too.",
            ),
            argument("--json", action="store_true", default=False, help="As JSON."),
        ],
        failed=1,
    ),
)
