"""Security groups of the days before Neutron: kept because peers may ask for them."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import SecurityGroupNotFound

GROUP: Final = plans.SECURITY_GROUPS.table
LINK: Final = table_of(rows.SecurityGroupInstanceAssociation)


class SecurityGroupStore(TableStore[Any]):
    """Security groups of one cell."""

    plan = plans.SECURITY_GROUPS
    not_found = SecurityGroupNotFound

    def get(self, id_: int) -> Any:
        """Raises: SecurityGroupNotFound."""
        return self._get(GROUP.c.id == id_, security_group_id=id_)

    def get_by_name(self, project_id: str, name: str) -> Any:
        """Raises: SecurityGroupNotFound."""
        return self._get(GROUP.c.project_id == project_id, GROUP.c.name == name, security_group_id=name)

    def count(self, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
        """How many a project has, and a user in it."""
        mine = (GROUP.c.deleted == 0, GROUP.c.project_id == project_id)
        statement = sa.select(sa.func.count()).select_from(GROUP).where(*mine)
        scopes = {"project": statement}
        if user_id:
            scopes["user"] = statement.where(GROUP.c.user_id == user_id)
        with self._database.read() as connection:
            return {
                scope: {"security_groups": connection.scalar(query) or 0} for scope, query in scopes.items()
            }

    def is_used(self, id_: int) -> bool:
        """Whether any server is in it."""
        statement = sa.select(LINK.c.id).where(LINK.c.security_group_id == id_, LINK.c.deleted == 0)
        with self._database.read() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def list(self, project_id: str | None = None) -> Any:
        """All, or those of a project."""
        return self._list(*(() if project_id is None else (GROUP.c.project_id == project_id,)))

    def list_by_instance(self, instance_uuid: str) -> Any:
        """Those of a server."""
        member = sa.exists().where(
            LINK.c.security_group_id == GROUP.c.id,
            LINK.c.instance_uuid == instance_uuid,
            LINK.c.deleted == 0,
        )
        return self._list(member)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"security_group_id": item.id}
