"""A command line tool as a table: categories of commands, loaded only when the command line names them.

Contract: manage_cli.json. Every tool also knows `version` and `bash-completion`.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.configuration import load, refusals
from openkeel.cmd.manage.command import Argument, Command, argument, say

LOG = logging.getLogger(__name__)

_OURS: Final = "argument_"


@dataclass(frozen=True, slots=True)
class Category:
    """Commands about one thing. `places` say where their rows are, as "module:name"."""

    name: str
    places: Sequence[str]

    @property
    def commands(self) -> Sequence[Command]:
        """The rows; this imports what they need."""
        rows: list[Command] = []
        for place in self.places:
            module, _, name = place.partition(":")
            rows.extend(getattr(import_module(module), name))
        return rows


@dataclass(frozen=True, slots=True)
class Tool:
    """`failed` is the exit code of an error that nobody foresaw; `own` commands are in no category."""

    program: str
    categories: Sequence[Category]
    failed: int
    options: Sequence[cfg.Opt] = ()
    own: Sequence[Command] = ()

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Parse a command line and run what it names. Returns: the exit code."""
        words = list(sys.argv[1:] if arguments is None else arguments)
        with refusals(self.program):
            conf = load(self.program, words, command_line=[*self.options, self._subcommands(words)])
        command: Command = conf.category.command_row
        try:
            return command.run(conf, _values(conf, command))
        except Exception as error:
            LOG.debug("%s failed", self.program, exc_info=True)
            sys.stderr.write(f"An error has occurred: {type(error).__name__}: {error}\n")
            if "post_mortem" in conf and conf.post_mortem:
                import pdb  # noqa: T100 - what the option is for

                pdb.post_mortem()
            return self.failed if command.failed is None else command.failed

    def _subcommands(self, words: Sequence[str]) -> cfg.SubCommandOpt:
        def add(parsers: Any) -> None:
            for command in (_VERSION, self._completion(), *self.own):
                _add_command(parsers, command)
            for category in self.categories:
                parser = parsers.add_parser(category.name)
                if category.name in words:
                    actions = parser.add_subparsers(dest="action", required=True)
                    for command in category.commands:
                        _add_command(actions, command)

        return cfg.SubCommandOpt("category", title="Categories", help="What it is about.", handler=add)

    def _completion(self) -> Command:
        def complete(_conf: cfg.ConfigOpts, args: Any) -> int:
            if args.query_category is None:
                say(" ".join(category.name for category in self.categories))
            for category in self.categories:
                if category.name == args.query_category:
                    say(" ".join(sorted(command.name for command in category.commands)))
            return 0

        return Command(
            "bash-completion",
            complete,
            "Print the words that may come next.",
            [argument("query_category", nargs="?", help="A category.")],
        )


def _say_version(_conf: cfg.ConfigOpts, _args: Any) -> int:
    say(version("openkeel"))
    return 0


_VERSION: Final = Command("version", _say_version, "Print the version.")


def _add_command(parsers: Any, command: Command) -> None:
    parser: argparse.ArgumentParser = parsers.add_parser(
        command.name, help=command.help, description=command.help
    )
    # oslo.config refuses subcommand arguments that are called like an option, such as host.
    for one in command.arguments:
        if one.is_positional:
            parser.add_argument(_dest(one), **{"metavar": one.dest, **one.settings})
        else:
            parser.add_argument(*one.names, **{**one.settings, "dest": _dest(one)})
    parser.set_defaults(command_row=command)


def _dest(one: Argument) -> str:
    return f"{_OURS}{one.dest}"


def _values(conf: cfg.ConfigOpts, command: Command) -> SimpleNamespace:
    return SimpleNamespace(**{one.dest: getattr(conf.category, _dest(one)) for one in command.arguments})
