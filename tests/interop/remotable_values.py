"""Arguments and fields with which every remotable method can be called.

No imports: Nova's Python reads it beside ours.
"""

UUID = "11111111-2222-3333-4444-555555555555"

# By the argument's name.
ARGUMENTS = {
    "binaries": ["nova-compute"],
    "compute_uuids": [UUID],
    "confirm_window": 10,
    "deltas": {"instances": 1},
    "disabled": False,
    "filters": {},
    "hosts": ["node-1"],
    "instance_uuids": [UUID],
    "reboot_window": 10,
    "security_group_ids": [1],
    "tags": ["a"],
    "ttl": 60,
    "updates": {"a": "b"},
    "user_values": {"instances": 1},
    "uuids": [UUID],
    **dict.fromkeys(
        (
            "action_id",
            "aggregate_id",
            "cell_id",
            "compute_node_id",
            "ec2_id",
            "event_id",
            "id",
            "inst_id",
            "limit",
            "mapped_less_than",
            "migration_id",
            "node_id",
            "s3_id",
            "secgroup_id",
            "security_group_id",
            "service_id",
            "vif_id",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "aggregate_uuid",
            "compute_uuid",
            "group_uuid",
            "instance_uuid",
            "migration_uuid",
            "resource_id",
            "s3_image_uuid",
            "service_uuid",
            "share_id",
            "uuid",
            "vif_uuid",
            "volume_id",
        ),
        UUID,
    ),
}
MOMENTS = ("begin", "period_beginning", "period_ending")
# By the type of a field.
BY_TYPE = {
    "BooleanField": False,
    "DictOfStringsField": dict,
    "FloatField": 1.0,
    "IntegerField": 1,
    "IPAddressField": "10.0.0.1",
    "ListOfStringsField": list,
    "StringField": "a",
    "UUIDField": UUID,
}


def of_quotas(project_id):
    """Where one value for all will not do: the arguments of quota methods by (object, method)."""
    counted = {"resource": "server_groups", "project_id": project_id}
    return {
        **{
            (kind, method): counted
            for kind in ("Quotas", "QuotasNoOp")
            for method in ("count", "count_as_dict")
        },
        **{
            (kind, "limit_check_project_and_user"): {"project_values": {"cores": 1}}
            for kind in ("Quotas", "QuotasNoOp")
        },
    }
