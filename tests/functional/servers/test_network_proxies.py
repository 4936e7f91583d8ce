"""The proxies to networks, security groups and floating addresses.

Golden: recordings network-proxies, proxies-bad-bodies, proxies-who-may, server-ips-and-groups.
"""

import pytest

from openkeel.services.networks import NetworkService
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import NO_UUID

GROUPS, RULES, ADDRESSES = "/os-security-groups", "/os-security-group-rules", "/os-floating-ips"


@pytest.fixture
def world(world):
    """Everybody has a token, without which Neutron would be asked on our own account."""
    for who in (world.member, world.reader, world.other, world.admin):
        who.headers["X-Auth-Token"] = "t"
    return world


@pytest.fixture
def ask(world):
    def ask(method, path, body=None, who=None, version="2.35"):
        return (who or world.member)(method, f"/v2.1{path}", body, version=version)

    return ask


@pytest.fixture
def group(ask):
    """A security group of the project."""
    body = {"security_group": {"name": "web", "description": "d"}}
    return ask("POST", GROUPS, body).json["security_group"]


@pytest.fixture
def on_network(world):
    """A server with a port."""
    return world.boot(networks=[{"uuid": world.network}])


@pytest.fixture
def public(world):
    return world.neutron.server.add_network("public", "admin", external=True, cidr="172.24.0.0/29")


# Networks


def test_networks_that_lead_outside_are_listed_too(world, ask, public):
    for path in ("/os-networks", "/os-tenant-networks"):
        assert {one["label"] for one in ask("GET", path).json["networks"]} == {"net-a", "public"}


def test_administrators_see_the_networks_of_every_project(world, ask):
    world.neutron.server.add_network("net-o", world.other.project, cidr="10.9.0.0/24")
    for path in ("/os-networks", "/os-tenant-networks"):
        for who, names in ((world.admin, {"net-a", "net-o"}), (world.member, {"net-a"})):
            assert {one["label"] for one in ask("GET", path, who=who).json["networks"]} == names


def test_networks_have_hardly_anything_left(world, ask):
    (network,) = ask("GET", "/os-networks").json["networks"]
    assert (network.pop("id"), network.pop("label")) == (world.network, "net-a")
    assert set(network.values()) == {None}
    assert network.keys() == {
        "cidr",
        "netmask",
        "gateway",
        "broadcast",
        "dns1",
        "dns2",
        "cidr_v6",
        "gateway_v6",
        "netmask_v6",
    }
    shown = ask("GET", f"/os-networks/{world.network}", who=world.admin).json["network"]
    assert "mtu" in shown
    assert len(shown) == 32


def test_tenant_networks(world, ask):
    mine = {"id": world.network, "label": "net-a", "cidr": "None"}
    assert ask("GET", "/os-tenant-networks").json == {"networks": [mine]}
    assert ask("GET", f"/os-tenant-networks/{world.network}").json == {"network": mine}


def test_networks_of_the_default_project_are_shown_to_tenants(world, ask, public):
    offered = world.neutron.server.add_network("offered", "operators")
    world.services.networks = NetworkService(world.neutron, "operators")
    for who in (world.member, world.other):
        shown = [one["label"] for one in ask("GET", "/os-tenant-networks", who=who).json["networks"]]
        assert sorted(shown) == ["net-a"] * (who is world.member) + ["offered", "public"]
        assert "offered" not in ask("GET", "/os-networks", who=who).text
    assert ask("GET", f"/os-tenant-networks/{offered}").status_code == 404


@pytest.mark.parametrize("path", ["/os-networks", "/os-tenant-networks"])
def test_who_sees_a_network(world, ask, path):
    assert ask("GET", f"{path}/{world.network}", who=world.reader).status_code == 200
    assert ask("GET", f"{path}/{world.network}", who=world.other).status_code == 404
    assert ask("GET", f"{path}/abc").status_code == 404
    assert ask("GET", f"{path}?nosuch=1").status_code == 400


# Security groups


