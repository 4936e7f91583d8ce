"""Each kind of request for a server, through HTTP to its guest."""

import base64

import pytest

from openkeel import objects
from tests.fixtures.api_client import PROJECT


def spec_of(cloud, uuid):
    """What the hypervisor was told."""
    return cloud.hypervisors[cloud.guests()[uuid]].guests[uuid].spec


def test_a_server_boots_through_every_daemon(cloud):
    uuid = cloud.boot("web", networks=[{"uuid": cloud.network}])
    server = cloud.settled(uuid, "ACTIVE")
    node = cloud.guests()[uuid]
    assert (server["OS-EXT-SRV-ATTR:host"], server["OS-EXT-SRV-ATTR:hypervisor_hostname"]) == (node, node)
    assert (server["OS-EXT-STS:power_state"], server["OS-EXT-AZ:availability_zone"]) == (1, "nova")
    assert server["OS-SRV-USG:launched_at"]
    [port] = cloud.ports(uuid)
    assert (port.status, port.host) == ("ACTIVE", node)
    assert list(server["addresses"]) == ["private"]
    assert server["addresses"]["private"][0]["addr"] == port.fixed_ips[0].address
    [held] = [cloud.placement.allocations(uuid).allocations]
    assert list(held.values()) == [{"VCPU": 1, "MEMORY_MB": 128, "DISK_GB": 1}]
    assert cloud.cells.api.build_requests.list().objects == []
    spec = spec_of(cloud, uuid)
    assert (spec.vcpus, spec.memory_mib, spec.hostname) == (1, 128, "web")
    assert [(disk.kind, disk.size_mib) for disk in spec.disks] == [("root", 1024)]


def test_networks_none_means_no_nic(cloud):
    uuid = cloud.booted(networks="none")
    assert cloud.ports(uuid) == []
    assert cloud.show(uuid)["addresses"] == {}
    assert spec_of(cloud, uuid).nics == ()


def test_networks_auto_takes_the_only_network(cloud):
    uuid = cloud.booted(networks="auto")
    [port] = cloud.ports(uuid)
    assert port.network_id == cloud.network


def test_networks_auto_has_one_made_when_there_is_none(cloud):
    cloud.neutron.remove_network(cloud.network)
    cloud.neutron.extensions.add("auto-allocated-topology")
    cloud.neutron.add_network("public", "admin", cidr="192.0.2.0/24", external=True)
    uuid = cloud.booted(networks="auto")
    [port] = cloud.ports(uuid)
    assert list(cloud.show(uuid)["addresses"]) == ["auto_allocated_network"]
    assert port.host == cloud.guests()[uuid]


def test_a_port_of_the_user_is_taken_over_and_survives_the_server(cloud):
    port_id = cloud.neutron.add_port(cloud.network, PROJECT)
    uuid = cloud.booted(networks=[{"port": port_id}])
    [port] = cloud.ports(uuid)
    assert port.id == port_id
    assert [nic.port_id for nic in spec_of(cloud, uuid).nics] == [port_id]
    cloud.delete(uuid)
    cloud.gone(uuid)
    [port] = cloud.neutron.ports()
    assert (port.id, port.device_id, port.host or "") == (port_id, "", "")


def test_a_fixed_address_is_kept(cloud):
    uuid = cloud.booted(networks=[{"uuid": cloud.network, "fixed_ip": "10.0.0.77"}])
    assert cloud.show(uuid)["addresses"]["private"][0]["addr"] == "10.0.0.77"


def test_nics_keep_the_order_of_the_request(cloud):
    other = cloud.neutron.add_network("other", PROJECT, cidr="10.1.0.0/24")
    uuid = cloud.booted(networks=[{"uuid": other}, {"uuid": cloud.network}])
    assert [nic.network_id for nic in spec_of(cloud, uuid).nics] == [other, cloud.network]


def test_security_groups_are_put_on_the_ports(cloud):
    group_id = cloud.neutron.add_security_group("web", PROJECT)
    uuid = cloud.booted(networks=[{"uuid": cloud.network}], security_groups=[{"name": "web"}])
    [port] = cloud.ports(uuid)
    assert port.security_groups == (group_id,)
    assert cloud.show(uuid)["security_groups"] == [{"name": "web"}]


