"""The table: how every operation that writes is asked. A new one needs a row here."""

from typing import Final

from tests.functional.golden.table import Write, either
from tests.functional.golden.things import SSH_KEY

_PERSONALITY = [{"path": "/etc/f", "contents": "aGk="}]
_QUOTAS = {
    "cores": 5,
    "instances": 6,
    "key_pairs": 7,
    "metadata_items": 8,
    "ram": 9,
    "server_groups": 10,
    "server_group_members": 11,
    "injected_files": 12,
    "injected_file_content_bytes": 13,
    "injected_file_path_bytes": 14,
    "fixed_ips": 15,
    "floating_ips": 16,
    "security_group_rules": 17,
    "security_groups": 18,
}
_SERVER = {
    "name": "new",
    "flavorRef": "1",
    "imageRef": "$image",
    "adminPass": "secret",
    "metadata": {"a": "b"},
    "networks": [{"uuid": "$network", "tag": "nic"}],
    "OS-DCF:diskConfig": "AUTO",
    "accessIPv4": "10.0.0.1",
    "accessIPv6": "fe80::1",
    "personality": _PERSONALITY,
    "availability_zone": "nova",
    "block_device_mapping_v2": [
        {
            "boot_index": 0,
            "source_type": "image",
            "destination_type": "local",
            "uuid": "$image",
            "delete_on_termination": True,
            "tag": "disk",
        }
    ],
    "config_drive": True,
    "key_name": "$keypair",
    "min_count": 1,
    "max_count": 1,
    "security_groups": [{"name": "default"}],
    "user_data": "aGk=",
    "description": "d",
    "tags": ["t"],
    "trusted_image_certificates": None,
    "hostname": either("a.host", "host"),
}
_NEVER_AT_BOOT = {
    **dict.fromkeys(
        (
            "build_near_host_ip",
            "cidr",
            "different_cell",
            "different_host",
            "query",
            "same_host",
            "target_cell",
        ),
        "hints say where, which is not answered",
    ),
    **dict.fromkeys(
        (
            "connection_info",
            "device_name",
            "device_type",
            "disk_bus",
            "guest_format",
            "image_id",
            "no_device",
        ),
        "how a disk is attached is not answered",
    ),
    **dict.fromkeys(
        ("snapshot_id", "virtual_name", "volume_id", "volume_size", "volume_type"),
        "of volumes, which this server has not",
    ),
    "OS-SCH-HNT:scheduler_hints": "the other name of os:scheduler_hints",
    "block_device_mapping": "instead of block_device_mapping_v2",
    "fixed_ip": "that of a port",
    "port": "instead of a network's uuid",
    "return_reservation_id": "another answer",
    "host": "goes with no zone",
    "hypervisor_hostname": "as host",
}
_UPDATE = {
    "server": {
        "name": "new",
        "OS-DCF:diskConfig": "MANUAL",
        "accessIPv4": "10.0.0.1",
        "accessIPv6": "fe80::1",
        "description": "new",
        "hostname": either("a.host", "host"),
        "pinned_availability_zone": None,
    }
}
_EVENTS = [
    {"name": "network-changed", "server_uuid": "99999999-9999-4999-8999-999999999999"},
    {"name": "network-changed", "server_uuid": "$server"},
    {"name": "network-vif-plugged", "server_uuid": "$server", "status": "completed", "tag": "t"},
    {"name": "network-vif-unplugged", "server_uuid": "$server", "status": "in-progress"},
    {"name": "network-vif-deleted", "server_uuid": "$server", "status": "failed", "tag": "t"},
    {"name": "volume-extended", "server_uuid": "$server", "tag": "t"},
    {"name": "power-update", "server_uuid": "$server", "tag": "POWER_ON"},
    {"name": "accelerator-request-bound", "server_uuid": "$server", "tag": "t"},
    {"name": "volume-reimaged", "server_uuid": "$server", "tag": "t"},
]


def _action(root: str, name: str, given: str, value: object = None, **more: object) -> Write:
    """An action on a server; it is looked at afterwards."""
    operation = f"POST /{root}/{{id}}/action #{name}"
    row = {"body": {name: value}, "look": f"/servers/${given}", "who": "member"} | more
    return Write(operation, (f"${given}",), **row)  # type: ignore[arg-type]


