"""`db archive_deleted_rows` and `db purge`: where rows go when they are dead, and how they end."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import api_database, cell_directory, main_database
from openkeel.cmd.manage.command import Command, argument, complain, hush, say
from openkeel.cmd.manage.dates import moment
from openkeel.db import migrate
from openkeel.db.session import DATABASE_ERRORS, Database
from openkeel.db.upkeep.archive import Archiver, ServerForgetter
from openkeel.db.upkeep.purge import purge
from openkeel.domain.errors import KeelError

_MAX_ROWS: Final = 0x7FFFFFFF
_HEADINGS: Final = ("Table", "Number of Rows Archived")

# How a command names a database in front of its tables, and of its lines; and the database.
Named = tuple[str, str, Database]


def _archive(conf: cfg.ConfigOpts, args: Any) -> int:
    if not 0 <= args.max_rows <= _MAX_ROWS:
        complain(f"--max_rows takes a number from 0 to {_MAX_ROWS}.")
        return 2
    try:
        before = moment(args.before) if args.before else None
    except ValueError as error:
        return _unreadable(error, 4)
    try:
        databases = list(_databases(conf, all_cells=args.all_cells))
        forget = ServerForgetter(_reached(api_database(conf)))
    except (*DATABASE_ERRORS, KeelError) as error:
        complain(f"The API database could not be reached; is [api_database]connection right? {error}")
        return 3
    migrate.expect(api_database(conf), "api")
    _expect_cells(databases)
    archived = _archive_all(databases, forget, before, args)
    if args.verbose:
        _show(archived, forget.removed)
    if archived and args.purge:
        if args.verbose:
            say("Rows were archived, running purge...")
        # Contract: this empties the shadow tables, however young what was in them before.
        _purge_all(databases, None, say if args.verbose else hush)
    return 1 if archived else 0


def _archive_all(
    databases: Sequence[Named], forget: ServerForgetter, before: datetime | None, args: Any
) -> Counter[str]:
    """Archive one batch, or all batches when the operator wants that."""
    tell = _progress if args.verbose and args.until_complete else hush
    archived: Counter[str] = Counter()
    tell("Archiving")
    for prefix, _, database in databases:
        archiver = Archiver(database, forget)
        # Without --until-complete the limit holds for all databases together.
        while (left := args.max_rows - (0 if args.until_complete else archived.total())) > 0:
            done = archiver.run(left, before, with_task_log=args.task_log)
            archived.update({f"{prefix}{name}": count for name, count in done.items()})
            tell(".")
            if not done or not args.until_complete:
                break
            time.sleep(args.sleep)
    tell("complete\n" if archived else "\n")
    return archived


def _show(archived: Counter[str], removed: Counter[str]) -> None:
    if not archived:
        say("Nothing was archived.")
        return
    rows = [(name, str(count)) for name, count in archived.items()]
    rows += [(f"API_DB.{name}", str(count)) for name, count in removed.items()]
    widths = [max(len(line[column]) for line in (_HEADINGS, *rows)) for column in (0, 1)]
    border = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in (_HEADINGS, *sorted(rows))
    ]
    say("\n".join([border, lines[0], border, *lines[1:], border]))


def _purge(conf: cfg.ConfigOpts, args: Any) -> int:
    if not args.before and not args.purge_all:
        complain("Give --before a date, or --all.")
        return 1
    try:
        before = None if args.purge_all else moment(args.before)
    except ValueError as error:
        return _unreadable(error, 2)
    try:
        databases = list(_databases(conf, all_cells=args.all_cells))
    except (*DATABASE_ERRORS, KeelError) as error:
        complain(f"The API database could not be reached; is [api_database]connection right? {error}")
        return 4
    _expect_cells(databases)
    return 0 if _purge_all(databases, before, say if args.verbose else hush) else 3


def _purge_all(databases: Sequence[Named], before: datetime | None, tell: Callable[[str], None]) -> int:
    """Purge databases. Returns: how many rows went."""
    purged = 0
    for _, name, database in databases:
        for one in purge(database, before):
            purged += one.rows
            if one.rows:
                age = one.column or "(n/a)"
                tell(f"{name}: Deleted {one.rows} rows from {one.table} based on timestamp column {age}")
            elif before is not None and one.column is None:
                tell(f"{name}: {one.table} stays: its rows do not say how old they are")
    return purged


def _databases(conf: cfg.ConfigOpts, *, all_cells: bool) -> Iterator[Named]:
    """The databases to work on."""
    if not all_cells:
        yield "", "DB", main_database(conf)
        return
    for cell in cell_directory(conf).cells():
        mapping = cell.mapping
        yield f"{mapping.name or mapping.uuid}.", f"Cell {mapping.uuid}({mapping.name})", cell.database


def _expect_cells(databases: Sequence[Named]) -> None:
    for _, _, database in databases:
        migrate.expect(database, "main")


def _reached(database: Database) -> Database:
    """Raises: DBError; Unavailable."""
    with database.read():
        return database


def _unreadable(error: ValueError, code: int) -> int:
    complain(f"--before takes a date: {error}")
    return code


def _progress(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


_VERBOSE: Final = argument("--verbose", action="store_true", help="Say what becomes of which table.")
_ALL_CELLS: Final = argument("--all-cells", action="store_true", help="In all cells, not only the local one.")

COMMANDS: Final = (
    Command(
        "archive_deleted_rows",
        _archive,
        "Move dead rows into shadow tables. Exits with 1 as long as there may be more.",
        [
            argument(
                "--max_rows",
                type=int,
                default=1000,
                metavar="<number>",
                help="At most about so many rows at once.",
            ),
            argument("--before", metavar="<date>", help="Only rows that died before."),
            _VERBOSE,
            argument("--until-complete", action="store_true", help="Go on until nothing is left."),
            argument("--purge", action="store_true", help="Purge the shadow tables afterwards."),
            _ALL_CELLS,
            argument("--task-log", action="store_true", help="Archive the log of usage audits as well."),
            argument(
                "--sleep",
                type=int,
                default=0,
                metavar="<seconds>",
                help="Rest so long between batches of --until-complete.",
            ),
        ],
    ),
    Command(
        "purge",
        _purge,
        "Delete rows from the shadow tables.",
        [
            argument("--before", metavar="<before>", help="Only rows that are older."),
            argument("--all", dest="purge_all", action="store_true", help="All rows."),
            _VERBOSE,
            _ALL_CELLS,
        ],
    ),
)
