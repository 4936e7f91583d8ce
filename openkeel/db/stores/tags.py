"""Tags of servers."""

from collections.abc import Collection
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database, retried
from openkeel.db.stores import plans
from openkeel.domain.errors import AlreadyExists, Invalid, NotFound

TAG: Final = plans.TAGS.table
INSTANCE: Final = table_of(rows.Instance)


class TagStore:
    """Tags of one cell."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, instance_uuid: str) -> Any:
        """All of a server, by name."""
        statement = sa.select(*plans.TAGS.columns).where(TAG.c.resource_id == instance_uuid)
        with self._database.read() as connection:
            return plans.TAGS.to_list(connection.execute(statement.order_by(TAG.c.tag)))

    def exists(self, instance_uuid: str, tag: str) -> bool:
        """Whether the server has the tag."""
        statement = sa.select(TAG.c.tag).where(TAG.c.resource_id == instance_uuid, TAG.c.tag == tag)
        with self._database.read() as connection:
            return connection.execute(statement).first() is not None

    @retried
    def add(self, instance_uuid: str, tag: str, *, most: int | None = None) -> bool:
        """Give the server a tag; fine when it has it. Returns: whether it did not have it yet.

        Raises: Invalid when it has `most` already.
        """
        with self._database.write() as connection:
            _hold(connection, instance_uuid)
            mine = TAG.c.resource_id == instance_uuid
            count = sa.select(sa.func.count()).select_from(TAG).where(mine)
            if most is not None and (connection.scalar(count) or 0) >= most:
                raise Invalid(f"A server has {most} tags at most.")
            present = connection.execute(sa.select(TAG.c.tag).where(mine, TAG.c.tag == tag)).first()
            if present is None:
                connection.execute(sa.insert(TAG).values(resource_id=instance_uuid, tag=tag))
        return present is None

    def create(self, instance_uuid: str, tags: Collection[str]) -> Any:
        """Give a new server its tags; the same twice is fine."""
        return self.replace(instance_uuid, tags)

    @retried
    def replace(self, instance_uuid: str, tags: Collection[str]) -> Any:
        """Make these the tags of the server.

        Raises: AlreadyExists, when two are one to the database, whose collation may ignore case.
        """
        wanted = sorted(set(tags))
        try:
            with self._database.write() as connection:
                _hold(connection, instance_uuid)
                mine = TAG.c.resource_id == instance_uuid
                present = set(connection.scalars(sa.select(TAG.c.tag).where(mine)))
                gone = present - set(wanted)
                if gone:
                    connection.execute(sa.delete(TAG).where(mine, TAG.c.tag.in_(sorted(gone))))
                new = [{"resource_id": instance_uuid, "tag": tag} for tag in wanted if tag not in present]
                if new:
                    connection.execute(sa.insert(TAG), new)
        except DBDuplicateEntry as error:
            raise AlreadyExists("Two of the tags differ in nothing that the database keeps apart.") from error
        return plans.TAGS.wrap(
            [plans.TAGS.to_object({"resource_id": instance_uuid, "tag": t}) for t in wanted]
        )

    @retried
    def remove(self, instance_uuid: str, tag: str) -> None:
        """Raises: NotFound."""
        with self._database.write() as connection:
            statement = sa.delete(TAG).where(TAG.c.resource_id == instance_uuid, TAG.c.tag == tag)
            if connection.execute(statement).rowcount == 0:
                raise NotFound(f"Instance {instance_uuid} has no tag '{tag}'")

    @retried
    def remove_all(self, instance_uuid: str) -> None:
        """Take all tags from the server."""
        with self._database.write() as connection:
            connection.execute(sa.delete(TAG).where(TAG.c.resource_id == instance_uuid))


def _hold(connection: sa.Connection, instance_uuid: str) -> None:
    """Let those who write tags of the server wait for each other. The first statement of a transaction."""
    connection.execute(sa.select(INSTANCE.c.id).where(INSTANCE.c.uuid == instance_uuid).with_for_update())
