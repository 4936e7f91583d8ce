"""What callers may rely on in Neutron, for the one in memory and a real ML2/OVN one."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from openkeel.clients.neutron import client as real
from openkeel.clients.neutron.fake import FakeNeutron
from openkeel.clients.neutron.types import NicRequest, NicRequests, PortOwner
from openkeel.common.context import Context
from openkeel.domain import errors


@dataclass
class Fixture:
    """A Neutron, a user's context, and how to prepare things in it."""

    client: Any
    ctx: Context
    add_network: Any
    add_port: Any
    add_security_group: Any
    set_port_limit: Any
    is_real: bool


def _fake():
    client = FakeNeutron()
    project = uuid.uuid4().hex
    ctx = Context(user_id="u", project_id=project, auth_token="token", overwrite=False)
    server = client.server
    return Fixture(
        client=client,
        ctx=ctx,
        add_network=lambda cidr="10.9.0.0/24": server.add_network("net", project, cidr=cidr),
        add_port=lambda network, **values: server.add_port(network, project, **values),
        add_security_group=lambda name: server.add_security_group(name, project),
        set_port_limit=lambda limit: server.port_limits.__setitem__(project, limit),
        is_real=False,
    )


def _real(cloud):
    """Everything made is removed again, newest first."""
    made = []

    def create(kind, path, **values):
        body = cloud.call("network", "POST", f"/v2.0/{path}", {kind: values}, person="demo")
        key = body[kind]["id"]
        made.append(f"/v2.0/{path}/{key}")
        return key

    def add_network(cidr="10.9.0.0/24"):
        key = create("network", "networks", name="keel-contract")
        if cidr:
            create("subnet", "subnets", network_id=key, cidr=cidr, ip_version=4, dns_nameservers=["9.9.9.9"])
        return key

    ctx = cloud.context("demo")

    def set_port_limit(limit):
        details = cloud.call("network", "GET", f"/v2.0/quotas/{ctx.project_id}/details.json")
        used = details["quota"]["port"]["used"]
        cloud.call("network", "PUT", f"/v2.0/quotas/{ctx.project_id}", {"quota": {"port": used + limit}})
        made.append(f"/v2.0/quotas/{ctx.project_id}")

    yield Fixture(
        client=real.make_client(cloud.conf()),
        ctx=ctx,
        add_network=add_network,
        add_port=lambda network, **values: create("port", "ports", network_id=network, **values),
        add_security_group=lambda name: create("security_group", "security-groups", name=name),
        set_port_limit=set_port_limit,
        is_real=True,
    )
    for path in reversed(made):
        cloud.call("network", "DELETE", path)


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.integration)])
def neutron(request):
    if request.param == "fake":
        yield _fake()
    else:
        yield from _real(request.getfixturevalue("cloud"))


@pytest.fixture
def owner(neutron):
    owners = []

    def make(host="node-1", instance_uuid=None, project_id=None):
        one = PortOwner(
            instance_uuid=instance_uuid or str(uuid.uuid4()),
            project_id=project_id or neutron.ctx.project_id,
            host=host,
            availability_zone="nova",
        )
        owners.append(one)
        return one

    yield make
    for one in owners:
        neutron.client.release_ports(neutron.ctx, one.instance_uuid)


def on(network_id, **values):
    return NicRequests.given([NicRequest(network_id=network_id, **values)])


def by_port(*port_ids):
    return NicRequests.given([NicRequest(port_id=port_id) for port_id in port_ids])


# What a request may ask for


def test_a_network_of_the_project_is_fine_for_all_servers(neutron):
    assert neutron.client.validate_networks(neutron.ctx, on(neutron.add_network()), 3) == 3


def test_no_network_is_always_fine(neutron):
    assert neutron.client.validate_networks(neutron.ctx, NicRequests.none(), 3) == 3