FLAVORS: Final = (
    Write(
        "POST /flavors",
        body={
            "flavor": {
                "name": "new",
                "id": "new",
                "ram": 64,
                "vcpus": 1,
                "disk": 2,
                "OS-FLV-EXT-DATA:ephemeral": 3,
                "swap": 4,
                "rxtx_factor": 1.5,
                "os-flavor-access:is_public": False,
                "description": "d",
            }
        },
        new="flavor.id",
        look="/flavors/$new",
        look_in="2.101",
    ),
    Write(
        "PUT /flavors/{id}",
        ("$flavor",),
        {"flavor": {"description": "new"}},
        needs=("extra_spec",),
        look="/flavors/$flavor",
    ),
    Write("DELETE /flavors/{id}", ("$flavor",), look="/flavors/$flavor"),
    Write(
        "POST /flavors/{id}/action #addTenantAccess",
        ("$private_flavor",),
        {"addTenantAccess": {"tenant": "$project"}},
        look="/flavors/$private_flavor/os-flavor-access",
    ),
    Write(
        "POST /flavors/{id}/action #removeTenantAccess",
        ("$private_flavor",),
        {"removeTenantAccess": {"tenant": "$access"}},
        look="/flavors/$private_flavor/os-flavor-access",
    ),
    Write(
        "POST /flavors/{flavor_id}/os-extra_specs",
        ("$flavor",),
        {"extra_specs": {"hw:cpu_policy": "dedicated", "own": "1"}},
        look="/flavors/$flavor/os-extra_specs",
    ),
    Write(
        "PUT /flavors/{flavor_id}/os-extra_specs/{id}",
        ("$flavor", "$extra_spec"),
        {"hw:cpu_policy": "dedicated"},
        look="/flavors/$flavor/os-extra_specs",
    ),
    Write(
        "DELETE /flavors/{flavor_id}/os-extra_specs/{id}",
        ("$flavor", "$extra_spec"),
        look="/flavors/$flavor/os-extra_specs",
    ),
)

PROJECTS: Final = (
    Write(
        "POST /os-keypairs",
        body={"keypair": {"name": "new", "public_key": SSH_KEY, "type": "ssh", "user_id": "another"}},
        new="keypair.name",
        look="/os-keypairs/$new?user_id=$owner_of_keypair",
        forget=("/os-keypairs/$new", "/os-keypairs/$new?user_id=another"),
    ),
    Write("DELETE /os-keypairs/{id}", ("$keypair",), look="/os-keypairs/k", query="user_id=admin"),
    Write(
        "PUT /os-quota-sets/{id}",
        ("$quotas",),
        {"quota_set": _QUOTAS | {"force": True}},
        look="/os-quota-sets/$project",
        look_in="2.35",
    ),
    Write("DELETE /os-quota-sets/{id}", ("$quotas",), look="/os-quota-sets/$project"),
    Write(
        "PUT /os-quota-class-sets/{id}",
        ("$quota_class",),
        {"quota_class_set": _QUOTAS},
        look="/os-quota-class-sets/$quota_class",
        look_in="2.49",
    ),
    Write(
        "POST /os-server-groups",
        body={
            "server_group": {
                "name": "new",
                "policies": either(["soft-affinity"], ["affinity"]),
                "policy": "anti-affinity",
                "rules": {"max_server_per_host": 3},
            }
        },
        new="server_group.id",
        look="/os-server-groups/$new",
    ),
    Write("DELETE /os-server-groups/{id}", ("$group",), look="/os-server-groups/$group"),
)

