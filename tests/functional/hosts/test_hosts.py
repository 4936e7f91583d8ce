"""Hosts as resources, until 2.42. Golden: recording hosts-api, and what nova 34.0.0 answered."""

import pytest

PATH = "/v2.1/os-hosts"


@pytest.fixture
def hosts(world):
    world.host("one")
    world.host("two", disabled=True)
    world.service("ctl", "nova-conductor")
    world.service("api", "nova-osapi_compute")
    return world


def test_enabled_services_are_listed_by_zone(hosts):
    hosts.aggregate("a", "east", "one")
    everything = [
        {"host_name": "one", "service": "compute", "zone": "east"},
        {"host_name": "ctl", "service": "conductor", "zone": "internal"},
    ]
    assert hosts.admin("GET", PATH, version="2.1").json == {"hosts": everything}
    assert hosts.admin("GET", f"{PATH}?zone=east&x=1", version="2.42").json == {"hosts": everything[:1]}
    assert hosts.admin("GET", f"{PATH}?zone=", version="2.42").json == {"hosts": everything}
    assert hosts.admin("GET", f"{PATH}?zone=nosuch", version="2.42").json == {"hosts": []}


def test_a_host_tells_what_it_has_and_who_uses_it(hosts):
    hosts.server(host="one", project_id="p", vcpus=2, memory_mb=512, root_gb=1, ephemeral_gb=2)
    hosts.server(host="one", project_id="q", vcpus=1, memory_mb=64, root_gb=1, ephemeral_gb=0)
    hosts.server(host="two", project_id="q", vcpus=1, memory_mb=64, root_gb=1, ephemeral_gb=0)
    resources = [one["resource"] for one in hosts.admin("GET", f"{PATH}/one").json["host"]]
    names = ("project", "cpu", "memory_mb", "disk_gb")
    assert {one["host"] for one in resources} == {"one"}
    assert [tuple(one[name] for name in names) for one in resources] == [
        ("(total)", 8, 1024, 10),
        ("(used_now)", 1, 512, 1),
        ("(used_max)", 3, 576, 4),
        ("p", 2, 512, 3),
        ("q", 1, 64, 1),
    ]


def test_a_host_is_disabled_and_enabled(hosts):
    answer = hosts.admin("PUT", f"{PATH}/one", {"status": "Disable"})
    assert (answer.status_code, answer.json) == (200, {"host": "one", "status": "disabled"})
    assert hosts.is_shut_in_placement("one")
    (service,) = hosts.admin("GET", "/v2.1/os-services?host=one").json["services"]
    assert service["status"] == "disabled"
    assert hosts.admin("PUT", f"{PATH}/one", {"status": "ENABLE"}).json["status"] == "enabled"
    assert not hosts.is_shut_in_placement("one")


def test_a_host_goes_into_maintenance_where_its_hypervisor_can(hosts):
    hosts.hosts.capable.add("one")
    on = hosts.admin("PUT", f"{PATH}/one", {"maintenance_mode": "Enable"})
    assert (on.status_code, on.json) == (200, {"host": "one", "maintenance_mode": "on_maintenance"})
    both = hosts.admin("PUT", f"{PATH}/one", {"status": "enable", "maintenance_mode": "disable"})
    assert both.json == {"host": "one", "status": "enabled", "maintenance_mode": "off_maintenance"}


def test_maintenance_is_refused_where_the_hypervisor_cannot(hosts):
    both = {"status": "enable", "maintenance_mode": "disable"}
    assert hosts.admin("PUT", f"{PATH}/one", both).status_code == 501
    assert hosts.admin("PUT", f"{PATH}/nosuch", {"maintenance_mode": "enable"}).status_code == 404


@pytest.mark.parametrize("body", [{}, {"status": "junk"}, {"status": "enable", "zzz": 1}, {"zzz": 1}])
def test_changes_that_make_no_sense_are_refused(hosts, body):
    assert hosts.admin("PUT", f"{PATH}/one", body).status_code == 400


@pytest.mark.parametrize("action", ["reboot", "shutdown", "startup"])
def test_hosts_are_turned_off_and_on_only_where_the_hypervisor_can(hosts, action):
    hosts.hosts.capable.add("two")
    answer = hosts.admin("GET", f"{PATH}/two/{action}")
    assert (answer.status_code, answer.json) == (200, {"host": "two", "power_action": action})
    assert hosts.admin("GET", f"{PATH}/one/{action}").status_code == 501
    assert hosts.admin("GET", f"{PATH}/nosuch/{action}").status_code == 404


def test_a_host_that_is_down_or_dumb_is_the_clients_mistake(hosts):
    hosts.hosts.dead.add("one")
    assert hosts.admin("PUT", f"{PATH}/one", {"status": "enable"}).status_code == 400
    hosts.host("three", forced_down=True)
    assert hosts.admin("PUT", f"{PATH}/three", {"status": "enable"}).status_code == 400
    assert hosts.admin("GET", f"{PATH}/three/reboot").status_code == 400


def test_unknown_hosts_are_not_found(hosts):
    assert hosts.admin("GET", f"{PATH}/nosuch").status_code == 404
    assert hosts.admin("GET", f"{PATH}/ctl").status_code == 404
    assert hosts.admin("PUT", f"{PATH}/nosuch", {"status": "enable"}).status_code == 404


REQUESTS = [
    ("GET", PATH, None),
    ("GET", f"{PATH}/one", None),
    ("PUT", f"{PATH}/one", {"status": "disable"}),
    ("GET", f"{PATH}/one/reboot", None),
    ("GET", f"{PATH}/one/shutdown", None),
    ("GET", f"{PATH}/one/startup", None),
]


@pytest.mark.parametrize("roles", ["reader", "reader,member,manager", "service"])
def test_only_administrators_may(hosts, roles):
    assert {hosts.as_(roles)(*request).status_code for request in REQUESTS} == {403}
    assert not hosts.is_shut_in_placement("one")


def test_all_of_it_ends_at_2_42(hosts):
    assert {hosts.admin(*request, version="2.43").status_code for request in REQUESTS} == {404}