def test_an_unknown_network_is_not_found(neutron):
    with pytest.raises(errors.NetworkNotFound):
        neutron.client.validate_networks(neutron.ctx, on(str(uuid.uuid4())), 1)


def test_a_network_without_a_subnet_is_refused(neutron):
    with pytest.raises(errors.NetworkRequiresSubnet):
        neutron.client.validate_networks(neutron.ctx, on(neutron.add_network(cidr=None)), 1)


def test_an_unknown_port_is_not_found(neutron):
    with pytest.raises(errors.PortNotFound):
        neutron.client.validate_networks(neutron.ctx, by_port(str(uuid.uuid4())), 1)


def test_a_port_of_another_server_is_in_use(neutron, owner):
    port = neutron.add_port(neutron.add_network())
    neutron.client.bind_ports(neutron.ctx, owner(), by_port(port))
    with pytest.raises(errors.PortInUse):
        neutron.client.validate_networks(neutron.ctx, by_port(port), 1)
    with pytest.raises(errors.PortInUse):
        neutron.client.bind_ports(neutron.ctx, owner(), by_port(port))


def test_the_same_port_twice_is_in_use(neutron):
    port = neutron.add_port(neutron.add_network())
    with pytest.raises(errors.PortInUse):
        neutron.client.validate_networks(neutron.ctx, by_port(port, port), 1)


def test_a_port_without_an_address_is_refused(neutron):
    port = neutron.add_port(neutron.add_network(cidr=None))
    with pytest.raises(errors.PortRequiresFixedIP):
        neutron.client.validate_networks(neutron.ctx, by_port(port), 1)


def test_an_address_in_use_is_refused(neutron, owner):
    network = neutron.add_network()
    wish = on(network, fixed_ip="10.9.0.77")
    neutron.client.bind_ports(neutron.ctx, owner(), wish)
    with pytest.raises(errors.FixedIpAlreadyInUse):
        neutron.client.validate_networks(neutron.ctx, wish, 1)
    with pytest.raises(errors.FixedIpAlreadyInUse):
        neutron.client.bind_ports(neutron.ctx, owner(), wish)


def test_the_port_quota_bounds_the_servers_and_own_ports_cost_nothing(neutron):
    network = neutron.add_network()
    port = neutron.add_port(network)
    neutron.set_port_limit(3 if not neutron.is_real else 2)  # in memory the port made is one of them
    assert neutron.client.validate_networks(neutron.ctx, on(network), 5) == 2
    assert neutron.client.validate_networks(neutron.ctx, by_port(port), 1) == 1


# Security groups


def test_security_groups_are_found_by_name_and_id(neutron):
    key = neutron.add_security_group("web")
    assert neutron.client.find_security_group(neutron.ctx, "web").id == key
    assert neutron.client.find_security_group(neutron.ctx, key).name == "web"
    with pytest.raises(errors.SecurityGroupNotFound):
        neutron.client.find_security_group(neutron.ctx, "absent")
    neutron.add_security_group("web")
    with pytest.raises(errors.NoUniqueMatch):
        neutron.client.find_security_group(neutron.ctx, "web")


# Ports


def test_a_port_is_made_and_bound_on_the_host(neutron, owner):
    network = neutron.add_network()
    group = neutron.add_security_group("web")
    who = owner()
    [bound] = neutron.client.bind_ports(neutron.ctx, who, on(network, tag="nic0"), ["web"])
    port = bound.port
    assert (bound.is_ours, bound.tag) == (True, "nic0")
    assert (port.device_id, port.device_owner) == (who.instance_uuid, "compute:nova")
    assert (port.host, port.vif_type, port.network_id) == ("node-1", "ovs", network)
    assert port.security_groups == (group,)
    assert port.project_id == neutron.ctx.project_id
    assert port.status == "DOWN"
    assert len(port.fixed_ips) == 1
    assert [one.id for one in neutron.client.list_ports(neutron.ctx, who.instance_uuid)] == [port.id]


