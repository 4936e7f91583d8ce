"""Remotable methods of servers and of what hangs on them."""

from contextlib import suppress
from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import (
    Methods,
    OnClass,
    OnObject,
    Stores,
    expected,
    moment,
    rows_of,
    seen,
)
from openkeel.domain.errors import NotFound


def _save(
    stores: Stores,
    _ctx: Context,
    instance: Any,
    expected_vm_state: Any = None,
    expected_task_state: Any = None,
    admin_state_reset: bool = False,  # noqa: ARG001 - it only coloured a notification
) -> None:
    stores.cell.instances.save(
        instance,
        expected_vm_state=expected(expected_vm_state),
        expected_task_state=expected(expected_task_state),
    )


def _destroy(stores: Stores, _ctx: Context, instance: Any, hard_delete: bool = False) -> None:
    if hard_delete:
        stores.cell.instances.purge(instance.uuid)
    else:
        stores.cell.instances.destroy(instance)


def _drop_migration_context(stores: Stores, _ctx: Context, instance: Any) -> None:
    if instance.obj_attr_is_set("migration_context") and instance.migration_context is None:
        return
    instance.migration_context = None
    stores.cell.instances.save(instance)


def _get_by_filters(
    stores: Stores,
    _ctx: Context,
    filters: dict[str, Any],
    sort_key: str = "created_at",
    sort_dir: str = "desc",
    limit: int | None = None,
    marker: str | None = None,
    expected_attrs: Any = None,
    use_slave: bool = False,  # noqa: ARG001 - one database
    sort_keys: Any = None,
    sort_dirs: Any = None,
) -> Any:
    return stores.cell.instances.list_by_filters(
        filters,
        expected_attrs or (),
        sort_keys=sort_keys or (sort_key,),
        sort_dirs=sort_dirs or (sort_dir,),
        limit=limit,
        marker=marker,
    )


