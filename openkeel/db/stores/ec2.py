"""Numbers under which EC2-style metadata knows servers and images."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel import objects
from openkeel.db.session import Database
from openkeel.db.stores import plans
from openkeel.db.stores.instances.rows import load_rows
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import ImageNotFound, InstanceNotFound

SERVER: Final = plans.EC2_INSTANCES.table
IMAGE: Final = plans.EC2_IMAGES.table


class Ec2ServerStore(TableStore[Any]):
    """Numbers of servers. They outlive what they number."""

    plan = plans.EC2_INSTANCES
    not_found = InstanceNotFound

    def get(self, id_: int) -> Any:
        """Raises: InstanceNotFound."""
        return self._get(SERVER.c.id == id_, deleted=None, instance_id=id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: InstanceNotFound."""
        return self._get(SERVER.c.uuid == uuid, deleted=None, instance_id=uuid)


class Ec2ImageStore(TableStore[Any]):
    """Numbers of images."""

    plan = plans.EC2_IMAGES
    not_found = ImageNotFound

    def get(self, id_: int) -> Any:
        """Raises: ImageNotFound."""
        return self._get(IMAGE.c.id == id_, deleted=None, image_id=id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: ImageNotFound."""
        return self._get(IMAGE.c.uuid == uuid, deleted=None, image_id=uuid)


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
