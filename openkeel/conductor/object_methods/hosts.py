"""Remotable methods of daemons, hypervisor nodes and moves between them."""

from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import (
    Methods,
    OnClass,
    OnObject,
    Stores,
    moment,
    rows_of,
)
from openkeel.domain.errors import ComputeHostNotFound, ServiceNotFound


def _nodes_of_host(stores: Stores, _ctx: Context, host: str, use_slave: bool = False) -> Any:  # noqa: ARG001 wire
    nodes = stores.cell.compute_nodes.list_by_host(host)
    if not nodes:  # Compat: peers tell a new host by this
        raise ComputeHostNotFound(host=host)
    return nodes


def _compute_of_host(stores: Stores, _ctx: Context, host: str, use_slave: bool = False) -> Any:  # noqa: ARG001 wire
    service = stores.cell.services.find_compute(host)
    if service is None:
        raise ComputeHostNotFound(host=host)
    return service


def _migrations_by_filters(
    stores: Stores,
    _ctx: Context,
    filters: dict[str, Any],
    sort_keys: Any = None,
    sort_dirs: Any = None,
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    times: dict[str, Any] = {
        name: moment(filters[name]) for name in ("changes-since", "changes-before") if name in filters
    }
    return stores.cell.migrations.list_by_filters(
        {**filters, **times},
        sort_keys=sort_keys or ("created_at", "id"),
        sort_dirs=sort_dirs or ("desc", "desc"),
        limit=limit,
        marker=marker,
    )


def _node_of_host(stores: Stores, _ctx: Context, host: str, nodename: str) -> Any:
    node = stores.cell.compute_nodes.find(host, nodename)
    if node is None:
        raise ComputeHostNotFound(host=host)
    return node


def _node_of_service(stores: Stores, _ctx: Context, service_id: int) -> Any:
    nodes = stores.cell.compute_nodes.list_by_service(service_id)
    if not nodes:
        raise ServiceNotFound(service_id=service_id)
    return nodes[0]


def _services(stores: Stores, _ctx: Context, disabled: bool | None = None, set_zones: bool = False) -> Any:
    services = stores.cell.services.list(disabled=disabled)
    if set_zones:
        placed = stores.api.aggregates.zones_of_hosts()
        for service in services:
            is_compute = service.topic == "compute"
            service.availability_zone = (
                placed.get(service.host, stores.zones.of_computes) if is_compute else stores.zones.of_others
            )
            service.obj_reset_changes(["availability_zone"])
    return services


METHODS: Final[Methods] = {
    # Daemons
    **rows_of(lambda s: s.cell.services, "Service", "create", "save", "destroy"),
    ("Service", "get_by_id"): OnClass(lambda s, ctx, service_id: s.cell.services.get(service_id)),
    ("Service", "get_by_uuid"): OnClass(
        lambda s, ctx, service_uuid: s.cell.services.get_by_uuid(service_uuid)
    ),
    ("Service", "get_by_args"): OnClass(lambda s, ctx, host, binary: s.cell.services.find(host, binary)),
    ("Service", "get_by_host_and_binary"): OnClass(
        lambda s, ctx, host, binary: s.cell.services.find(host, binary)
    ),
    ("Service", "get_by_host_and_topic"): OnClass(
        lambda s, ctx, host, topic: s.cell.services.find_by_topic(host, topic)
    ),
    ("Service", "get_by_compute_host"): OnClass(_compute_of_host),
    ("Service", "get_minimum_version"): OnClass(
        lambda s, ctx, binary, use_slave=False: s.cell.services.minimum_version(binary)
    ),
    ("Service", "get_minimum_version_multi"): OnClass(
        lambda s, ctx, binaries, use_slave=False: min(
            s.cell.services.minimum_versions(binaries).values(), default=0
        )
    ),
    ("ServiceList", "get_all"): OnClass(_services),
    ("ServiceList", "get_all_computes_by_hv_type"): OnClass(
        lambda s, ctx, hv_type: s.cell.services.list_computes_by_hypervisor(hv_type)
    ),
    ("ServiceList", "get_by_binary"): OnClass(
        lambda s, ctx, binary, include_disabled=False: s.cell.services.list_by_binary(
            binary, include_disabled=include_disabled
        )
    ),
    ("ServiceList", "get_by_host"): OnClass(lambda s, ctx, host: s.cell.services.list_by_host(host)),
    ("ServiceList", "get_by_topic"): OnClass(lambda s, ctx, topic: s.cell.services.list_by_topic(topic)),
    # Hypervisor nodes
    **rows_of(lambda s: s.cell.compute_nodes, "ComputeNode", "create", "destroy"),
    ("ComputeNode", "save"): OnObject(
        lambda s, ctx, item, prune_stats=False: s.cell.compute_nodes.save(item)
    ),
    ("ComputeNode", "get_by_id"): OnClass(lambda s, ctx, compute_id: s.cell.compute_nodes.get(compute_id)),
    ("ComputeNode", "get_by_service_id"): OnClass(_node_of_service),
    ("ComputeNode", "get_by_uuid"): OnClass(
        lambda s, ctx, compute_uuid: s.cell.compute_nodes.get_by_uuid(compute_uuid)
    ),
    ("ComputeNode", "get_by_nodename"): OnClass(
        lambda s, ctx, hypervisor_hostname: s.cell.compute_nodes.get_by_nodename(hypervisor_hostname)
    ),
    ("ComputeNode", "get_by_host_and_nodename"): OnClass(_node_of_host),
    ("ComputeNode", "get_first_node_by_host_for_old_compat"): OnClass(
        lambda s, ctx, host, use_slave=False: s.cell.compute_nodes.get_first_by_host(host)
    ),
    ("ComputeNodeList", "_get_by_service"): OnClass(
        lambda s, ctx, service_id, use_slave=False: s.cell.compute_nodes.list_by_service(service_id)
    ),
    ("ComputeNodeList", "get_all"): OnClass(lambda s, ctx: s.cell.compute_nodes.list()),
    ("ComputeNodeList", "get_all_by_host"): OnClass(_nodes_of_host),
    ("ComputeNodeList", "get_all_by_not_mapped"): OnClass(
        lambda s, ctx, mapped_less_than: s.cell.compute_nodes.list_by_not_mapped(mapped_less_than)
    ),
    ("ComputeNodeList", "get_all_by_uuids"): OnClass(
        lambda s, ctx, compute_uuids: s.cell.compute_nodes.list_by_uuids(compute_uuids)
    ),
    ("ComputeNodeList", "get_by_hypervisor"): OnClass(
        lambda s, ctx, hypervisor_match: s.cell.compute_nodes.list_by_name_part(hypervisor_match)
    ),
    ("ComputeNodeList", "get_by_pagination"): OnClass(
        lambda s, ctx, limit=None, marker=None: s.cell.compute_nodes.list(limit=limit, marker=marker)
    ),
    # Moves
    **rows_of(lambda s: s.cell.migrations, "Migration", "create", "save"),
    ("Migration", "get_by_id"): OnClass(lambda s, ctx, migration_id: s.cell.migrations.get(migration_id)),
    ("Migration", "get_by_uuid"): OnClass(
        lambda s, ctx, migration_uuid: s.cell.migrations.get_by_uuid(migration_uuid)
    ),
    ("Migration", "get_by_id_and_instance"): OnClass(
        lambda s, ctx, migration_id, instance_uuid: s.cell.migrations.get(
            migration_id, instance_uuid=instance_uuid
        )
    ),
    ("Migration", "get_by_instance_and_status"): OnClass(
        lambda s, ctx, instance_uuid, status: s.cell.migrations.get_by_instance_and_status(
            instance_uuid, status
        )
    ),
    ("MigrationList", "get_by_filters"): OnClass(_migrations_by_filters),
    ("MigrationList", "get_in_progress_and_error"): OnClass(
        lambda s, ctx, host, node: s.cell.migrations.list_in_progress(host, node)
    ),
    ("MigrationList", "get_in_progress_by_host_and_node"): OnClass(
        lambda s, ctx, host, node: s.cell.migrations.list_under_way(host, node)
    ),
    ("MigrationList", "get_in_progress_by_instance"): OnClass(
        lambda s, ctx, instance_uuid, migration_type=None: s.cell.migrations.list_under_way_of(
            instance_uuid, migration_type
        )
    ),
    ("MigrationList", "get_unconfirmed_by_dest_compute"): OnClass(
        lambda s, ctx, confirm_window, dest_compute, use_slave=False: s.cell.migrations.list_unconfirmed(
            confirm_window, dest_compute
        )
    ),
}
