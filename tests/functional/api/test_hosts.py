"""Services, hypervisors, zones. Golden: recordings services-list, hypervisors*, availability-zones."""

from datetime import timedelta

import pytest

from openkeel import objects
from openkeel.db.cells import CELL0_UUID
from tests.functional.api.conftest import NO_UUID


@pytest.fixture
def hosts(world):
    world.service("one")
    world.service("three", disabled=True, disabled_reason="broken")
    world.service("ctl", "nova-conductor")
    world.service("api", "nova-osapi_compute")
    world.node("one")
    world.node("three")
    return world


def zone(world, name, *hosts):
    aggregate = objects.Aggregate(name=name, metadata={"availability_zone": name}, hosts=[])
    world.cells.api.aggregates.create(aggregate)
    for host in hosts:
        world.cells.api.aggregates.add_host(aggregate, host)


# Services


def test_services_show_what_the_version_knows(hosts):
    zone(hosts, "east", "one")
    old = hosts.admin("GET", "/v2.1/os-services").json["services"]
    new = hosts.admin("GET", "/v2.1/os-services", version="2.53").json["services"]
    assert [service["host"] for service in old] == ["one", "three", "ctl"]
    assert {key: old[0][key] for key in ("binary", "zone", "status", "state", "disabled_reason")} == {
        "binary": "nova-compute",
        "zone": "east",
        "status": "enabled",
        "state": "up",
        "disabled_reason": None,
    }
    assert (old[1]["status"], old[1]["zone"], old[1]["disabled_reason"]) == ("disabled", "nova", "broken")
    assert old[2]["zone"] == "internal"
    assert isinstance(old[0]["id"], int)
    assert isinstance(new[0]["id"], str)
    assert "forced_down" not in old[0]
    assert new[0]["forced_down"] is False
    assert old[0]["updated_at"].endswith(".000000")


def test_a_silent_or_forced_service_is_down(hosts):
    hosts.service("two", forced_down=True)
    hosts.clock.sleep(59)
    states = {one["host"]: one["state"] for one in hosts.admin("GET", "/v2.1/os-services").json["services"]}
    assert states == {"one": "up", "three": "up", "ctl": "up", "two": "down"}
    hosts.clock.sleep(2)
    states = {one["state"] for one in hosts.admin("GET", "/v2.1/os-services").json["services"]}
    assert states == {"down"}


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("binary=nova-compute", 2),
        ("binary=nosuch", 0),
        ("host=one", 1),
        ("host=one&binary=nova-conductor", 0),
        ("binary=", 3),
        ("host=a&host=one", 1),
    ],
)
def test_services_are_filtered(hosts, query, count):
    assert len(hosts.admin("GET", f"/v2.1/os-services?{query}").json["services"]) == count


def test_services_are_for_administrators(hosts):
    assert hosts.ask("GET", "/v2.1/os-services").status_code == 403


def test_computes_of_a_cell_that_is_down_are_known_by_name_since_2_69(hosts):
    hosts.cells.api.host_mappings.create(objects.HostMapping(host="one", cell_mapping=hosts.cell.mapping))
    broken = hosts.cell.database
    broken.dispose()
    broken.settings = type(broken.settings)("sqlite:////nowhere/at/all.sqlite")
    broken._engine = None
    old = hosts.admin("GET", "/v2.1/os-services", version="2.68").json["services"]
    new = hosts.admin("GET", "/v2.1/os-services", version="2.69").json["services"]
    assert old == []
    assert new == [{"binary": "nova-compute", "host": "one", "status": "UNKNOWN"}]


# Hypervisors


def test_hypervisors_are_listed_by_id_and_later_by_uuid(hosts):
    old = hosts.admin("GET", "/v2.1/os-hypervisors", version="2.52").json["hypervisors"]
    new = hosts.admin("GET", "/v2.1/os-hypervisors", version="2.53").json["hypervisors"]
    assert [(one["hypervisor_hostname"], one["state"], one["status"]) for one in old] == [
        ("one.example", "up", "enabled"),
        ("three.example", "up", "disabled"),
    ]
    assert isinstance(old[0]["id"], int)
    assert new[0]["id"].startswith("00000000-")


