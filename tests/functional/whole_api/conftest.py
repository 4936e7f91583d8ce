"""The whole cloud, and in it one of each thing that can be read."""

import pytest

from openkeel import objects
from openkeel.api.versions import V
from tests.fixtures.api_client import PROJECT
from tests.fixtures.bus import bus
from tests.fixtures.cloud import NODES, cloud, cloud_policy
from tests.fixtures.db import api_database, cell_database, cells, database_templates

__all__ = ["api_database", "bus", "cell_database", "cells", "cloud", "cloud_policy", "database_templates"]

# What other services have, and refusals of what hypervisors do not do: nothing of it is in a database.
NOT_OURS = (
    "/images",
    "/os-console-auth-tokens",
    "/os-fixed-ips",
    "/os-floating-ip",
    "/os-hosts/{id}/",
    "/os-networks",
    "/os-security-groups",
    "/os-tenant-networks",
    "/servers/{server_id}/diagnostics",
    "/versions",
)
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl someone"


def done(answer):
    assert answer.status_code < 300, answer.text
    return answer.json if answer.text else None


@pytest.fixture
def paths(cloud):
    """One of each thing, and where it is: the path of an operation in a version."""
    admin, member, old = cloud.admin, cloud.member, {"version": "2.1"}
    group = {"server_group": {"name": "g", "policies": ["affinity"]}}
    group_id = done(member("POST", "/v2.1/os-server-groups", group, **old))["server_group"]["id"]
    done(admin("POST", "/v2.1/os-keypairs", {"keypair": {"name": "key", "public_key": SSH_KEY}}))
    done(admin("POST", "/v2.1/flavors/1/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}}))
    private = {"name": "p", "id": "p", "ram": 1, "vcpus": 1, "disk": 0, "os-flavor-access:is_public": False}
    done(admin("POST", "/v2.1/flavors", {"flavor": private}))
    done(admin("POST", "/v2.1/flavors/p/action", {"addTenantAccess": {"tenant": PROJECT}}))
    aggregate = done(admin("POST", "/v2.1/os-aggregates", {"aggregate": {"name": "a"}}))["aggregate"]["id"]
    for action in ({"add_host": {"host": NODES[0]}}, {"set_metadata": {"metadata": {"a": "b"}}}):
        done(admin("POST", f"/v2.1/os-aggregates/{aggregate}/action", action))
    server = cloud.booted(
        networks=[{"uuid": cloud.network}], metadata={"a": "b"}, tags=["t"], hints={"group": group_id}
    )
    migration = objects.Migration(
        source_compute=NODES[0],
        dest_compute=NODES[1],
        status="running",
        migration_type="live-migration",
        instance_uuid=server,
        uuid="33333333-3333-4333-8333-333333333333",
        project_id=PROJECT,
        user_id="user",
    )
    cloud.cell1.migrations.create(migration)
    volume = done(admin("POST", "/v2.1/os-volumes", {"volume": {"size": 1}}, **old))["volume"]["id"]
    cloud.cinder.server.settle()
    wanted = {"snapshot": {"volume_id": volume}}
    snapshot = done(admin("POST", "/v2.1/os-snapshots", wanted, **old))["snapshot"]["id"]
    metal = cloud.ironic.server.add_node("metal", addresses=("52:54:00:00:00:01",), cpus=8)
    node = done(admin("GET", "/v2.1/os-hypervisors"))["hypervisors"][0]["id"]
    action = cloud.actions(server)[0]["request_id"]
    ids = {
        "/servers/{server_id}/os-instance-actions/{id}": (server, action),
        "/servers/{server_id}/metadata/{id}": (server, "a"),
        "/servers/{server_id}/tags/{id}": (server, "t"),
        "/servers/{server_id}/migrations/{id}": (server, migration.id),
        "/servers/{server_id}/ips/{id}": (server, "private"),
        "/flavors/{flavor_id}/os-extra_specs/{id}": ("1", "hw:cpu_policy"),
        "/flavors/{flavor_id}/os-flavor-access": ("p",),
        "/os-hypervisors/{id}/search": (NODES[0],),
        "/os-hypervisors/{id}/servers": (NODES[0],),
        "/os-hosts/{id}": (NODES[0],),
        "/extensions/{id}": ("os-keypairs",),
        "/os-instance_usage_audit_log/{id}": ("2026-01-01 00:00:00",),
        "/os-keypairs/{id}": ("key",),
        "/os-aggregates/{id}": (aggregate,),
        "/os-server-groups/{id}": (group_id,),
        "/os-volumes/{id}": (volume,),
        "/os-snapshots/{id}": (snapshot,),
        "/os-baremetal-nodes/{id}": (metal,),
    }
    roots = {"servers": server, "flavors": "1", "os-hypervisors": node, "os-volumes_boot": server}

    def path(operation, minor):
        place = operation.path
        root = place.split("/")[1]
        found = ids.get(place, (roots.get(root, PROJECT),))
        if root == "os-hypervisors" and place not in ids and minor < V.UUID_SERVICES:
            found = (1,)
        for one in found:
            head, _, tail = place.partition("{")
            place = f"{head}{one}{tail.partition('}')[2]}" if tail else place
        return f"/v2.1{place}"

    return path
