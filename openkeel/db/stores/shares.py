"""Shares of the file share service, attached to servers."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import ShareNotFound

SHARE: Final = plans.SHARES.table
INSTANCE: Final = table_of(rows.Instance)


class ShareStore(TableStore[Any]):
    """Share mappings of one cell."""

    plan = plans.SHARES

    def get(self, instance_uuid: str, share_id: str) -> Any:
        """Raises: ShareNotFound."""
        found = self._find(SHARE.c.instance_uuid == instance_uuid, SHARE.c.share_id == share_id)
        if found is None:
            raise ShareNotFound(share_id=share_id)
        return found

    def list(self, instance_uuid: str) -> Any:
        """All of a server."""
        return self._list(SHARE.c.instance_uuid == instance_uuid, order_by=(SHARE.c.id,))

    def list_by_share(self, share_id: str) -> Any:
        """All attachments of a share."""
        return self._list(SHARE.c.share_id == share_id, order_by=(SHARE.c.id,))

    def list_by_host(self, host: str) -> Any:
        """All of the servers on a host, whatever their state: the host compares them with what it has."""
        here = sa.exists().where(
            INSTANCE.c.uuid == SHARE.c.instance_uuid, INSTANCE.c.host == host, INSTANCE.c.deleted == 0
        )
        return self._list(here, order_by=(SHARE.c.id,))

    @retried
    def delete(self, instance_uuid: str, share_id: str) -> None:
        """Detach a share; fine when it is not attached."""
        mine = (SHARE.c.instance_uuid == instance_uuid, SHARE.c.share_id == share_id)
        with self._database.write() as connection:
            connection.execute(sa.delete(SHARE).where(*mine))

    @retried
    def update_or_create(self, share: Any) -> None:
        """Save it; insert it when the server does not have the share yet."""
        found = self._find(SHARE.c.instance_uuid == share.instance_uuid, SHARE.c.share_id == share.share_id)
        if found is None:
            self.create(share)
            return
        share.id = found.id
        share.uuid = found.uuid
        self.save(share)