def test_details_follow_the_version(hosts):
    def detail(version):
        return hosts.admin("GET", "/v2.1/os-hypervisors/detail", version=version).json["hypervisors"][0]

    assert detail("2.27")["cpu_info"] == '{"arch": "x86_64"}'
    assert detail("2.28")["cpu_info"] == {"arch": "x86_64"}
    assert detail("2.87")["vcpus"] == 8
    assert isinstance(detail("2.52")["service"]["id"], int)
    new = detail("2.88")
    assert new["uptime"] == "up on one"
    assert new["service"]["host"] == "one"
    assert not {"vcpus", "cpu_info", "running_vms", "disk_available_least"} & set(new)


def test_the_uptime_of_a_compute_that_does_not_answer_is_null(hosts):
    hosts.computes.dead = frozenset({"one"})
    nodes = hosts.admin("GET", "/v2.1/os-hypervisors/detail", version="2.88").json["hypervisors"]
    assert [node["uptime"] for node in nodes] == [None, "up on three"]
    uuid = nodes[0]["id"]
    assert hosts.admin("GET", f"/v2.1/os-hypervisors/{uuid}/uptime", version="2.87").status_code == 400


def test_servers_of_hypervisors(hosts):
    server = hosts.server(host="one", node="one.example")
    name = f"instance-{server.id:08x}"

    def servers(version):
        answer = hosts.admin("GET", "/v2.1/os-hypervisors?with_servers=true", version=version)
        return [one.get("servers") for one in answer.json["hypervisors"]]

    assert servers("2.52") == [None, None]
    assert servers("2.53") == [[{"uuid": server.uuid, "name": name}], None]
    assert servers("2.75") == [[{"uuid": server.uuid, "name": name}], []]
    old = hosts.admin("GET", "/v2.1/os-hypervisors/one/servers").json["hypervisors"]
    assert old[0]["servers"] == [{"uuid": server.uuid, "name": name}]


@pytest.mark.parametrize(
    ("query", "version", "expected"),
    [
        ("hypervisor_hostname_pattern=three", "2.53", ["three"]),
        ("hypervisor_hostname_pattern=three", "2.52", ["one", "three"]),
        ("hypervisor_hostname_pattern=zzz", "2.53", 404),
        ("limit=1", "2.33", ["one"]),
        ("limit=1", "2.32", ["one", "three"]),
        ("limit=1&hypervisor_hostname_pattern=o", "2.53", 400),
        ("marker=0", "2.33", 400),
        ("marker=0", "2.53", 400),
        ("marker=1", "2.33", ["three"]),
        ("with_servers=junk", "2.53", 400),
        ("nosuch=1", "2.52", ["one", "three"]),
        ("nosuch=1", "2.53", 400),
        ("limit=1&limit=2", "2.53", 400),
    ],
)
def test_hypervisor_queries(hosts, query, version, expected):
    answer = hosts.admin("GET", f"/v2.1/os-hypervisors?{query}", version=version)
    if isinstance(expected, int):
        assert answer.status_code == expected
    else:
        names = [one["hypervisor_hostname"].split(".")[0] for one in answer.json["hypervisors"]]
        assert names == expected


def test_pages_of_hypervisors_are_linked(hosts):
    page = hosts.admin("GET", "/v2.1/os-hypervisors?limit=1", version="2.53").json
    link = page["hypervisors_links"][0]["href"].removeprefix("http://falconframework.org")
    rest = hosts.admin("GET", link, version="2.53").json
    assert [one["hypervisor_hostname"] for one in rest["hypervisors"]] == ["three.example"]


def test_a_uuid_is_a_marker_also_while_ids_are_numbers(hosts):
    uuid = hosts.admin("GET", "/v2.1/os-hypervisors", version="2.53").json["hypervisors"][0]["id"]
    rest = hosts.admin("GET", f"/v2.1/os-hypervisors?marker={uuid}", version="2.33").json["hypervisors"]
    assert [one["hypervisor_hostname"] for one in rest] == ["three.example"]


