"""Bring a database to the schema of this release, and say at which revision it is."""

from pathlib import Path
from typing import Final, Literal

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from openkeel import migrations
from openkeel.db.session import Database
from openkeel.domain.errors import Invalid

Kind = Literal["api", "main"]

# The last version of the tool before Alembic: what the initial revision stands for.
_LEGACY_HEAD: Final = {"api": 67, "main": 402}


def upgrade(database: Database, kind: Kind, revision: str | None = None) -> None:
    """Run the revisions that are missing, up to `revision` or the last."""
    config = _config(kind)
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        if _predates_alembic(connection, kind):
            command.stamp(config, _initial(config))
        command.upgrade(config, revision or "head")


def version(database: Database) -> str | None:
    """The revision the database is at; None when it is empty."""
    with database.read() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        # Not through Alembic's context, which logs: programs read what the command prints.
        found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return None if found is None else str(found)


def head(kind: Kind) -> str:
    """The last revision of this release."""
    found = ScriptDirectory.from_config(_config(kind)).get_current_head()
    if found is None:
        raise Invalid(f"No revisions of the {kind} database are installed.")
    return found


def _config(kind: Kind) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(str(migrations.__file__)).parent / kind))
    config.set_main_option("path_separator", "os")
    return config


def _initial(config: Config) -> str:
    (base,) = ScriptDirectory.from_config(config).get_bases()
    return base


def _predates_alembic(connection: sa.Connection, kind: Kind) -> bool:
    inspector = sa.inspect(connection)
    if inspector.has_table("alembic_version") or not inspector.has_table("migrate_version"):
        return False
    found = connection.scalar(sa.text("SELECT version FROM migrate_version"))
    if found != _LEGACY_HEAD[kind]:
        raise Invalid(
            f"The database is at the legacy version {found}; bring it to {_LEGACY_HEAD[kind]} first."
        )
    return True
