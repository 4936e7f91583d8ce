"""Limits that differ from the configured ones: of projects, of users, of classes."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores.plan import rows_of
from openkeel.domain.errors import NotFound, QuotaExists

PROJECT: Final = table_of(rows.Quota)
USER: Final = table_of(rows.ProjectUserQuota)
CLASS: Final = table_of(rows.QuotaClass)
DEFAULT_CLASS: Final = "default"


class QuotaStore:
    """Limits by resource name. What is used is counted where it is, not kept here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_project(self, project_id: str) -> Mapping[str, int]:
        """The limits set for a project."""
        return self._limits(PROJECT, PROJECT.c.project_id == project_id)

    def by_project(self) -> Mapping[str, Mapping[str, int]]:
        """The limits set for projects, by project."""
        statement = sa.select(PROJECT.c.project_id, PROJECT.c.resource, PROJECT.c.hard_limit)
        found: dict[str, dict[str, int]] = {}
        with self._database.read() as connection:
            for project, resource, limit in rows_of(connection, statement):
                found.setdefault(project, {})[resource] = limit
        return found

    def of_user(self, project_id: str, user_id: str) -> Mapping[str, int]:
        """The limits set for a user in a project."""
        return self._limits(USER, USER.c.project_id == project_id, USER.c.user_id == user_id)

    def of_users(self, project_id: str) -> Mapping[str, Mapping[str, int]]:
        """The limits set for users in a project, by user."""
        statement = sa.select(USER.c.user_id, USER.c.resource, USER.c.hard_limit)
        found: dict[str, dict[str, int]] = {}
        with self._database.read() as connection:
            for user, resource, limit in rows_of(
                connection, statement.where(USER.c.project_id == project_id)
            ):
                found.setdefault(user, {})[resource] = limit
        return found

    def of_class(self, class_name: str = DEFAULT_CLASS) -> Mapping[str, int]:
        """The limits set for a class; the class `default` holds for everybody without own limits."""
        return self._limits(CLASS, CLASS.c.class_name == class_name)

    def _limits(self, table: sa.Table, *where: Any) -> Mapping[str, int]:
        statement = sa.select(table.c.resource, table.c.hard_limit).where(*where)
        with self._database.read() as connection:
            return dict(rows_of(connection, statement))

    def set_project(self, project_id: str, limits: Mapping[str, int]) -> None:
        """Set limits of a project."""
        self._set(PROJECT, {"project_id": project_id}, limits)

    def set_user(self, project_id: str, user_id: str, limits: Mapping[str, int]) -> None:
        """Set limits of a user in a project."""
        self._set(USER, {"project_id": project_id, "user_id": user_id}, limits)

    def set_class(self, class_name: str, limits: Mapping[str, int]) -> None:
        """Set limits of a class."""
        self._set(CLASS, {"class_name": class_name}, limits)

    def _set(self, table: sa.Table, owner: Mapping[str, str], limits: Mapping[str, int]) -> None:
        try:
            self._write(table, owner, limits)
        except DBDuplicateEntry:
            self._write(table, owner, limits)  # somebody else has just set it for the first time

    @retried
    def _write(self, table: sa.Table, owner: Mapping[str, str], limits: Mapping[str, int]) -> None:
        now = utcnow()
        mine = [table.c[name] == value for name, value in owner.items()]
        with self._database.write() as connection:
            present = set(connection.scalars(sa.select(table.c.resource).where(*mine)))
            for resource, limit in limits.items():
                if resource in present:
                    connection.execute(
                        sa.update(table)
                        .where(*mine, table.c.resource == resource)
                        .values(hard_limit=limit, updated_at=now)
                    )
                else:
                    connection.execute(
                        sa.insert(table).values(**owner, resource=resource, hard_limit=limit, created_at=now)
                    )

    @retried
    def create_limit(self, project_id: str, resource: str, limit: int, user_id: str | None = None) -> None:
        """Set a limit that is not set yet. Raises: QuotaExists."""
        table, owner = _scope(project_id, user_id)
        try:
            with self._database.write() as connection:
                connection.execute(
                    sa.insert(table).values(**owner, resource=resource, hard_limit=limit, created_at=utcnow())
                )
        except DBDuplicateEntry as error:
            raise QuotaExists(project_id=project_id, resource=resource) from error

    @retried
    def update_limit(self, project_id: str, resource: str, limit: int, user_id: str | None = None) -> None:
        """Change a limit that is set. Raises: NotFound."""
        table, owner = _scope(project_id, user_id)
        mine = [table.c[name] == value for name, value in owner.items()]
        statement = sa.update(table).where(*mine, table.c.resource == resource)
        with self._database.write() as connection:
            changes = {"hard_limit": limit, "updated_at": utcnow()}
            if connection.execute(statement.values(changes)).rowcount == 0:
                raise NotFound(f"Quota for project {project_id} could not be found.", project_id=project_id)

    @retried
    def delete(self, project_id: str, user_id: str | None = None) -> None:
        """Back to the defaults: of a user, or of a project with all its users."""
        with self._database.write() as connection:
            mine = USER.c.project_id == project_id
            if user_id is not None:
                connection.execute(sa.delete(USER).where(mine, USER.c.user_id == user_id))
                return
            connection.execute(sa.delete(USER).where(mine))
            connection.execute(sa.delete(PROJECT).where(PROJECT.c.project_id == project_id))


def _scope(project_id: str, user_id: str | None) -> tuple[sa.Table, dict[str, str]]:
    if user_id is None:
        return PROJECT, {"project_id": project_id}
    return USER, {"project_id": project_id, "user_id": user_id}
