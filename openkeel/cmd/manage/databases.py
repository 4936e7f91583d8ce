"""`api_db` and `db`: the schemas of the two kinds of database."""

from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import api_database, cell_directory, main_database
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.db import migrate
from openkeel.db.session import DATABASE_ERRORS
from openkeel.domain.errors import CellMappingNotFound, KeelError


def _sync_api(conf: cfg.ConfigOpts, args: Any) -> int:
    migrate.upgrade(api_database(conf), "api", args.version)
    return 0


def _sync_main(conf: cfg.ConfigOpts, args: Any) -> int:
    if not args.local_cell:
        try:
            migrate.upgrade(cell_directory(conf).cell0().database, "main", args.version)
        except CellMappingNotFound:
            say("WARNING: there is no mapping of cell0 yet, so it stays as it is.")
        except (*DATABASE_ERRORS, KeelError) as error:
            complain(
                f"cell0 could not be brought up to date: {error}\n"
                "Is [api_database]connection right, has `api_db sync` been run, and does the database that "
                "`cell_v2 map_cell0` was given exist? With --local_cell only the database of "
                "[database]connection is brought up to date."
            )
            return 1
    migrate.upgrade(main_database(conf), "main", args.version)
    return 0


def _version_api(conf: cfg.ConfigOpts, _args: Any) -> int:
    say(str(migrate.version(api_database(conf))))
    return 0


def _version_main(conf: cfg.ConfigOpts, _args: Any) -> int:
    say(str(migrate.version(main_database(conf))))
    return 0


_VERSION: Final = argument(
    "version", metavar="VERSION", nargs="?", help="Stop at this revision instead of the last."
)
API_COMMANDS: Final = (
    Command("sync", _sync_api, "Bring the API database to the schema of this release.", [_VERSION]),
    Command("version", _version_api, "Print the revision of the API database."),
)
MAIN_COMMANDS: Final = (
    Command(
        "sync",
        _sync_main,
        "Bring cell0's database and the local cell's to the schema of this release.",
        [
            argument("--local_cell", action="store_true", help="Leave cell0 alone."),
            _VERSION,
        ],
    ),
    Command("version", _version_main, "Print the revision of the local cell's database."),
)