def test_ports_come_in_the_order_asked_for_with_the_address_wished(neutron, owner):
    network = neutron.add_network()
    mine = neutron.add_port(network)
    wishes = NicRequests.given(
        [NicRequest(network_id=network, fixed_ip="10.9.0.99"), NicRequest(port_id=mine)]
    )
    first, second = neutron.client.bind_ports(neutron.ctx, owner(), wishes)
    assert [fixed.address for fixed in first.port.fixed_ips] == ["10.9.0.99"]
    assert (second.port.id, second.is_ours) == (mine, False)


def test_binding_again_goes_on_with_the_ports_that_are_there(neutron, owner):
    network = neutron.add_network()
    who = owner()
    [first] = neutron.client.bind_ports(neutron.ctx, who, on(network))
    elsewhere = owner(host="node-2", instance_uuid=who.instance_uuid)
    [second] = neutron.client.bind_ports(neutron.ctx, elsewhere, on(network))
    assert second.port.id == first.port.id
    assert second.port.host == "node-2"


def test_an_unknown_host_fails_the_binding_and_leaves_nothing(neutron, owner):
    network = neutron.add_network()
    mine = neutron.add_port(network)
    who = owner(host="nowhere")
    wishes = NicRequests.given([NicRequest(network_id=network), NicRequest(port_id=mine)])
    with pytest.raises(errors.PortBindingFailed):
        neutron.client.bind_ports(neutron.ctx, who, wishes)
    assert neutron.client.list_ports(neutron.ctx, who.instance_uuid) == []
    assert neutron.client.find_port(neutron.ctx, mine).device_id == ""


def test_a_failure_in_the_middle_removes_what_was_made(neutron, owner):
    network = neutron.add_network()
    mine = neutron.add_port(network)
    who = owner()
    wishes = NicRequests.given(
        [NicRequest(port_id=mine), NicRequest(network_id=network), NicRequest(port_id=str(uuid.uuid4()))]
    )
    with pytest.raises(errors.PortNotFound):
        neutron.client.bind_ports(neutron.ctx, who, wishes)
    assert neutron.client.list_ports(neutron.ctx, who.instance_uuid) == []
    assert neutron.client.find_port(neutron.ctx, mine).host is None


def test_an_exceeded_quota_is_a_limit_of_ports(neutron, owner):
    network = neutron.add_network()
    neutron.set_port_limit(0)
    with pytest.raises(errors.PortLimitExceeded):
        neutron.client.bind_ports(neutron.ctx, owner(), on(network))


def test_an_address_outside_the_network_is_refused(neutron, owner):
    with pytest.raises(errors.FixedIpInvalid):
        neutron.client.bind_ports(neutron.ctx, owner(), on(neutron.add_network(), fixed_ip="192.0.2.7"))


def test_a_network_without_free_addresses_has_no_more(neutron, owner):
    network = neutron.add_network(cidr="10.9.1.0/30")
    wishes = NicRequests.given([NicRequest(network_id=network)] * 3)
    with pytest.raises(errors.NoMoreFixedIps):
        neutron.client.bind_ports(neutron.ctx, owner(), wishes)


def test_release_deletes_ours_and_lets_the_users_go(neutron, owner):
    network = neutron.add_network()
    mine = neutron.add_port(network)
    who = owner()
    wishes = NicRequests.given([NicRequest(network_id=network), NicRequest(port_id=mine)])
    ours, _ = neutron.client.bind_ports(neutron.ctx, who, wishes)
    released = neutron.client.release_ports(neutron.ctx, who.instance_uuid, keep=wishes.port_ids)
    assert set(released) == {ours.port.id, mine}
    assert neutron.client.find_port(neutron.ctx, ours.port.id) is None
    free = neutron.client.find_port(neutron.ctx, mine)
    assert (free.device_id, free.device_owner, free.host, free.vif_type) == ("", "", None, "unbound")
    assert list(neutron.client.release_ports(neutron.ctx, who.instance_uuid)) == []


