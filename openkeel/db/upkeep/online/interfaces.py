"""NICs of servers made by releases that kept them in the info cache alone."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.stores.plan import rows_of
from openkeel.db.upkeep.online.step import Place, Progress
from openkeel.objects.network_info import NetworkInfo

INSTANCE: Final = table_of(rows.Instance)
CACHE: Final = table_of(rows.InstanceInfoCache)
NIC: Final = table_of(rows.VirtualInterface)
_PAGE: Final = 200
_HERE: Final = "virtual_interfaces"


def fill_list(place: Place, limit: int) -> Progress:
    """Write down NICs that the info cache knows and the table does not, server by server."""
    done = 0
    while done < limit and (page := _page(place)):
        for id_, instance_uuid, network_info in page:
            done += bool(_fill(place, instance_uuid, NetworkInfo.from_json(network_info)))
            place.read_up_to[_HERE] = id_
            if done == limit:
                break
    return Progress(done, done)


def _page(place: Place) -> Any:
    """The next living servers that have NICs by their info cache."""
    statement = (
        sa.select(INSTANCE.c.id, INSTANCE.c.uuid, CACHE.c.network_info)
        .join(CACHE, CACHE.c.instance_uuid == INSTANCE.c.uuid)
        .where(
            INSTANCE.c.id > place.read_up_to.get(_HERE, 0),
            INSTANCE.c.deleted == 0,
            CACHE.c.network_info.is_not(None),
            CACHE.c.network_info != "[]",
        )
        .order_by(INSTANCE.c.id)
        .limit(_PAGE)
    )
    with place.main.read() as connection:
        return rows_of(connection, statement)


def _fill(place: Place, instance_uuid: str, nics: NetworkInfo) -> int:
    """Returns: how many NICs were missing."""
    with place.main.write() as connection:
        mine = sa.select(NIC.c.uuid).where(NIC.c.instance_uuid == instance_uuid, NIC.c.deleted == 0)
        present = set(connection.scalars(mine))
        missing = [nic for nic in nics if nic["id"] not in present]
        if missing:
            fixed = {"instance_uuid": instance_uuid, "created_at": utcnow(), "deleted": 0, "network_id": 0}
            connection.execute(
                sa.insert(NIC),
                [
                    # Compat: the port beside the address, since an address may come again elsewhere.
                    {**fixed, "uuid": nic["id"], "address": f"{nic['address']}/{nic['id']}"}
                    for nic in missing
                ],
            )
    return len(missing)