def test_a_group_is_made_changed_and_deleted(ask, group):
    assert group == {
        "id": group["id"],
        "name": "web",
        "description": "d",
        "tenant_id": PROJECT,
        "rules": [],
    }
    path = f"{GROUPS}/{group['id']}"
    assert ask("GET", path).json["security_group"] == group
    changed = ask("PUT", path, {"security_group": {"name": "", "description": "e", "zzz": 1}})
    assert changed.json["security_group"] == {**group, "name": "", "description": "e"}
    assert ask("DELETE", path).status_code == 202
    assert ask("GET", path).status_code == 404
    assert ask("DELETE", path).status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "default", "description": "d"}, 403),
        ({"name": " ", "description": "d"}, 200),
        ({"name": "", "description": ""}, 200),
        ({"name": "n" * 256, "description": "d"}, 400),
        ({"name": "n", "description": None}, 400),
        ({"name": "n"}, 400),
        ({"description": "d"}, 400),
    ],
)
def test_bodies_of_groups(ask, body, status):
    assert ask("POST", GROUPS, {"security_group": body}).status_code == status


def test_lists_of_groups(world, ask):
    for name in ("c", "a", "b"):
        ask("POST", GROUPS, {"security_group": {"name": name, "description": ""}})
    ask("POST", GROUPS, {"security_group": {"name": "theirs", "description": ""}}, who=world.other)

    def names(query="", who=None):
        return [one["name"] for one in ask("GET", f"{GROUPS}?{query}", who=who).json["security_groups"]]

    assert names() == ["a", "b", "c"]
    assert names("limit=1&offset=1") == ["b"]
    assert names("all_tenants=1") == ["a", "b", "c"]
    assert names("all_tenants=1", world.admin) == ["a", "b", "c", "theirs"]
    assert names("nosuch=1") == ["a", "b", "c"]
    assert ask("GET", f"{GROUPS}?limit=abc").status_code == 400


def rule(group, **values):
    wanted = {"ip_protocol": "tcp", "from_port": 22, "to_port": 23, "cidr": "10.0.0.0/8"} | values
    return {"security_group_rule": {"parent_group_id": group["id"], **wanted}}


def test_a_rule_lets_addresses_in(ask, group):
    made = ask("POST", RULES, rule(group)).json["security_group_rule"]
    assert made == {
        "id": made["id"],
        "parent_group_id": group["id"],
        "ip_protocol": "tcp",
        "from_port": 22,
        "to_port": 23,
        "group": {},
        "ip_range": {"cidr": "10.0.0.0/8"},
    }
    assert ask("GET", f"{GROUPS}/{group['id']}").json["security_group"]["rules"] == [made]
    assert ask("POST", RULES, rule(group)).status_code == 400
    assert ask("DELETE", f"{RULES}/{made['id']}").status_code == 202
    assert ask("DELETE", f"{RULES}/{made['id']}").status_code == 404


def test_a_rule_lets_a_group_in(ask, group):
    body = rule(group, group_id=group["id"])
    del body["security_group_rule"]["cidr"]
    made = ask("POST", RULES, body).json["security_group_rule"]
    assert made["group"] == {"name": "web", "tenant_id": PROJECT}
    assert made["ip_range"] == {}
    assert ask("POST", RULES, body).status_code == 403


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({"from_port": "80", "to_port": "80"}, {"from_port": 80, "to_port": 80}),
        ({"cidr": None, "from_port": 1}, {"ip_range": {"cidr": "0.0.0.0/0"}}),
        ({"cidr": "::/0"}, {"ip_range": {"cidr": "::/0"}}),
        ({"ip_protocol": "icmp", "from_port": -1, "to_port": -1}, {"from_port": -1, "to_port": -1}),
        ({"ip_protocol": "ICMP", "from_port": 8, "to_port": 0}, {"from_port": 8, "to_port": 0}),
        ({"cidr": "10.2.3.124/24"}, {"ip_range": {"cidr": "10.2.3.124/24"}}),
        ({"cidr": "FE80::1/64"}, {"ip_range": {"cidr": "FE80::1/64"}}),
        ({"cidr": "10.0.0.1"}, 400),
        ({"cidr": "10.0.0.0/33"}, 400),
        ({"cidr": "10.0.0.0/8/8"}, 400),
        ({"cidr": 10}, 400),
        ({"cidr": "x"}, 400),
        ({"ip_protocol": "junk"}, 400),
        ({"from_port": 24}, 400),
        ({"to_port": 70000}, 400),
        ({"from_port": None, "to_port": None}, 400),
        ({"from_port": 1.5}, 400),
        ({"parent_group_id": NO_UUID}, 404),
        ({"parent_group_id": "abc"}, 400),
        ({"group_id": NO_UUID}, 404),
    ],
)
def test_rules(ask, group, values, shown):
    answer = ask("POST", RULES, rule(group, **values))
    if isinstance(shown, int):
        assert answer.status_code == shown
    else:
        assert shown.items() <= answer.json["security_group_rule"].items()


