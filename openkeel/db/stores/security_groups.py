"""Security groups of the days before Neutron: read because peers may ask, never written."""

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

    def get(self, id_: int) -> Any:
        """Raises: SecurityGroupNotFound."""
        return self._one(GROUP.c.id == id_, id_)

    def get_by_name(self, project_id: str, name: str) -> Any:
        """Raises: SecurityGroupNotFound."""
        return self._one(sa.and_(GROUP.c.project_id == project_id, GROUP.c.name == name), name)

    def _one(self, where: Any, name: Any) -> Any:
        found = self._find(where)
        if found is None:
            raise SecurityGroupNotFound(security_group_id=name)
        return found

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
