"""Remotable methods of what the first releases kept: EC2 numbers, and security groups before Neutron."""

from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores, rows_of


def _refresh_group(stores: Stores, _ctx: Context, group: Any) -> None:
    fresh = stores.cell.security_groups.get(group.id)
    for name in group.fields:
        if fresh.obj_attr_is_set(name):
            setattr(group, name, getattr(fresh, name))
    group.obj_reset_changes()


METHODS: Final[Methods] = {
    # EC2 numbers
    ("EC2Ids", "get_by_instance"): OnClass(lambda s, ctx, instance: s.cell.ec2.ids_of(instance)),
    **rows_of(lambda s: s.cell.ec2.servers, "EC2InstanceMapping", "create"),
    ("EC2InstanceMapping", "get_by_id"): OnClass(lambda s, ctx, ec2_id: s.cell.ec2.servers.get(ec2_id)),
    ("EC2InstanceMapping", "get_by_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.ec2.servers.get_by_uuid(instance_uuid)
    ),
    **rows_of(lambda s: s.cell.ec2.images, "S3ImageMapping", "create"),
    ("S3ImageMapping", "get_by_id"): OnClass(lambda s, ctx, s3_id: s.cell.ec2.images.get(s3_id)),
    ("S3ImageMapping", "get_by_uuid"): OnClass(
        lambda s, ctx, s3_image_uuid: s.cell.ec2.images.get_by_uuid(s3_image_uuid)
    ),
    # Security groups
    **rows_of(lambda s: s.cell.security_groups, "SecurityGroup", "save"),
    ("SecurityGroup", "refresh"): OnObject(_refresh_group),
    ("SecurityGroup", "in_use"): OnObject(lambda s, ctx, item: s.cell.security_groups.is_used(item.id)),
    ("SecurityGroup", "get"): OnClass(lambda s, ctx, secgroup_id: s.cell.security_groups.get(secgroup_id)),
    ("SecurityGroup", "get_by_name"): OnClass(
        lambda s, ctx, project_id, group_name: s.cell.security_groups.get_by_name(project_id, group_name)
    ),
    ("SecurityGroupList", "get_all"): OnClass(lambda s, ctx: s.cell.security_groups.list()),
    ("SecurityGroupList", "get_by_project"): OnClass(
        lambda s, ctx, project_id: s.cell.security_groups.list(project_id)
    ),
    ("SecurityGroupList", "get_by_instance"): OnClass(
        lambda s, ctx, instance: s.cell.security_groups.list_by_instance(instance.uuid)
    ),
    ("SecurityGroupList", "get_counts"): OnClass(
        lambda s, ctx, project_id, user_id=None: s.cell.security_groups.count(project_id, user_id)
    ),
    ("InstanceList", "get_by_security_group_id"): OnClass(
        lambda s, ctx, security_group_id: s.cell.instances.list_by_security_groups([security_group_id])
    ),
    ("InstanceList", "get_by_grantee_security_group_ids"): OnClass(
        lambda s, ctx, security_group_ids: s.cell.instances.list_by_security_groups(
            security_group_ids, granted_by=True
        )
    ),
}