def test_ids_of_groups_and_rules_are_uuids(ask):
    for method, path in (("GET", GROUPS), ("DELETE", GROUPS), ("DELETE", RULES)):
        assert ask(method, f"{path}/abc").status_code == 400
        assert ask(method, f"{path}/{NO_UUID}").status_code == 404


def test_who_may_do_what_with_groups(world, ask, group):
    path = f"{GROUPS}/{group['id']}"
    body = {"security_group": {"name": "n", "description": ""}}
    assert ask("GET", path, who=world.reader).status_code == 200
    assert ask("GET", path, who=world.other).status_code == 404
    for method, where, sent in (
        ("POST", GROUPS, body),
        ("PUT", path, body),
        ("DELETE", path, None),
        ("POST", RULES, rule(group)),
        ("DELETE", f"{RULES}/{NO_UUID}", None),
    ):
        assert ask(method, where, sent, who=world.reader).status_code == 403


# Groups of servers


def membership(action, name):
    return {f"{action}SecurityGroup": {"name": name}}


def of_server(ask, uuid, version="2.104", **more):
    answer = ask("GET", f"/servers/{uuid}/os-security-groups", version=version, **more)
    return [group["name"] for group in answer.json["security_groups"]]


def test_a_server_is_put_into_a_group_and_taken_out(world, ask, group, on_network):
    assert of_server(ask, on_network) == []
    assert world.act(on_network, membership("add", "web")).status_code == 202
    assert of_server(ask, on_network, version="2.1") == ["web"]
    assert world.act(on_network, membership("add", group["id"])).status_code == 400
    assert ask("DELETE", f"{GROUPS}/{group['id']}").status_code == 400
    assert world.act(on_network, membership("remove", group["id"])).status_code == 202
    assert world.act(on_network, membership("remove", "web")).status_code == 404
    assert of_server(ask, on_network) == []


@pytest.mark.parametrize(("name", "status"), [("nosuch", 404), ("", 400), (" ", 400)])
def test_names_of_groups(world, on_network, name, status):
    assert world.act(on_network, membership("add", name)).status_code == status


def test_a_name_that_several_groups_have_is_a_conflict(world, ask, group, on_network):
    ask("POST", GROUPS, {"security_group": {"name": "web", "description": ""}})
    assert world.act(on_network, membership("add", "web")).status_code == 409


def test_a_server_without_ports_is_in_no_group(world, ask, group):
    uuid = world.boot()
    assert of_server(ask, uuid) == []
    assert world.act(uuid, membership("add", "web")).status_code == 404


def test_who_may_change_the_groups_of_a_server(world, ask, group, on_network):
    for action in ("add", "remove"):
        body = membership(action, "web")
        assert world.act(on_network, body, who=world.reader).status_code == 403
        assert world.act(on_network, body, who=world.other).status_code == 404
    path = f"/servers/{on_network}/os-security-groups"
    assert ask("GET", path, who=world.reader).status_code == 200
    assert ask("GET", path, who=world.other).status_code == 404
    assert ask("GET", f"{path}?nosuch=1", version="2.101").status_code == 200
    assert ask("GET", f"{path}?nosuch=1", version="2.102").status_code == 400


# Floating addresses


def test_an_address_is_taken_from_a_pool_and_given_back(ask, public):
    assert ask("GET", "/os-floating-ip-pools").json == {"floating_ip_pools": [{"name": "public"}]}
    made = ask("POST", ADDRESSES).json["floating_ip"]
    assert made == {
        "id": made["id"],
        "ip": "172.24.0.1",
        "pool": "public",
        "fixed_ip": None,
        "instance_id": None,
    }
    assert ask("GET", ADDRESSES).json == {"floating_ips": [made]}
    assert ask("GET", f"{ADDRESSES}/{made['id']}").json == {"floating_ip": made}
    assert ask("DELETE", f"{ADDRESSES}/{made['id']}").status_code == 202
    assert ask("GET", ADDRESSES).json == {"floating_ips": []}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("null", 200),
        ({}, 200),
        ({"pool": None}, 200),
        ({"pool": "public"}, 200),
        ({"zzz": 1}, 200),
        ({"pool": "nosuch"}, 404),
        ({"pool": 1}, 400),
        ("[]", 400),
        ("{", 400),
    ],
)
def test_bodies_of_addresses(ask, public, body, status):
    assert ask("POST", ADDRESSES, body).status_code == status


