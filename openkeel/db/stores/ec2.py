"""Numbers under which EC2-style metadata knows servers and images."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel import objects
from openkeel.db.session import Database
from openkeel.db.stores import plans
from openkeel.db.stores.instance_rows import load_rows
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import NotFound

SERVER: Final = plans.EC2_INSTANCES.table
IMAGE: Final = plans.EC2_IMAGES.table


class _NumberStore(TableStore[Any]):
    """Numbers of things with a uuid. They outlive what they number."""

    def get(self, id_: int) -> Any:
        """Raises: NotFound."""
        return self._known(self.plan.table.c.id == id_, id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._known(self.plan.table.c.uuid == uuid, uuid)

    def _known(self, where: Any, name: Any) -> Any:
        found = self._find(where, deleted=None)
        if found is None:
            raise NotFound(f"Nothing is numbered as {name}.")
        return found


class Ec2ServerStore(_NumberStore):
    """Numbers of servers."""

    plan = plans.EC2_INSTANCES


class Ec2ImageStore(_NumberStore):
    """Numbers of images."""

    plan = plans.EC2_IMAGES


class Ec2Store:
    """All numbers of one cell."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.servers = Ec2ServerStore(database)
        self.images = Ec2ImageStore(database)

    def ids_of(self, instance: Any) -> Any:
        """The ids of a server, its image, kernel and ramdisk; images get a number when they have none."""
        refs = [ref for ref in (instance.image_ref, instance.kernel_id, instance.ramdisk_id) if ref]
        with self._database.read() as connection:
            known = set(connection.scalars(sa.select(IMAGE.c.uuid).where(IMAGE.c.uuid.in_(refs))))
        for ref in dict.fromkeys(refs):
            if ref not in known:
                self.images.create(objects.S3ImageMapping(uuid=ref))
        bare = objects.Instance(
            **{
                name: getattr(instance, name)
                for name in ("id", "uuid", "image_ref", "kernel_id", "ramdisk_id")
            },
            deleted=False,
        )
        with self._database.read() as connection:
            load_rows(connection, [bare], ["ec2_ids"])
        return bare.ec2_ids