HOSTS: Final = (
    Write(
        "POST /os-aggregates",
        body={"aggregate": {"name": "new", "availability_zone": "z"}},
        new="aggregate.id",
        look="/os-aggregates/$new",
    ),
    Write(
        "PUT /os-aggregates/{id}",
        ("$aggregate",),
        {"aggregate": {"name": "new", "availability_zone": "z"}},
        look="/os-aggregates/$aggregate",
    ),
    Write("DELETE /os-aggregates/{id}", ("$aggregate",), look="/os-aggregates/$aggregate"),
    Write(
        "POST /os-aggregates/{id}/action #add_host",
        ("$aggregate",),
        {"add_host": {"host": "$host_for_aggregate"}},
        look="/os-aggregates/$aggregate",
    ),
    Write(
        "POST /os-aggregates/{id}/action #remove_host",
        ("$aggregate",),
        {"remove_host": {"host": "$host_in_aggregate"}},
        look="/os-aggregates/$aggregate",
    ),
    Write(
        "POST /os-aggregates/{id}/action #set_metadata",
        ("$aggregate",),
        {"set_metadata": {"metadata": {"a": "b", "c": None}}},
        look="/os-aggregates/$aggregate",
    ),
    Write(
        "POST /os-aggregates/{id}/images",
        ("$aggregate",),
        {"cache": [{"id": "$image"}]},
        needs=("host_in_aggregate",),
    ),
    Write(
        "PUT /os-services/{id}",
        ("$service_or_verb",),
        {
            "host": "$host",
            "binary": "nova-compute",
            "disabled_reason": "why",
            "status": "disabled",
            "forced_down": True,
        },
        look="/os-services?host=$host",
    ),
    Write("DELETE /os-services/{id}", ("$dead_service",), look="/os-services?host=ghost"),
    Write(
        "PUT /os-hosts/{id}",
        ("$enabled_host",),
        {"status": "disable"},
        look="/os-services?host=$host",
        never={"maintenance_mode": "these hosts cannot"},
    ),
)

SERVERS: Final = (
    Write(
        "POST /servers",
        body={"server": _SERVER, "os:scheduler_hints": {"group": "$group"}},
        needs=("nobody_builds",),
        new="server.id",
        look="/servers/$new",
        never=_NEVER_AT_BOOT,
    ),
    Write("PUT /servers/{id}", ("$server",), _UPDATE, look="/servers/$server"),
    Write("DELETE /servers/{id}", ("$doomed_server",), look="/servers/$doomed_server", who="member"),
    _action("servers", "os-start", "stopped_server"),
    _action("servers", "os-stop", "server_to_stop"),
    _action("servers", "reboot", "server", {"type": "SOFT"}),
    _action("servers", "os-getConsoleOutput", "server", {"length": 1}),
    _action("servers", "forceDelete", "doomed_server"),
    _action("servers", "lock", "server", either({"locked_reason": "why"}, None)),
    _action("servers", "unlock", "locked_server", who="admin"),
    _action("servers", "os-resetState", "server", {"state": "error"}, who="admin"),
    _action("servers", "addSecurityGroup", "server", {"name": "$group_for_server"}, who="admin"),
    _action("servers", "removeSecurityGroup", "server", {"name": "$group_of_server"}, who="admin"),
    _action(
        "servers",
        "addFloatingIp",
        "server",
        {"address": "$address", "fixed_address": "$fixed_address"},
        who="admin",
        look="/os-floating-ips/$floating_ip",
        look_in="2.35",
    ),
    _action(
        "servers",
        "removeFloatingIp",
        "server",
        {"address": "$address_of_server"},
        who="admin",
        look="/os-floating-ips/$floating_ip",
        look_in="2.35",
    ),
    Write(
        "POST /servers/{server_id}/metadata",
        ("$server",),
        {"metadata": {"a": "c", "d": "e"}},
        look="/servers/$server",
    ),
    Write(
        "PUT /servers/{server_id}/metadata",
        ("$server",),
        {"metadata": {"d": "e"}},
        look="/servers/$server",
    ),
    Write(
        "PUT /servers/{server_id}/metadata/{id}",
        ("$server", "d"),
        {"meta": {"d": "e"}},
        look="/servers/$server",
    ),
    Write("DELETE /servers/{server_id}/metadata/{id}", ("$server", "a"), look="/servers/$server"),
    Write(
        "PUT /servers/{server_id}/tags",
        ("$server",),
        {"tags": ["u", "v"]},
        look="/servers/$server",
    ),
    Write("DELETE /servers/{server_id}/tags", ("$server",), look="/servers/$server"),
    Write("PUT /servers/{server_id}/tags/{id}", ("$server", "u"), look="/servers/$server"),
    Write("DELETE /servers/{server_id}/tags/{id}", ("$server", "t"), look="/servers/$server"),
    Write(
        "DELETE /servers/{server_id}/os-server-password",
        ("$server_with_password",),
        look="/servers/$server_with_password/os-server-password",
    ),
    Write("POST /os-server-external-events", body={"events": _EVENTS}, needs=("server",)),
)

