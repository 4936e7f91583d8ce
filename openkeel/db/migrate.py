"""Bring a database to the schema of this release, and say at which revision it is.

A database that is not what it is taken for is refused before anything in it changes: of another kind, of
a later release, with tables but without a revision. The message names the database and what is wrong.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from openkeel import migrations
from openkeel.db.session import Database
from openkeel.domain.errors import Invalid

Kind = Literal["api", "main"]

# The last version of the tool before Alembic: what the initial revision stands for.
_LEGACY_HEAD: Final = {"api": 67, "main": 402}
_NAMES: Final = {"api": "the API database", "main": "a cell's database"}
_OTHER: Final[dict[Kind, Kind]] = {"api": "main", "main": "api"}
# A table that every revision of the kind has and no revision of the other.
_MARK: Final = {"api": "cell_mappings", "main": "instances"}


def upgrade(database: Database, kind: Kind, revision: str | None = None) -> None:
    """Run the revisions that are missing, up to `revision` or the last.

    Raises: Invalid when the database is not one that these revisions are for, or `revision` is unknown.
    """
    config = _config(kind)
    script = ScriptDirectory.from_config(config)
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        found = _revisions(connection)
        _refuse(database, kind, found, script)
        if not found:
            if _predates_alembic(database, connection, kind):
                command.stamp(config, _initial(script))
            else:
                _refuse_strays(database, connection, script, kind)
        with _unknown(revision):
            command.upgrade(config, revision or "head")


def version(database: Database) -> str | None:
    """The revision the database is at; None when it is empty.

    Raises: Invalid when it says to be at several.
    """
    with database.read() as connection:
        found = _revisions(connection)
    _refuse_several(database, found)
    return found[0] if found else None


def expect(database: Database, kind: Kind) -> None:
    """See that a database is of its kind, at whatever revision.

    Raises: Invalid when it is not; Unavailable.
    """
    with database.read() as connection:
        inspector = sa.inspect(connection)
        if inspector.has_table(_MARK[kind]):
            return
        other = _OTHER[kind]
        if inspector.has_table(_MARK[other]):
            raise _mistaken(database, kind)
        raise Invalid(f"{_name(database)} should be {_NAMES[kind]}, but has no table {_MARK[kind]}.")


def head(kind: Kind) -> str:
    """The last revision of this release."""
    found = ScriptDirectory.from_config(_config(kind)).get_current_head()
    if found is None:
        raise Invalid(f"No revisions of the {kind} database are installed.")
    return found


def _name(database: Database) -> str:
    """A database as messages name it: without its password."""
    return f"Database {sa.make_url(database.settings.url).render_as_string(hide_password=True)}"


def _config(kind: Kind) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(str(migrations.__file__)).parent / kind))
    config.set_main_option("path_separator", "os")
    return config


def _initial(script: ScriptDirectory) -> str:
    (base,) = script.get_bases()
    return base


def _revisions(connection: sa.Connection) -> Sequence[str]:
    # Not through Alembic's context, which logs: programs read what the command prints.
    if not sa.inspect(connection).has_table("alembic_version"):
        return ()
    statement = sa.text("SELECT version_num FROM alembic_version ORDER BY version_num")
    return [str(one) for one in connection.scalars(statement)]


def _refuse_several(database: Database, found: Sequence[str]) -> None:
    if len(found) > 1:
        raise Invalid(f"{_name(database)} says to be at several revisions at once: {', '.join(found)}.")


def _refuse(database: Database, kind: Kind, found: Sequence[str], script: ScriptDirectory) -> None:
    """Refuse revisions that are not ours."""
    _refuse_several(database, found)
    known = {one.revision for one in script.walk_revisions()}
    for one in found:
        if one in known:
            continue
        other = ScriptDirectory.from_config(_config(_OTHER[kind]))
        if one in {revision.revision for revision in other.walk_revisions()}:
            raise _mistaken(database, kind)
        raise Invalid(
            f"{_name(database)} is at revision {one!r}, which this release does not know. "
            f"A later release may have made it; the last one known is {script.get_current_head()}."
        )


def _mistaken(database: Database, kind: Kind) -> Invalid:
    option = {"api": "[api_database]connection", "main": "[database]connection or the cell mapping"}[kind]
    return Invalid(
        f"{_name(database)} is {_NAMES[_OTHER[kind]]}, where {_NAMES[kind]} is wanted: is {option} right?"
    )


def _refuse_strays(
    database: Database, connection: sa.Connection, script: ScriptDirectory, kind: Kind
) -> None:
    """Refuse tables of ours that no revision accounts for: creating them would fail half-way."""
    if sa.inspect(connection).has_table(_MARK[kind]):
        raise Invalid(
            f"{_name(database)} has a table {_MARK[kind]}, but does not say at which revision it is. "
            f"The first one is {_initial(script)}."
        )


def _predates_alembic(database: Database, connection: sa.Connection, kind: Kind) -> bool:
    if not sa.inspect(connection).has_table("migrate_version"):
        return False
    found = connection.scalar(sa.text("SELECT version FROM migrate_version"))
    if found != _LEGACY_HEAD[kind]:
        raise Invalid(
            f"{_name(database)} is at version {found} of the tool that Nova used up to Wallaby; "
            f"bring it to {_LEGACY_HEAD[kind]} with an older release first."
        )
    return sa.inspect(connection).has_table(_MARK[kind])


@contextmanager
def _unknown(revision: str | None) -> Iterator[None]:
    """Say in our own words that a revision asked for does not exist."""
    try:
        yield
    except CommandError as error:
        raise Invalid(f"Revision {revision!r} cannot be had: {error}") from error