def test_neutron_may_have_no_more_addresses(world, ask, public):
    world.neutron.server.floating_ip_limit = 0
    assert ask("POST", ADDRESSES).status_code == 403
    world.neutron.server.floating_ip_limit = -1
    assert {ask("POST", ADDRESSES).status_code for _ in range(6)} == {200}
    assert ask("POST", ADDRESSES).status_code == 404


def test_who_may_do_what_with_addresses(world, ask, public):
    made = ask("POST", ADDRESSES).json["floating_ip"]
    path = f"{ADDRESSES}/{made['id']}"
    assert ask("GET", path, who=world.reader).status_code == 200
    assert ask("GET", path, who=world.other).status_code == 404
    assert ask("POST", ADDRESSES, who=world.reader).status_code == 403
    assert ask("DELETE", path, who=world.reader).status_code == 403
    assert ask("GET", f"{ADDRESSES}/abc").status_code == 400
    assert ask("GET", f"{ADDRESSES}/{NO_UUID}").status_code == 404
    assert ask("GET", f"{ADDRESSES}?nosuch=1").status_code == 400


def test_an_address_leads_to_a_server(world, ask, public, on_network):
    made = ask("POST", ADDRESSES).json["floating_ip"]
    (port,) = world.neutron.list_ports(None, on_network)
    fixed = port.fixed_ips[0].address
    add, remove = {"addFloatingIp": {"address": made["ip"]}}, {"removeFloatingIp": {"address": made["ip"]}}
    assert world.act(on_network, remove, version="2.43").status_code == 409
    assert world.act(on_network, add, version="2.43").status_code == 202
    shown = ask("GET", f"{ADDRESSES}/{made['id']}").json["floating_ip"]
    assert (shown["fixed_ip"], shown["instance_id"]) == (fixed, on_network)
    assert world.act(on_network, remove, version="2.43").status_code == 202
    assert ask("GET", f"{ADDRESSES}/{made['id']}").json["floating_ip"]["fixed_ip"] is None
    add["addFloatingIp"]["fixed_address"] = fixed
    assert world.act(on_network, add, version="2.43").status_code == 202


@pytest.mark.parametrize(
    ("body", "version", "status"),
    [
        ({"addFloatingIp": {"address": "172.24.0.6"}}, "2.43", 404),
        ({"addFloatingIp": {"address": "172.24.0.6"}}, "2.44", 404),
        ({"addFloatingIp": {"address": "172.24.0.1", "fixed_address": "10.9.9.9"}}, "2.43", 400),
        ({"addFloatingIp": {"address": "x"}}, "2.43", 400),
        ({"addFloatingIp": {}}, "2.43", 400),
        ({"addFloatingIp": {"address": "172.24.0.1", "zzz": 1}}, "2.43", 400),
        ({"removeFloatingIp": {"address": "172.24.0.6"}}, "2.43", 404),
        ({"removeFloatingIp": {"address": "172.24.0.1"}}, "2.44", 404),
    ],
)
def test_bodies_of_the_actions(world, ask, public, on_network, body, version, status):
    ask("POST", ADDRESSES)
    assert world.act(on_network, body, version=version).status_code == status


def test_a_server_without_ports_has_no_address_to_lead_to(world, ask, public):
    made = ask("POST", ADDRESSES).json["floating_ip"]
    body = {"addFloatingIp": {"address": made["ip"]}}
    assert world.act(world.boot(), body, version="2.1").status_code == 400
    assert world.act(world.boot(), body, version="2.1", who=world.reader).status_code == 403


def test_the_proxies_end(world, ask, group, public):
    made = ask("POST", ADDRESSES).json["floating_ip"]
    for path in (
        "/os-networks",
        f"/os-networks/{world.network}",
        "/os-tenant-networks",
        f"/os-tenant-networks/{world.network}",
        GROUPS,
        f"{GROUPS}/{group['id']}",
        "/os-floating-ip-pools",
        ADDRESSES,
        f"{ADDRESSES}/{made['id']}",
    ):
        assert ask("GET", path, version="2.35").status_code == 200, path
        assert ask("GET", path, version="2.36").status_code == 404, path


def test_a_dead_server_is_in_no_group_for_anybody(world, ask, on_network):
    path = f"/servers/{on_network}/os-security-groups"
    assert ask("GET", path, who=world.admin).status_code == 200
    world.member("DELETE", f"/v2.1/servers/{on_network}")
    assert ask("GET", path, who=world.admin).status_code == 404
