"""What a scheduler reads: a constant number of statements, however many hosts are asked about."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api, main
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores import plans
from openkeel.db.stores.plan import rows_of, values_of

NODE: Final = plans.COMPUTE_NODES.table
SERVICE: Final = plans.SERVICES.table
INSTANCE: Final = table_of(main.Instance)
SYSTEM_METADATA: Final = table_of(main.InstanceSystemMetadata)
AGGREGATE: Final = table_of(api.Aggregate)
AGGREGATE_HOST: Final = table_of(api.AggregateHost)
AGGREGATE_METADATA: Final = table_of(api.AggregateMetadata)
GROUP: Final = table_of(api.InstanceGroup)
GROUP_MEMBER: Final = table_of(api.InstanceGroupMember)

COMPUTE: Final = "nova-compute"
PREFIX: Final = "of_service_"  # a node has columns called service_* of its own
IMAGE_PREFIX: Final = "image_"


@dataclass(slots=True)
class AggregateRow:
    """An aggregate with all that hangs on it."""

    uuid: str
    name: str
    hosts: set[str] = field(default_factory=set)
    metadata: dict[str, str] = field(default_factory=dict)


class ApiSchedulingReads:
    """Reads of the API database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def aggregates(self) -> list[AggregateRow]:
        """All aggregates: three statements."""
        with self._database.read() as connection:
            found = {
                id_: AggregateRow(uuid=uuid, name=name)
                for id_, uuid, name in rows_of(
                    connection, sa.select(AGGREGATE.c.id, AGGREGATE.c.uuid, AGGREGATE.c.name)
                )
            }
            for id_, host in rows_of(
                connection, sa.select(AGGREGATE_HOST.c.aggregate_id, AGGREGATE_HOST.c.host)
            ):
                if id_ in found:
                    found[id_].hosts.add(host)
            metadata = AGGREGATE_METADATA.c
            for id_, key, value in rows_of(
                connection, sa.select(metadata.aggregate_id, metadata.key, metadata.value)
            ):
                if id_ in found:
                    found[id_].metadata[key] = value
        return list(found.values())

    def group_members(self, group_uuid: str) -> frozenset[str]:
        """Uuids of the servers in a server group; empty when there is none."""
        statement = (
            sa.select(GROUP_MEMBER.c.instance_uuid)
            .join(GROUP, GROUP.c.id == GROUP_MEMBER.c.group_id)
            .where(GROUP.c.uuid == group_uuid)
        )
        with self._database.read() as connection:
            return frozenset(connection.scalars(statement))


class CellSchedulingReads:
    """Reads of one cell's database, one statement each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def nodes(self, uuids: Collection[str]) -> list[tuple[Any, Any]]:
        """These nodes (ComputeNode), each with the record of its compute (Service)."""
        labelled = [column.label(PREFIX + column.name) for column in SERVICE.c]
        statement = (
            sa.select(*plans.COMPUTE_NODES.columns, *labelled)
            .join(SERVICE, sa.and_(SERVICE.c.host == NODE.c.host, SERVICE.c.binary == COMPUTE))
            .where(NODE.c.uuid.in_(list(uuids)), NODE.c.deleted == 0, SERVICE.c.deleted == 0)
        )
        pairs = []
        with self._database.read() as connection:
            for row in connection.execute(statement):
                values = values_of(row)
                service = {
                    name.removeprefix(PREFIX): value
                    for name, value in values.items()
                    if name.startswith(PREFIX)
                }
                pairs.append((plans.COMPUTE_NODES.to_object(values), plans.SERVICES.to_object(service)))
        return pairs

    def node_uuids(self, hosts: Collection[str], nodes: Collection[str]) -> list[str]:
        """Uuids of the nodes with one of these hosts and one of these names; empty means any."""
        statement = sa.select(NODE.c.uuid).where(NODE.c.deleted == 0)
        if hosts:
            statement = statement.where(NODE.c.host.in_(list(hosts)))
        if nodes:
            statement = statement.where(NODE.c.hypervisor_hostname.in_(list(nodes)))
        with self._database.read() as connection:
            return list(connection.scalars(statement))

    def hosts_of(self, instance_uuids: Collection[str]) -> dict[str, str]:
        """On which host each of these servers is; those on none or gone are left out."""
        statement = sa.select(INSTANCE.c.uuid, INSTANCE.c.host).where(
            INSTANCE.c.uuid.in_(list(instance_uuids)), INSTANCE.c.deleted == 0, INSTANCE.c.host.is_not(None)
        )
        with self._database.read() as connection:
            return dict(tuple(row) for row in rows_of(connection, statement))

    def image_properties_on(self, hosts: Collection[str]) -> dict[str, list[dict[str, str]]]:
        """By host, the image properties of each server there."""
        statement = (
            sa.select(INSTANCE.c.host, INSTANCE.c.uuid, SYSTEM_METADATA.c.key, SYSTEM_METADATA.c.value)
            .join(SYSTEM_METADATA, SYSTEM_METADATA.c.instance_uuid == INSTANCE.c.uuid)
            .where(
                INSTANCE.c.host.in_(list(hosts)),
                INSTANCE.c.deleted == 0,
                SYSTEM_METADATA.c.deleted == 0,
                SYSTEM_METADATA.c.key.startswith(IMAGE_PREFIX, autoescape=True),
            )
        )
        found: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        with self._database.read() as connection:
            for host, uuid, key, value in rows_of(connection, statement):
                found[host][uuid][key.removeprefix(IMAGE_PREFIX)] = value
        return {host: list(servers.values()) for host, servers in found.items()}
