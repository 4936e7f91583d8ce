"""Zones and services that administrators change: what becomes of boots, across all daemons."""

import pytest

from openkeel.domain.errors import HostMappingNotFound
from tests.fixtures.cloud import NODES
from tests.fixtures.compute_world import eventually

AGGREGATES = "/v2.1/os-aggregates"
SERVICES = "/v2.1/os-services"


def aggregate(cloud, name, zone=None, *hosts):
    body = {"name": name} | ({"availability_zone": zone} if zone else {})
    number = cloud.admin("POST", AGGREGATES, {"aggregate": body}).json["aggregate"]["id"]
    for host in hosts:
        assert act(cloud, number, "add_host", host=host).status_code == 200
    return number


def act(cloud, number, action, **arguments):
    return cloud.admin("POST", f"{AGGREGATES}/{number}/action", {action: arguments})


def service(cloud, host):
    (found,) = cloud.admin("GET", f"{SERVICES}?host={host}&binary=nova-compute").json["services"]
    return found


def change(cloud, host, **body):
    answer = cloud.admin("PUT", f"{SERVICES}/{service(cloud, host)['id']}", body)
    assert answer.status_code == 200, answer.text
    return answer.json["service"]


def booted_on(cloud, count):
    """Where so many new servers went."""
    servers = [cloud.booted() for _ in range(count)]
    return {cloud.guests()[uuid] for uuid in servers}


def provider(cloud, host):
    return cloud.placement.find_provider(cloud.computes[host].daemon.service.host.tracker.node_uuid)


def test_a_zone_from_its_first_host_to_its_last_server(cloud):
    """The steps of the recording aggregates-hosts."""
    number = aggregate(cloud, "a", "z", "node-2")
    other = aggregate(cloud, "b", "y")
    assert act(cloud, other, "add_host", host="node-2").status_code == 409
    # Schedulers heard of it: the zone can be booted into at once.
    uuid = cloud.booted(availability_zone="z")
    assert cloud.guests()[uuid] == "node-2"
    assert cloud.show(uuid)["OS-EXT-AZ:availability_zone"] == "z"
    assert cloud.show(uuid)["pinned_availability_zone"] == "z"
    assert cloud.admin("DELETE", f"{AGGREGATES}/{number}").status_code == 400
    renamed = {"aggregate": {"availability_zone": "w"}}
    assert cloud.admin("PUT", f"{AGGREGATES}/{number}", renamed).status_code == 400
    assert act(cloud, number, "remove_host", host="node-2").status_code == 409
    cloud.delete(uuid)
    cloud.gone(uuid)
    answer = cloud.admin("PUT", f"{AGGREGATES}/{number}", renamed)
    assert answer.json["aggregate"]["availability_zone"] == "w"
    assert cloud.create(availability_zone="z").status_code == 400
    assert act(cloud, number, "remove_host", host="node-2").status_code == 200
    assert provider(cloud, "node-2").aggregates == set()
    # The zone still has a name, but no host any more.
    assert cloud.settled(cloud.boot(availability_zone="w"), "ERROR")["fault"]
    assert cloud.admin("DELETE", f"{AGGREGATES}/{number}").status_code == 200


def test_a_disabled_host_gets_no_servers_until_it_is_enabled(cloud):
    change(cloud, "node-1", status="disabled", disabled_reason="broken")
    assert "COMPUTE_STATUS_DISABLED" in provider(cloud, "node-1").traits
    assert booted_on(cloud, 2) == {"node-2"}
    # The host's own look at its resources keeps it so.
    cloud.computes["node-1"].run_periodic("update_available_resource")
    assert "COMPUTE_STATUS_DISABLED" in provider(cloud, "node-1").traits
    change(cloud, "node-1", status="enabled")
    assert "COMPUTE_STATUS_DISABLED" not in provider(cloud, "node-1").traits
    assert booted_on(cloud, 1) == {"node-1"}


def test_a_host_that_was_down_learns_at_its_start_that_it_is_disabled(cloud):
    cloud.goes_down("node-1")
    change(cloud, "node-1", status="disabled")
    assert "COMPUTE_STATUS_DISABLED" not in cloud.placement.find_provider(_node(cloud, "node-1").uuid).traits
    cloud.computes["node-1"].start()
    eventually(lambda: "COMPUTE_STATUS_DISABLED" in provider(cloud, "node-1").traits)


def test_a_host_forced_down_gets_no_servers(cloud):
    change(cloud, "node-1", forced_down=True)
    assert booted_on(cloud, 2) == {"node-2"}
    change(cloud, "node-1", forced_down=False)
    assert "node-1" in booted_on(cloud, 2)


def _node(cloud, host):
    return cloud.cell1.compute_nodes.list_by_host(host)[0]


def test_a_host_leaves_for_good_and_comes_back_anew(cloud):
    uuid = cloud.booted(availability_zone="nova:node-1", who=cloud.admin)
    path = f"{SERVICES}/{service(cloud, 'node-1')['id']}"
    assert cloud.admin("DELETE", path).status_code == 409
    cloud.delete(uuid, cloud.admin)
    cloud.gone(uuid)
    node = _node(cloud, "node-1")
    aggregate(cloud, "a", None, *NODES)
    cloud.computes["node-1"].stop()
    assert cloud.admin("DELETE", path).status_code == 204
    assert cloud.placement.find_provider(node.uuid) is None
    with pytest.raises(HostMappingNotFound):
        cloud.cells.api.host_mappings.get("node-1")
    hypervisors = cloud.admin("GET", "/v2.1/os-hypervisors").json["hypervisors"]
    assert [one["hypervisor_hostname"] for one in hypervisors] == ["node-2"]
    cloud.computes["node-1"].start()
    cloud.scheduler.run_periodic("discover_hosts_in_cells")
    back = cloud.booted(availability_zone="nova:node-1", who=cloud.admin)
    assert cloud.guests()[back] == "node-1"