def _active_by_window(
    stores: Stores,
    _ctx: Context,
    begin: Any,
    end: Any = None,
    project_id: str | None = None,
    host: str | None = None,
    expected_attrs: Any = None,
    use_slave: bool = False,  # noqa: ARG001 - one database
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    return stores.cell.instances.list_active_by_window(
        moment(begin),
        moment(end),
        project_id=project_id,
        host=host,
        expected_attrs=expected_attrs or (),
        limit=limit,
        marker=marker,
    )


def _part(field: str) -> OnClass:
    """One thing that is kept beside a server."""

    def get(stores: Stores, _ctx: Context, instance_uuid: str) -> Any:
        return stores.cell.instances.part(instance_uuid, field)

    return OnClass(get)


def _keep_numa(stores: Stores, _ctx: Context, topology: Any) -> None:
    stores.cell.instances.save_part(topology.instance_uuid, "numa_topology", topology)
    topology.obj_reset_changes()


def _refresh_cache(stores: Stores, _ctx: Context, cache: Any) -> None:
    cache.network_info = stores.cell.info_caches.get(cache.instance_uuid).network_info
    cache.obj_reset_changes()


# What a peer gets of a server without asking. Contract: INSTANCE_DEFAULT_FIELDS.
_USUAL: Final = ("metadata", "system_metadata", "info_cache", "security_groups")


def _asked(expected_attrs: Any) -> Any:
    return _USUAL if expected_attrs is None else expected_attrs


def _destroy_vif(stores: Stores, _ctx: Context, vif: Any) -> None:
    with suppress(NotFound):  # Compat: one that is gone is as good as ended
        stores.cell.vifs.destroy(vif)


def _tags_of(stores: Stores, instance_uuid: str) -> Any:
    """The store of tags, when there is such a server."""
    stores.cell.instances.get(instance_uuid)
    return stores.cell.tags


def _add_tag(stores: Stores, _ctx: Context, tag: Any) -> None:
    _tags_of(stores, tag.resource_id).add(tag.resource_id, tag.tag)
    tag.obj_reset_changes()


METHODS: Final[Methods] = {
    ("Instance", "create"): OnObject(lambda s, ctx, item: s.cell.instances.create(item)),
    ("Instance", "save"): OnObject(_save),
    ("Instance", "destroy"): OnObject(_destroy),
    ("Instance", "refresh"): OnObject(lambda s, ctx, item, use_slave=False: s.cell.instances.refresh(item)),
    ("Instance", "delete_metadata_key"): OnObject(
        lambda s, ctx, item, key: s.cell.instances.delete_metadata_key(item, key)
    ),
    ("Instance", "drop_migration_context"): OnObject(_drop_migration_context),
    ("Instance", "get_by_uuid"): OnClass(
        lambda s, ctx, uuid, expected_attrs=_USUAL, use_slave=False: s.cell.instances.get(
            uuid, _asked(expected_attrs), deleted=seen(ctx)
        )
    ),
    ("Instance", "get_by_id"): OnClass(
        lambda s, ctx, inst_id, expected_attrs=_USUAL: s.cell.instances.get_by_id(
            inst_id, _asked(expected_attrs), deleted=seen(ctx)
        )
    ),
    ("InstanceList", "get_all"): OnClass(
        lambda s, ctx, expected_attrs=None: s.cell.instances.list_all(expected_attrs or ())
    ),
    ("InstanceList", "get_by_filters"): OnClass(_get_by_filters),
    ("InstanceList", "_get_active_by_window_joined"): OnClass(_active_by_window),
    ("InstanceList", "get_by_host"): OnClass(
        lambda s, ctx, host, expected_attrs=None, use_slave=False: s.cell.instances.list_by_host(
            host, expected_attrs or ()
        )
    ),
    ("InstanceList", "get_by_host_and_node"): OnClass(
        lambda s, ctx, host, node, expected_attrs=None: s.cell.instances.list_by_host(
            host, expected_attrs or (), node=node
        )
    ),
    ("InstanceList", "get_by_host_and_not_type"): OnClass(
        lambda s, ctx, host, type_id=None, expected_attrs=None: s.cell.instances.list_by_host_and_not_type(
            host, type_id, expected_attrs or ()
        )
    ),
    ("InstanceList", "get_hung_in_rebooting"): OnClass(
        lambda s, ctx, reboot_window, expected_attrs=None: s.cell.instances.list_hung_in_rebooting(
            reboot_window, expected_attrs or ()
        )
    ),
    ("InstanceList", "get_uuids_by_host"): OnClass(
        lambda s, ctx, host: list(s.cell.instances.uuids_by_host(host))
    ),
    ("InstanceList", "get_uuids_by_host_and_node"): OnClass(
        lambda s, ctx, host, node: list(s.cell.instances.uuids_by_host(host, node=node))
    ),
    ("InstanceList", "get_uuids_by_hosts"): OnClass(
        lambda s, ctx, hosts: s.cell.instances.uuids_by_hosts(hosts)
    ),
    ("InstanceList", "get_counts"): OnClass(
        lambda s, ctx, project_id, user_id=None: s.cell.instances.usage(project_id, user_id)
    ),
    ("InstanceList", "get_count_by_vm_state"): OnClass(
        lambda s, ctx, project_id, user_id, vm_state: s.cell.instances.count_by_vm_state(
            project_id, user_id, vm_state
        )
    ),
    # Kept beside the server
    ("InstanceDeviceMetadata", "get_by_instance_uuid"): _part("device_metadata"),
    ("InstanceNUMATopology", "create"): OnObject(_keep_numa),
    ("InstanceNUMATopology", "get_by_instance_uuid"): _part("numa_topology"),
    ("InstancePCIRequests", "get_by_instance_uuid"): _part("pci_requests"),
    ("MigrationContext", "get_by_instance_uuid"): _part("migration_context"),
    ("ResourceList", "get_by_instance_uuid"): _part("resources"),
    ("TrustedCerts", "get_by_instance_uuid"): _part("trusted_certs"),
    ("VirtCPUModel", "get_by_instance_uuid"): _part("vcpu_model"),
    # The network as last seen
    ("InstanceInfoCache", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.info_caches.get(instance_uuid)
    ),
    ("InstanceInfoCache", "save"): OnObject(
        lambda s, ctx, item, update_cells=True: s.cell.info_caches.save(item)
    ),
    ("InstanceInfoCache", "delete"): OnObject(
        lambda s, ctx, item: s.cell.info_caches.delete(item.instance_uuid)
    ),
    ("InstanceInfoCache", "refresh"): OnObject(_refresh_cache),
    # NICs
    **rows_of(lambda s: s.cell.vifs, "VirtualInterface", "create", "save"),
    ("VirtualInterface", "destroy"): OnObject(_destroy_vif),
    ("VirtualInterface", "get_by_id"): OnClass(lambda s, ctx, vif_id: s.cell.vifs.find(vif_id)),
    ("VirtualInterface", "get_by_uuid"): OnClass(lambda s, ctx, vif_uuid: s.cell.vifs.find_by_uuid(vif_uuid)),
    ("VirtualInterface", "get_by_address"): OnClass(
        lambda s, ctx, address: s.cell.vifs.find_by_address(address)
    ),
    ("VirtualInterface", "get_by_instance_and_network"): OnClass(
        lambda s, ctx, instance_uuid, network_id: s.cell.vifs.find_by_network(instance_uuid, network_id)
    ),
    ("VirtualInterface", "delete_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.vifs.destroy_all(instance_uuid)
    ),
    ("VirtualInterfaceList", "get_all"): OnClass(lambda s, ctx: s.cell.vifs.list_all()),
    ("VirtualInterfaceList", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid, use_slave=False: s.cell.vifs.list(instance_uuid)
    ),
    # Tags
    ("TagList", "get_by_resource_id"): OnClass(
        lambda s, ctx, resource_id: _tags_of(s, resource_id).list(resource_id)
    ),
    ("TagList", "create"): OnClass(
        lambda s, ctx, resource_id, tags: _tags_of(s, resource_id).replace(resource_id, tags)
    ),
    ("TagList", "destroy"): OnClass(
        lambda s, ctx, resource_id: _tags_of(s, resource_id).remove_all(resource_id)
    ),
    ("Tag", "create"): OnObject(_add_tag),
    ("Tag", "destroy"): OnClass(
        lambda s, ctx, resource_id, name: _tags_of(s, resource_id).remove(resource_id, name)
    ),
    ("Tag", "exists"): OnClass(
        lambda s, ctx, resource_id, name: _tags_of(s, resource_id).exists(resource_id, name)
    ),
}
