"""openkeel-manage: what an operator does to databases, cells and more, and what the code declares.

Contract: commands, arguments and exit codes of manage_cli.json. A category is modules with COMMANDS.
"""

from collections.abc import Sequence
from typing import Final

from oslo_config import cfg

from openkeel.cmd.manage.describing import DESCRIBE
from openkeel.cmd.tool import Category, Tool

_HERE: Final = "openkeel.cmd.manage"

CATEGORIES: Final[Sequence[Category]] = (
    Category("api_db", (f"{_HERE}.databases:API_COMMANDS",)),
    Category("cell_v2", (f"{_HERE}.cells:COMMANDS",)),
    Category(
        "db",
        (
            f"{_HERE}.databases:MAIN_COMMANDS",
            f"{_HERE}.old_rows:COMMANDS",
            f"{_HERE}.online_migrations:COMMANDS",
            f"{_HERE}.bare_metal:COMMANDS",
        ),
    ),
    Category(
        "placement",
        (
            f"{_HERE}.placement:COMMANDS",
            f"{_HERE}.heal_allocations:COMMANDS",
            f"{_HERE}.audit_allocations:COMMANDS",
        ),
    ),
    Category("limits", (f"{_HERE}.limits:COMMANDS",)),
    Category("libvirt", (f"{_HERE}.machine_types:COMMANDS",)),
    Category("volume_attachment", (f"{_HERE}.attachments:COMMANDS",)),
    Category("image_property", (f"{_HERE}.image_properties:COMMANDS",)),
)
_TOOL: Final = Tool(
    "openkeel-manage",
    CATEGORIES,
    failed=255,
    options=[cfg.BoolOpt("post-mortem", default=False, help="Look into unforeseen errors with a debugger.")],
    own=[DESCRIBE],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Console script."""
    return _TOOL.main(arguments)