def test_one_hypervisor_by_the_id_of_the_version(hosts):
    old = hosts.admin("GET", "/v2.1/os-hypervisors").json["hypervisors"][0]["id"]
    new = hosts.admin("GET", "/v2.1/os-hypervisors", version="2.53").json["hypervisors"][0]["id"]

    def status(key, version, more=""):
        return hosts.admin("GET", f"/v2.1/os-hypervisors/{key}{more}", version=version).status_code

    assert (status(old, "2.52"), status(old, "2.53")) == (200, 400)
    assert (status(new, "2.52"), status(new, "2.53")) == (404, 200)
    assert (status("nosuch", "2.1"), status("nosuch", "2.53"), status(NO_UUID, "2.53")) == (404, 400, 404)
    assert (status(old, "2.52", "/uptime"), status(new, "2.87", "/uptime")) == (200, 200)
    assert status(new, "2.88", "/uptime") == 404


def test_search_and_statistics_of_old(hosts):
    found = hosts.admin("GET", "/v2.1/os-hypervisors/thr/search").json["hypervisors"]
    assert [one["hypervisor_hostname"] for one in found] == ["three.example"]
    assert hosts.admin("GET", "/v2.1/os-hypervisors/zzz/search").status_code == 404
    sums = hosts.admin("GET", "/v2.1/os-hypervisors/statistics").json["hypervisor_statistics"]
    assert (sums["count"], sums["vcpus"], sums["memory_mb_used"]) == (1, 8, 512)
    assert hosts.admin("GET", "/v2.1/os-hypervisors/statistics", version="2.88").status_code == 404


# Zones


def test_zones_are_available_while_a_service_in_them_is_enabled(hosts):
    zone(hosts, "east", "one")
    zone(hosts, "west", "three")
    zones = hosts.ask("GET", "/v2.1/os-availability-zone").json["availabilityZoneInfo"]
    assert zones == [
        {"zoneName": "east", "zoneState": {"available": True}, "hosts": None},
        {"zoneName": "west", "zoneState": {"available": False}, "hosts": None},
    ]


def test_zones_in_detail_name_their_hosts(hosts):
    hosts.clock.sleep(61)
    hosts.service("late")
    zones = hosts.admin("GET", "/v2.1/os-availability-zone/detail").json["availabilityZoneInfo"]
    assert [zone["zoneName"] for zone in zones] == ["internal", "nova"]
    assert set(zones[1]["hosts"]) == {"one", "late"}
    late = zones[1]["hosts"]["late"]["nova-compute"]
    assert (late["available"], late["active"]) == (True, True)
    assert zones[1]["hosts"]["one"]["nova-compute"]["available"] is False
    assert hosts.ask("GET", "/v2.1/os-availability-zone/detail").status_code == 403


def test_reading_costs_the_same_however_many_hosts_there_are(hosts):
    def statements():
        count = 0

        def counted(*_):
            nonlocal count
            count += 1

        import sqlalchemy as sa

        engines = [hosts.cell.database.engine, hosts.cells.api.database.engine]
        engines.append(hosts.cells.cell(CELL0_UUID).database.engine)
        for engine in engines:
            sa.event.listen(engine, "before_cursor_execute", counted)
        hosts.admin("GET", "/v2.1/os-hypervisors/detail?with_servers=1", version="2.53")
        hosts.admin("GET", "/v2.1/os-services")
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", counted)
        return count

    few = statements()
    for number in range(20):
        hosts.service(f"h{number:02}")
        hosts.node(f"h{number:02}", uuid=f"00000000-0000-4000-9000-{number:012d}")
    assert statements() == few


def test_a_moment_is_no_service(hosts):
    hosts.clock.present += timedelta(days=1)
    assert hosts.admin("GET", "/v2.1/os-hypervisors").json["hypervisors"][0]["state"] == "down"
