"""Tokens with which a console proxy lets somebody in. Only a hash of each is kept."""

import hashlib
import time
from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores.plan import Plan, values_of
from openkeel.domain.errors import AlreadyExists

TOKEN: Final = table_of(rows.ConsoleAuthToken)
PLAN: Final = Plan(objects.ConsoleAuthToken, rows.ConsoleAuthToken)


class ConsoleTokenStore:
    """Console tokens of one cell."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    @retried
    def create(self, token: Any, lifetime_s: int) -> None:
        """Remember a token until it expires. The object keeps it in the clear. Raises: AlreadyExists."""
        token.expires = int(self._now()) + lifetime_s
        row = PLAN.new_row(token, utcnow()) | {"token_hash": hash_of(token.token)}
        try:
            with self._database.write() as connection:
                key = connection.execute(sa.insert(TOKEN).values(row)).inserted_primary_key
        except DBDuplicateEntry as error:
            raise AlreadyExists("The generated token is in use.") from error
        PLAN.fill(token, {**row, "id": key[0] if key else None})
        token.obj_reset_changes(recursive=False)

    def find(self, token: str) -> Any | None:
        """What a token that has not expired lets in to."""
        statement = sa.select(*PLAN.columns).where(
            TOKEN.c.token_hash == hash_of(token), TOKEN.c.expires > int(self._now())
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        if row is None:
            return None
        found = PLAN.to_object(values_of(row))
        found.token = token
        found.obj_reset_changes(["token"])
        return found

    @retried
    def delete_all(self, instance_uuid: str) -> None:
        """Forget the tokens of a server."""
        with self._database.write() as connection:
            connection.execute(sa.delete(TOKEN).where(TOKEN.c.instance_uuid == instance_uuid))

    @retried
    def delete_expired(self, host: str | None = None) -> None:
        """Forget what has expired, everywhere or on a host."""
        statement = sa.delete(TOKEN).where(TOKEN.c.expires <= int(self._now()))
        if host is not None:
            statement = statement.where(TOKEN.c.host == host)
        with self._database.write() as connection:
            connection.execute(statement)


def hash_of(token: str) -> str:
    """What the table keeps of a token. Contract: SHA-256 in hex."""
    return hashlib.sha256(token.encode()).hexdigest()
