"""Public keys of users."""

from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.session import retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.table import TableStore
from openkeel.db.stores.turns import take_turn
from openkeel.domain.errors import KeyPairExists, KeypairNotFound

KEYPAIR: Final = api_plans.KEYPAIRS.table


class KeypairStore(TableStore[Any]):
    """Keypairs of all users. A name is unique per user."""

    plan = api_plans.KEYPAIRS
    not_found = KeypairNotFound
    exists = KeyPairExists

    def get(self, user_id: str, name: str) -> Any:
        """Raises: KeypairNotFound."""
        return self._get(KEYPAIR.c.user_id == user_id, KEYPAIR.c.name == name, user_id=user_id, name=name)

    def list(self, user_id: str, *, limit: int | None = None, marker: str | None = None) -> Any:
        """A page by name; `marker` is a name. Raises: KeypairNotFound (marker)."""
        if limit == 0:
            return self.plan.wrap([])
        where = [KEYPAIR.c.user_id == user_id]
        if marker is not None:
            self.get(user_id, marker)
            where.append(KEYPAIR.c.name > marker)
        return self._list(*where, order_by=(KEYPAIR.c.name, KEYPAIR.c.id), limit=limit)

    def count(self, user_id: str) -> int:
        """How many a user has."""
        with self._database.read() as connection:
            return _count(connection, user_id)

    def create_within(self, item: Any, admit: Callable[[int], None]) -> None:
        """As `create`; nobody else who is asked to be admitted comes in between.

        Raises: KeyPairExists; what `admit` raises, given how many the user has.
        """

        def first(connection: sa.Connection) -> None:
            take_turn(connection)
            admit(_count(connection, item.user_id))

        self.create_many([item], first=first)

    @retried
    def delete(self, user_id: str, name: str) -> None:
        """Raises: KeypairNotFound."""
        statement = sa.delete(KEYPAIR).where(KEYPAIR.c.user_id == user_id, KEYPAIR.c.name == name)
        with self._database.write() as connection:
            if connection.execute(statement).rowcount == 0:
                raise KeypairNotFound(user_id=user_id, name=name)

    def destroy(self, item: Any) -> None:
        """As `delete`, by the object."""
        self.delete(item.user_id, item.name)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"user_id": item.user_id, "name": item.name, "key_name": item.name}


def _count(connection: sa.Connection, user_id: str) -> int:
    statement = sa.select(sa.func.count()).select_from(KEYPAIR).where(KEYPAIR.c.user_id == user_id)
    return int(connection.scalar(statement) or 0)
