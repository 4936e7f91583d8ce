"""`db online_data_migrations`: data of older releases brought to its present form, while all runs."""

import logging
from collections import Counter
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import cell_directory, main_database
from openkeel.cmd.manage.command import Command, argument, complain, say, table
from openkeel.db.session import DATABASE_ERRORS
from openkeel.db.upkeep.online import MIGRATIONS, Place, Ratios
from openkeel.domain.errors import KeelError

LOG = logging.getLogger(__name__)

_BAD_COUNT: Final = 127
_BATCH: Final = 50


class _Run:
    """One call of the command: counts by migration."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.needed: Counter[str] = Counter()
        self.completed: Counter[str] = Counter()
        self.has_failed = False

    def batch(self, limit: int) -> int:
        """Let every migration handle rows until `limit` of them are done. Returns: how many were."""
        done = 0
        self.has_failed = False
        for name, migrate in MIGRATIONS.items():
            try:
                progress = migrate(self._place, limit - done)
            except (*DATABASE_ERRORS, KeelError, ValueError) as error:  # ValueError: a row nobody can read
                self.has_failed = True
                self.needed[name] += 0
                LOG.exception("%s failed", name)
                complain(f"{name} failed: {error}")
                continue
            if progress.found:
                say(f"{progress.found} rows matched query {name}, {progress.done} migrated")
            self.needed[name] += progress.found
            self.completed[name] += progress.done
            done += progress.done
            if done >= limit:
                break
        return done

    def summary(self) -> str:
        rows = [(name, str(self.needed[name]), str(self.completed[name])) for name in sorted(self.needed)]
        return table(("Migration", "Total Needed", "Completed"), rows)


def _migrate(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        limit = None if args.max_count is None else int(args.max_count)
    except ValueError:
        limit = 0
    if limit is not None and limit <= 0:
        complain("--max-count takes a positive number.")
        return _BAD_COUNT
    run = _Run(_place(conf))
    if limit is None:
        say(f"Running batches of {_BATCH} until complete")
        done = 1
        while done:
            done = run.batch(_BATCH)
    else:
        done = run.batch(limit)
    say(run.summary())
    if run.has_failed and not done:
        complain("Some migrations failed, and no other had anything to do: the log says more.")
        return 2
    return 1 if done else 0


def _place(conf: cfg.ConfigOpts) -> Place:
    return Place(
        main=main_database(conf),
        cells=cell_directory(conf),
        default_zone=conf.default_availability_zone,
        ratios=Ratios(
            cpu=conf.cpu_allocation_ratio or conf.initial_cpu_allocation_ratio,
            memory=conf.ram_allocation_ratio or conf.initial_ram_allocation_ratio,
            disk=conf.disk_allocation_ratio or conf.initial_disk_allocation_ratio,
        ),
    )


COMMANDS: Final = (
    Command(
        "online_data_migrations",
        _migrate,
        "Bring data of older releases to its present form. Exits with 1 as long as there may be more.",
        [
            argument(
                "--max-count",
                dest="max_count",
                metavar="<number>",
                help="At most so many rows now; all of them when not given.",
            )
        ],
    ),
)
