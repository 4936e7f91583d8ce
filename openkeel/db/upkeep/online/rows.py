"""Columns that older releases left empty."""

import uuid
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores.plan import rows_of
from openkeel.db.stores.table import Where
from openkeel.db.upkeep.online.step import Place, Progress

INSTANCE: Final = table_of(rows.Instance)
NODE: Final = table_of(rows.ComputeNode)


def name_migrations(place: Place, limit: int) -> Progress:
    """Moves of servers without a uuid."""
    return _name(place.main, table_of(rows.Migration), limit)


def name_disks(place: Place, limit: int) -> Progress:
    """Disks without a uuid."""
    return _name(place.main, table_of(rows.BlockDeviceMapping), limit)


def name_devices(place: Place, limit: int) -> Progress:
    """Living PCI devices without a uuid."""
    table = table_of(rows.PciDevice)
    return _name(place.main, table, limit, table.c.deleted == 0)


def _name(database: Database, table: sa.Table, limit: int, *where: Where) -> Progress:
    unnamed = table.c.uuid.is_(None)
    with database.write() as connection:
        statement = sa.select(table.c.id).where(unnamed, *where).order_by(table.c.id).limit(limit)
        found = connection.scalars(statement).all()
        done = sum(_set(connection, table, unnamed, id_, uuid=str(uuid.uuid4())) for id_ in found)
    return Progress(len(found), done)


def _set(connection: sa.Connection, table: sa.Table, still: Where, id_: int, **values: Any) -> int:
    """Fill in a row unless somebody else did, or it changed, meanwhile. It counts as untouched."""
    if "updated_at" in table.c:
        values["updated_at"] = table.c.updated_at
    return connection.execute(sa.update(table).where(table.c.id == id_, still).values(values)).rowcount


def fill_zones(place: Place, limit: int) -> Progress:
    """Servers on a host whose availability zone was never written down."""
    without = INSTANCE.c.availability_zone.is_(None)
    statement = sa.select(INSTANCE.c.id, INSTANCE.c.host).where(without, INSTANCE.c.host.is_not(None))
    with place.main.read() as connection:
        found = rows_of(connection, statement.order_by(INSTANCE.c.id).limit(limit))
    zones = place.cells.api.aggregates.zones_of_hosts({host for _, host in found}) if found else {}
    with place.main.write() as connection:
        done = sum(
            _set(
                connection,
                INSTANCE,
                sa.and_(without, INSTANCE.c.host == host),
                id_,
                availability_zone=zones.get(host, place.default_zone),
            )
            for id_, host in found
        )
    return Progress(len(found), done)


def fill_ratios(place: Place, limit: int) -> Progress:
    """Nodes whose overcommit ratios were left to the scheduler."""
    ratios = {
        NODE.c.cpu_allocation_ratio: place.ratios.cpu,
        NODE.c.ram_allocation_ratio: place.ratios.memory,
        NODE.c.disk_allocation_ratio: place.ratios.disk,
    }
    empty = {column: sa.func.coalesce(column, 0.0) == 0.0 for column in ratios}
    statement = sa.select(NODE.c.id).where(NODE.c.deleted == 0, sa.or_(*empty.values()))
    with place.main.write() as connection:
        found = connection.scalars(statement.order_by(NODE.c.id).limit(limit)).all()
        for column, ratio in ratios.items():
            mine = sa.update(NODE).where(NODE.c.id.in_(found), empty[column])
            connection.execute(mine.values({column: ratio, NODE.c.updated_at: NODE.c.updated_at}))
    return Progress(len(found), len(found))


def fill_compute_ids(place: Place, limit: int) -> Progress:
    """Servers that know their node only by its name. Those whose node is gone are found in vain."""
    without = sa.and_(INSTANCE.c.compute_id.is_(None), INSTANCE.c.host.is_not(None))
    here = sa.and_(
        NODE.c.host == INSTANCE.c.host, NODE.c.hypervisor_hostname == INSTANCE.c.node, NODE.c.deleted == 0
    )
    statement = sa.select(INSTANCE.c.id, INSTANCE.c.host, INSTANCE.c.node, NODE.c.id.label("node_id"))
    statement = statement.join(NODE, here).where(without).order_by(INSTANCE.c.id).limit(limit)
    with place.main.write() as connection:
        found = rows_of(connection, statement)
        done = sum(
            _set(
                connection,
                INSTANCE,
                sa.and_(without, INSTANCE.c.host == host, INSTANCE.c.node == node),
                id_,
                compute_id=node_id,
            )
            for id_, host, node, node_id in found
        )
        in_vain = sa.select(INSTANCE.c.id).where(without, sa.not_(sa.exists().where(here)))
        lost = len(connection.scalars(in_vain.limit(limit - len(found))).all())
    return Progress(len(found) + lost, done)