VOLUMES_BOOT: Final = (
    Write(
        "POST /os-volumes_boot",
        body={"server": _SERVER, "os:scheduler_hints": {"group": "$group"}},
        needs=("nobody_builds",),
        new="server.id",
        look="/servers/$new",
        never=_NEVER_AT_BOOT,
    ),
    Write("PUT /os-volumes_boot/{id}", ("$server",), _UPDATE, look="/servers/$server"),
    Write("DELETE /os-volumes_boot/{id}", ("$doomed_server",), look="/servers/$doomed_server"),
    _action("os-volumes_boot", "os-start", "stopped_server"),
    _action("os-volumes_boot", "os-stop", "server_to_stop"),
    _action("os-volumes_boot", "reboot", "server", {"type": "SOFT"}),
)

PROXIES: Final = (
    Write("DELETE /images/{id}", ("$my_image",), look="/images/$my_image", look_in="2.35"),
    Write(
        "POST /images/{image_id}/metadata",
        ("$my_image",),
        {"metadata": {"a": "c", "d": "e"}},
        look="/images/$my_image/metadata",
        look_in="2.38",
    ),
    Write(
        "PUT /images/{image_id}/metadata",
        ("$my_image",),
        {"metadata": {"d": "e"}},
        look="/images/$my_image/metadata",
        look_in="2.38",
    ),
    Write(
        "PUT /images/{image_id}/metadata/{id}",
        ("$my_image", "d"),
        {"meta": {"d": "e"}},
        look="/images/$my_image/metadata",
        look_in="2.38",
    ),
    Write(
        "DELETE /images/{image_id}/metadata/{id}",
        ("$my_image", "a"),
        look="/images/$my_image/metadata",
        look_in="2.38",
    ),
    Write(
        "POST /os-security-groups",
        body={"security_group": {"name": "new", "description": "d"}},
        new="security_group.id",
        look="/os-security-groups/$new",
        look_in="2.35",
    ),
    Write(
        "PUT /os-security-groups/{id}",
        ("$security_group",),
        {"security_group": {"name": "new", "description": "new"}},
        look="/os-security-groups/$security_group",
        look_in="2.35",
    ),
    Write(
        "DELETE /os-security-groups/{id}",
        ("$security_group",),
        look="/os-security-groups/$security_group",
        look_in="2.35",
    ),
    Write(
        "POST /os-security-group-rules",
        body={
            "security_group_rule": {
                "parent_group_id": "$security_group",
                "ip_protocol": "tcp",
                "from_port": 22,
                "to_port": 23,
                "cidr": "10.0.0.0/8",
            }
        },
        look="/os-security-groups/$security_group",
        look_in="2.35",
        never={"group_id": "instead of cidr"},
    ),
    Write(
        "DELETE /os-security-group-rules/{id}",
        ("$security_rule",),
        look="/os-security-groups/$security_group",
        look_in="2.35",
    ),
    Write(
        "POST /os-floating-ips",
        body={"pool": "public"},
        new="floating_ip.id",
        look="/os-floating-ips/$new",
        look_in="2.35",
    ),
    Write(
        "DELETE /os-floating-ips/{id}",
        ("$floating_ip",),
        look="/os-floating-ips/$floating_ip",
        look_in="2.35",
    ),
    Write(
        "POST /os-volumes",
        body={
            "volume": {
                "size": 2,
                "volume_type": "lvm",
                "metadata": {"a": "b"},
                "snapshot_id": "$snapshot",
                "availability_zone": "nova",
                "display_name": "new",
                "display_description": "d",
            }
        },
        new="volume.id",
        look="/os-volumes/$new",
        look_in="2.35",
    ),
    Write("DELETE /os-volumes/{id}", ("$volume",), look="/os-volumes/$volume", look_in="2.35"),
    Write(
        "POST /os-snapshots",
        body={
            "snapshot": {
                "volume_id": "$volume",
                "force": True,
                "display_name": "new",
                "display_description": "d",
            }
        },
        new="snapshot.id",
        look="/os-snapshots/$new",
        look_in="2.35",
    ),
    Write("DELETE /os-snapshots/{id}", ("$snapshot",), look="/os-snapshots/$snapshot", look_in="2.35"),
    Write("POST /os-baremetal-nodes"),
    Write("DELETE /os-baremetal-nodes/{id}"),
    Write("POST /os-baremetal-nodes/{id}/action #add_interface"),
    Write("POST /os-baremetal-nodes/{id}/action #remove_interface"),
)

WRITES: Final = {
    row.operation: row for row in (*FLAVORS, *PROJECTS, *HOSTS, *SERVERS, *VOLUMES_BOOT, *PROXIES)
}