# Network info


def test_network_info_has_every_key_of_the_model(neutron, owner):
    network = neutron.add_network()
    mine = neutron.add_port(network)
    who = owner()
    wishes = NicRequests.given([NicRequest(port_id=mine), NicRequest(network_id=network)])
    bound = neutron.client.bind_ports(neutron.ctx, who, wishes)
    order = [one.port.id for one in bound]
    vifs = neutron.client.network_info(
        neutron.ctx, who.instance_uuid, who.project_id, order=order, keep=wishes.port_ids
    )
    assert [vif["id"] for vif in vifs] == order
    assert [vif["preserve_on_delete"] for vif in vifs] == [True, False]
    vif = vifs[1]
    port = bound[1].port
    assert vif["address"] == port.mac_address
    assert (vif["type"], vif["vnic_type"], vif["active"]) == ("ovs", "normal", False)
    assert (vif["devname"], vif["ovs_interfaceid"]) == (f"tap{port.id}"[:14], port.id)
    assert vif["details"]["port_filter"] is True
    assert set(vif) == {
        "id", "address", "network", "type", "details", "devname", "ovs_interfaceid", "qbh_params",
        "qbg_params", "active", "vnic_type", "profile", "preserve_on_delete", "delegate_create", "meta",
    }  # fmt: skip
    net = vif["network"]
    assert set(net) == {"id", "bridge", "label", "subnets", "meta"}
    assert (net["id"], net["bridge"]) == (network, "br-int")
    assert (net["meta"]["tunneled"], net["meta"]["physical_network"]) == (True, None)
    assert net["meta"]["tenant_id"] == neutron.ctx.project_id
    assert net["meta"]["mtu"] == 1442
    [subnet] = net["subnets"]
    assert set(subnet) == {"cidr", "dns", "gateway", "ips", "routes", "version", "meta"}
    assert subnet["cidr"] == "10.9.0.0/24"
    assert subnet["gateway"] == {"address": "10.9.0.1", "type": "gateway", "version": 4, "meta": {}}
    assert [entry["address"] for entry in subnet["dns"]] == ["9.9.9.9"]
    assert subnet["ips"] == [
        {
            "address": port.fixed_ips[0].address,
            "type": "fixed",
            "version": 4,
            "meta": {},
            "floating_ips": [],
        }
    ]


def test_network_info_keeps_the_cached_order_and_marks(neutron, owner):
    network = neutron.add_network()
    who = owner()
    wishes = NicRequests.given([NicRequest(network_id=network)] * 3)
    ids = [one.port.id for one in neutron.client.bind_ports(neutron.ctx, who, wishes)]
    previous = [{"id": ids[2], "preserve_on_delete": True}, {"id": ids[0], "preserve_on_delete": False}]
    vifs = neutron.client.network_info(neutron.ctx, who.instance_uuid, who.project_id, previous=previous)
    assert [(vif["id"], vif["preserve_on_delete"]) for vif in vifs] == [
        (ids[2], True),
        (ids[0], False),
        (ids[1], False),
    ]


def test_network_info_of_a_server_without_ports_is_empty(neutron):
    assert neutron.client.network_info(neutron.ctx, str(uuid.uuid4()), "project") == []


def test_network_facts_tell_the_scheduler_where_networks_lie(neutron):
    network = neutron.add_network()
    facts = neutron.client.network_facts(neutron.ctx, on(network))
    assert (facts.physnets, facts.tunneled, facts.resources) == (frozenset(), True, ())
    with pytest.raises(errors.NetworkNotFound):
        neutron.client.network_facts(neutron.ctx, on(str(uuid.uuid4())))
    with pytest.raises(errors.PortNotFound):
        neutron.client.network_facts(neutron.ctx, by_port(str(uuid.uuid4())))
