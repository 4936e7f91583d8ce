"""Commands as rows, and the little they need to talk."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oslo_config import cfg


@dataclass(frozen=True, slots=True)
class Argument:
    """What argparse's `add_argument` takes."""

    names: Sequence[str]
    settings: Mapping[str, Any]

    @property
    def is_positional(self) -> bool:
        """Given by its place, not by its name."""
        return not self.names[0].startswith("-")

    @property
    def dest(self) -> str:
        """The attribute that commands read it from."""
        return str(self.settings.get("dest") or self.names[0].lstrip("-").replace("-", "_"))


def argument(*names: str, **settings: Any) -> Argument:
    """A row for an argument."""
    return Argument(names, settings)


@dataclass(frozen=True, slots=True)
class Command:
    """`run` gets the options and the parsed arguments, and returns the exit code.

    `failed` is that of an error nobody foresaw, where it is not the tool's.
    """

    name: str
    run: Callable[[cfg.ConfigOpts, Any], int]
    help: str
    arguments: Sequence[Argument] = ()
    failed: int | None = None


def say(line: str) -> None:
    """Tell the operator."""
    sys.stdout.write(f"{line}\n")


def hush(_line: str) -> None:
    """Say nothing, where the operator asked for that."""


def complain(line: str) -> None:
    """Tell the operator what is wrong."""
    sys.stderr.write(f"{line}\n")


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: Callable[[str, int], str] = str.center,
) -> str:
    """A table in the borders that scripts written for Nova's know how to cut."""
    widths = [max(len(line[column]) for line in (headings, *rows)) for column in range(len(headings))]
    border = _border(widths)
    lines = [
        _line([align(text, width) for text, width in zip(row, widths, strict=True)])
        for row in (headings, *rows)
    ]
    return "\n".join([border, lines[0], border, *lines[1:], border])


def _border(widths: Sequence[int]) -> str:
    return "+" + "+".join("-" * (width + 2) for width in widths) + "+"


def _line(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {cell} " for cell in cells) + "|"
