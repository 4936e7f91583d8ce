"""Remotable methods of what is global: kept in the API database, whichever cell asks."""

from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.quotas import members_of_user
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores, rows_of


def _update_metadata(stores: Stores, _ctx: Context, aggregate: Any, updates: dict[str, str | None]) -> None:
    stores.api.aggregates.update_metadata(aggregate, updates)


def _flavors(
    stores: Stores,
    ctx: Context,
    inactive: bool = False,
    filters: Any = None,
    sort_key: str = "flavorid",
    sort_dir: str = "asc",
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    return stores.api.flavors.list(
        ctx,
        inactive=inactive,
        filters=filters,
        sort_key=sort_key,
        sort_dir=sort_dir,
        limit=limit,
        marker=marker,
    )


def _builds(
    stores: Stores,
    _ctx: Context,
    filters: dict[str, Any],
    limit: int | None = None,
    marker: str | None = None,
    sort_keys: Any = None,
    sort_dirs: Any = None,
) -> Any:
    return stores.api.build_requests.list_by_filters(
        filters, limit=limit, marker=marker, sort_keys=sort_keys or (), sort_dirs=sort_dirs or ()
    )


def _save_extra_specs(
    stores: Stores, _ctx: Context, flavor: Any, to_add: Any = None, to_delete: Any = None
) -> None:
    stores.api.flavors.save_extra_specs(flavor.id, to_add or {}, to_delete or ())


def _save_projects(
    stores: Stores, _ctx: Context, flavor: Any, to_add: Any = None, to_delete: Any = None
) -> None:
    for project_id in to_add or ():
        stores.api.flavors.add_access(flavor, project_id)
    for project_id in to_delete or ():
        stores.api.flavors.remove_access(flavor, project_id)


def _load_projects(stores: Stores, _ctx: Context, flavor: Any) -> None:
    flavor.projects = list(stores.api.flavors.projects(flavor.id))
    flavor.obj_reset_changes(["projects"])


def _add_access(stores: Stores, ctx: Context, flavor: Any, project_id: str) -> None:
    stores.api.flavors.add_access(flavor, project_id)
    _load_projects(stores, ctx, flavor)


def _group_hosts(stores: Stores, _ctx: Context, group: Any, exclude: Any = None) -> list[str]:
    """The hosts of a group's members that live in this cell."""
    members = [uuid for uuid in group.members if uuid not in (exclude or ())]
    found = stores.cell.instances.list_by_filters({"uuid": members, "deleted": False}) if members else ()
    return sorted({instance.host for instance in found if instance.host})


def _refresh_group(stores: Stores, _ctx: Context, group: Any) -> None:
    fresh = stores.api.instance_groups.get(group.uuid)
    group.members = list(fresh.members)
    group.obj_reset_changes()


METHODS: Final[Methods] = {
    # Aggregates
    **rows_of(lambda s: s.api.aggregates, "Aggregate", "create", "save", "destroy"),
    ("Aggregate", "add_host"): OnObject(lambda s, ctx, item, host: s.api.aggregates.add_host(item, host)),
    ("Aggregate", "delete_host"): OnObject(
        lambda s, ctx, item, host: s.api.aggregates.delete_host(item, host)
    ),
    ("Aggregate", "update_metadata"): OnObject(_update_metadata),
    ("Aggregate", "get_by_id"): OnClass(lambda s, ctx, aggregate_id: s.api.aggregates.get(aggregate_id)),
    ("Aggregate", "get_by_uuid"): OnClass(
        lambda s, ctx, aggregate_uuid: s.api.aggregates.get_by_uuid(aggregate_uuid)
    ),
    ("AggregateList", "get_all"): OnClass(lambda s, ctx: s.api.aggregates.list()),
    ("AggregateList", "get_by_host"): OnClass(
        lambda s, ctx, host, key=None: s.api.aggregates.list_by_host(host, key)
    ),
    ("AggregateList", "get_by_metadata"): OnClass(
        lambda s, ctx, key=None, value=None: s.api.aggregates.list_by_metadata(key, value)
    ),
    ("AggregateList", "get_by_metadata_key"): OnClass(
        lambda s, ctx, key, hosts=None: s.api.aggregates.list_by_metadata_key(key, hosts)
    ),
    # Boot
    **rows_of(lambda s: s.api.request_specs, "RequestSpec", "create", "save", "destroy"),
    ("RequestSpec", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.api.request_specs.get(instance_uuid)
    ),
    ("RequestSpec", "get_by_instance_uuids"): OnClass(
        lambda s, ctx, instance_uuids: list(s.api.request_specs.list_by_instances(instance_uuids))
    ),
    **rows_of(lambda s: s.api.build_requests, "BuildRequest", "create", "save", "destroy"),
    ("BuildRequest", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.api.build_requests.get(instance_uuid)
    ),
    ("BuildRequestList", "get_by_filters"): OnClass(_builds),
    ("BuildRequestList", "get_all"): OnClass(lambda s, ctx: s.api.build_requests.list()),
    # Cells and what is in them
    **rows_of(lambda s: s.api.cell_mappings, "CellMapping", "create", "save", "destroy"),
    ("CellMapping", "get_by_uuid"): OnClass(lambda s, ctx, uuid: s.api.cell_mappings.get(uuid)),
    ("CellMappingList", "get_all"): OnClass(lambda s, ctx: s.api.cell_mappings.list()),
    ("CellMappingList", "get_by_disabled"): OnClass(
        lambda s, ctx, disabled: s.api.cell_mappings.list_by_disabled(disabled=disabled)
    ),
    **rows_of(lambda s: s.api.host_mappings, "HostMapping", "create", "save", "destroy"),
    ("HostMapping", "get_by_host"): OnClass(lambda s, ctx, host: s.api.host_mappings.get(host)),
    ("HostMappingList", "get_all"): OnClass(lambda s, ctx: s.api.host_mappings.list()),
    ("HostMappingList", "get_by_cell_id"): OnClass(
        lambda s, ctx, cell_id: s.api.host_mappings.list_by_cell_id(cell_id)
    ),
    **rows_of(lambda s: s.api.instance_mappings, "InstanceMapping", "create", "save", "destroy"),
    ("InstanceMapping", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.api.instance_mappings.get(instance_uuid)
    ),
    ("InstanceMappingList", "get_by_instance_uuids"): OnClass(
        lambda s, ctx, uuids: s.api.instance_mappings.list_by_uuids(uuids)
    ),
    ("InstanceMappingList", "get_by_cell_id"): OnClass(
        lambda s, ctx, cell_id: s.api.instance_mappings.list_by_cell_id(cell_id)
    ),
    ("InstanceMappingList", "get_by_project_id"): OnClass(
        lambda s, ctx, project_id: s.api.instance_mappings.list_by_project(project_id)
    ),
    ("InstanceMappingList", "get_counts"): OnClass(
        lambda s, ctx, project_id, user_id=None: s.api.instance_mappings.count(project_id, user_id)
    ),
    # Flavors
    **rows_of(lambda s: s.api.flavors, "Flavor", "create", "destroy"),
    ("Flavor", "get_by_flavor_id"): OnClass(
        lambda s, ctx, flavor_id, read_deleted=None: s.api.flavors.get(ctx, flavor_id)
    ),
    ("Flavor", "get_by_id"): OnClass(lambda s, ctx, id: s.api.flavors.get_by_id(ctx, id)),  # noqa: A006
    ("Flavor", "get_by_name"): OnClass(lambda s, ctx, name: s.api.flavors.get_by_name(ctx, name)),
    ("Flavor", "add_access"): OnObject(_add_access),
    ("Flavor", "remove_access"): OnObject(
        lambda s, ctx, item, project_id: s.api.flavors.remove_access(item, project_id)
    ),
    ("Flavor", "save_extra_specs"): OnObject(_save_extra_specs),
    ("Flavor", "save_projects"): OnObject(_save_projects),
    ("Flavor", "_load_projects"): OnObject(_load_projects),
    ("FlavorList", "get_all"): OnClass(_flavors),
    # Key pairs
    **rows_of(lambda s: s.api.keypairs, "KeyPair", "create", "destroy"),
    ("KeyPair", "get_by_name"): OnClass(
        lambda s, ctx, user_id, name, localonly=False: s.api.keypairs.get(user_id, name)
    ),
    ("KeyPair", "destroy_by_name"): OnClass(
        lambda s, ctx, user_id, name: s.api.keypairs.delete(user_id, name)
    ),
    ("KeyPairList", "get_by_user"): OnClass(
        lambda s, ctx, user_id, limit=None, marker=None: s.api.keypairs.list(
            user_id, limit=limit, marker=marker
        )
    ),
    ("KeyPairList", "get_count_by_user"): OnClass(lambda s, ctx, user_id: s.api.keypairs.count(user_id)),
    # Server groups
    **rows_of(lambda s: s.api.instance_groups, "InstanceGroup", "create", "save", "destroy"),
    ("InstanceGroup", "count_members_by_user"): OnObject(
        lambda s, ctx, item, user_id: members_of_user(s, item, user_id)
    ),
    ("InstanceGroup", "get_by_name"): OnClass(
        lambda s, ctx, name: s.api.instance_groups.get_by_name(ctx.project_id, name)
    ),
    ("InstanceGroup", "refresh"): OnObject(_refresh_group),
    ("InstanceGroup", "get_hosts"): OnObject(_group_hosts),
    ("InstanceGroup", "get_by_uuid"): OnClass(lambda s, ctx, uuid: s.api.instance_groups.get(uuid)),
    ("InstanceGroup", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.api.instance_groups.get_by_instance(instance_uuid)
    ),
    ("InstanceGroup", "add_members"): OnClass(
        lambda s, ctx, group_uuid, instance_uuids: list(
            s.api.instance_groups.add_members(group_uuid, instance_uuids)
        )
    ),
    ("InstanceGroupList", "get_all"): OnClass(lambda s, ctx: s.api.instance_groups.list()),
    ("InstanceGroupList", "get_by_project_id"): OnClass(
        lambda s, ctx, project_id: s.api.instance_groups.list(project_id)
    ),
    ("InstanceGroupList", "get_counts"): OnClass(
        lambda s, ctx, project_id, user_id=None: s.api.instance_groups.count(project_id, user_id)
    ),
}
