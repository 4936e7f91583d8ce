"""openkeel-manage: what an operator does to databases and cells, and what the code declares.

Contract: commands, arguments and exit codes of manage_cli.json. A category is a module with COMMANDS.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.configuration import load
from openkeel.cmd.manage import cells, databases, describing, old_rows, online_migrations
from openkeel.cmd.manage.command import Category, Command

LOG = logging.getLogger(__name__)

CATEGORIES: Final[Sequence[Category]] = (
    Category("api_db", databases.API_COMMANDS),
    Category("db", (*databases.MAIN_COMMANDS, *old_rows.COMMANDS, *online_migrations.COMMANDS)),
    Category("cell_v2", cells.COMMANDS),
)
_FAILED: Final = 255
_OURS: Final = "argument_"


def main(arguments: Sequence[str] | None = None) -> int:
    """Console script."""
    conf = load("openkeel-manage", arguments, command_line=[_subcommands()])
    command: Command | None = getattr(conf.category, "command_row", None)
    if command is None:
        sys.stdout.write(f"{version('openkeel')}\n")
        return 0
    try:
        return command.run(conf, _arguments(conf, command))
    except Exception as error:
        LOG.debug("openkeel-manage failed", exc_info=True)
        sys.stderr.write(f"An error has occurred: {type(error).__name__}: {error}\n")
        return _FAILED


def _subcommands() -> cfg.SubCommandOpt:
    return cfg.SubCommandOpt(
        "category", title="Categories", help="What the command is about.", handler=_add_categories
    )


def _add_categories(parsers: Any) -> None:
    parsers.add_parser("version", help="Print the version.")
    for category in CATEGORIES:
        commands = parsers.add_parser(category.name).add_subparsers(dest="command", required=True)
        for command in category.commands:
            _add_command(
                commands.add_parser(command.name, help=command.help, description=command.help), command
            )
    _add_command(parsers.add_parser("describe", help=describing.DESCRIBE.help), describing.DESCRIBE)


def _add_command(parser: argparse.ArgumentParser, command: Command) -> None:
    # oslo.config refuses subcommand arguments that are called like an option, such as host.
    for argument in command.arguments:
        if argument.is_positional:
            parser.add_argument(f"{_OURS}{argument.dest}", **{"metavar": argument.dest, **argument.settings})
        else:
            settings = {**argument.settings, "dest": f"{_OURS}{argument.dest}"}
            parser.add_argument(*argument.names, **settings)
    parser.set_defaults(command_row=command)


def _arguments(conf: cfg.ConfigOpts, command: Command) -> SimpleNamespace:
    return SimpleNamespace(
        **{argument.dest: getattr(conf.category, f"{_OURS}{argument.dest}") for argument in command.arguments}
    )