def test_what_the_guest_is_given_reaches_it(cloud):
    key = cloud.member(
        "POST", "/v2.1/os-keypairs", {"keypair": {"name": "mine", "type": "ssh", "public_key": KEY}}
    )
    assert key.status_code == 201, key.text
    data = base64.b64encode(b"#!/bin/sh\n").decode()
    answer = cloud.create(
        "web",
        key_name="mine",
        user_data=data,
        metadata={"role": "web"},
        config_drive=True,
        adminPass="open sesame",
        tags=["a", "b"],
        description="what",
    )
    uuid = answer.json["server"]["id"]
    server = cloud.settled(uuid, "ACTIVE")
    spec = spec_of(cloud, uuid)
    assert spec.ssh_public_key == KEY
    assert spec.user_data == data
    assert spec.metadata == {"role": "web"}
    assert spec.config_drive
    assert spec.admin_password == "open sesame"
    assert (server["key_name"], server["metadata"], server["config_drive"]) == (
        "mine",
        {"role": "web"},
        "True",
    )
    assert (server["tags"], server["description"]) == (["a", "b"], "what")
    assert server["OS-EXT-SRV-ATTR:user_data"] == data


def test_injected_files_reach_the_guest(cloud):
    contents = base64.b64encode(b"hello").decode()
    cloud.member.version = "2.50"
    uuid = cloud.boot(personality=[{"path": "/etc/motd", "contents": contents}])
    cloud.settled(uuid, "ACTIVE")
    assert spec_of(cloud, uuid).injected_files == (("/etc/motd", contents),)


def test_several_servers_at_once_are_spread_and_share_a_reservation(cloud):
    answer = cloud.create("web", min_count=2, max_count=4, return_reservation_id=True)
    reservation = answer.json["reservation_id"]
    listed = cloud.admin("GET", f"/v2.1/servers?reservation_id={reservation}").json["servers"]
    assert sorted(one["name"] for one in listed) == ["web-1", "web-2", "web-3", "web-4"]
    for one in listed:
        cloud.settled(one["id"], "ACTIVE")
    assert sorted(cloud.guests().values()) == ["node-1", "node-1", "node-2", "node-2"]


def test_a_zone_is_respected(cloud):
    aggregate = objects.Aggregate(name="east", metadata={"availability_zone": "east"})
    cloud.cells.api.aggregates.create(aggregate)
    cloud.cells.api.aggregates.add_host(aggregate, "node-2")
    [node] = cloud.cell1.compute_nodes.list_by_host("node-2")
    cloud.placement.set_aggregate_member(node.uuid, aggregate.uuid, member=True)
    cloud.scheduler.restart()
    for _ in range(3):
        uuid = cloud.booted(availability_zone="east")
        assert cloud.guests()[uuid] == "node-2"
    assert cloud.show(uuid)["OS-EXT-AZ:availability_zone"] == "east"
    assert cloud.create(availability_zone="west").status_code == 400


@pytest.mark.parametrize("node", ["node-1", "node-2"])
def test_an_admin_forces_a_host(cloud, node):
    uuid = cloud.booted(availability_zone=f"nova:{node}", who=cloud.admin)
    assert cloud.guests()[uuid] == node
    assert cloud.create(availability_zone=f"nova:{node}").status_code == 403


def test_an_admin_asks_for_a_host_that_the_scheduler_verifies(cloud):
    uuid = cloud.booted(host="node-2", who=cloud.admin)
    assert cloud.guests()[uuid] == "node-2"
    assert cloud.create(host="node-2").status_code == 403


def test_a_disabled_host_gets_no_server(cloud):
    service = cloud.cell1.services.find("node-1", "nova-compute")
    service.disabled = True
    cloud.cell1.services.save(service)
    for _ in range(3):
        uuid = cloud.booted()
        assert cloud.guests()[uuid] == "node-2"


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1Zf4XK0u0c8n3qJ8mF2f5p1mW1b3kZqQ0J1v7l1b2c me@example"
