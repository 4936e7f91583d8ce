"""GET /servers and /servers/detail: filters, order, pages, cells."""

import uuid as uuids
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlsplit

import pytest
import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.domain.errors import CellUnreachable
from openkeel.services.server_lists import ReadSettings
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import IMAGE, NO_UUID


def names(world, query="", who=None, version="2.104", path="/v2.1/servers"):
    answer = (who or world.member)("GET", f"{path}?{query}", version=version)
    assert answer.status_code == 200, answer.text
    return [server["name"] for server in answer.json["servers"]]


@pytest.fixture
def two(world):
    """alpha is active; beta is stopped, locked, on a network, and has a description."""
    world.alpha = world.boot("alpha", metadata={"role": "web"}, tags=["t1", "t2"])
    world.clock.sleep(1)
    world.beta = world.boot(
        "beta", networks=[{"uuid": world.network, "fixed_ip": "10.0.0.88"}], tags=["t2"], description="d"
    )
    world.act(world.beta, {"os-stop": None})
    world.set(world.beta, locked=True, locked_by="owner")
    return world


BOTH = {"alpha", "beta"}
ALL = ("2.1", "2.38", "2.104")
FROM_2_83 = ("2.83", "2.104")
BEFORE_2_83 = ("2.1", "2.75")

# query, versions, what a member sees, what an administrator sees (a set, or the status of a refusal)
RECORDED = [
    ("status=ACTIVE", ALL, {"alpha"}, {"alpha"}),
    ("status=active", ALL, {"alpha"}, {"alpha"}),
    ("status=SHUTOFF", ALL, {"beta"}, {"beta"}),
    ("status=nosuch", ("2.1", "2.37"), set(), set()),
    ("status=nosuch", ("2.38", "2.104"), 400, 400),
    ("status=ACTIVE&status=SHUTOFF", ALL, BOTH, BOTH),
    ("status=", ("2.1", "2.37"), set(), set()),
    ("status=", ("2.38", "2.104"), 400, 400),
    ("status=DELETED", ALL, 403, set()),
    ("vm_state=active", BEFORE_2_83, BOTH, {"alpha"}),
    ("vm_state=active", FROM_2_83, {"alpha"}, {"alpha"}),
    ("task_state=deleting", FROM_2_83, set(), set()),
    ("power_state=4", FROM_2_83, {"beta"}, {"beta"}),
    ("power_state=x", FROM_2_83, set(), set()),
    ("name=alpha", ALL, {"alpha"}, {"alpha"}),
    ("name=ALPHA", ALL, {"alpha"}, {"alpha"}),
    ("name=^a", ALL, {"alpha"}, {"alpha"}),
    ("name=[", ALL, 400, 400),
    ("name=a{99999999999}", ALL, 400, 400),
    ("changes-since=0001-01-01T00:00:00%2B23:00", ALL, 400, 400),
    ("changes-since=9999-12-31T23:59:59-23:00", ALL, 400, 400),
    ("name=(", ALL, 400, 400),
    ("name=*", ALL, 400, 400),
    ("flavor=1", ALL, BOTH, BOTH),
    ("flavor=nosuch", ALL, set(), set()),
    (f"image={IMAGE}", ALL, BOTH, BOTH),
    ("image=nosuch", ALL, set(), set()),
    ("image=", ALL, set(), set()),
    ("host=node-1", ALL, BOTH, BOTH),
    ("host=nosuch", ALL, BOTH, set()),
    ("all_tenants=0", ALL, BOTH, BOTH),
    ("all_tenants=x", ALL, 400, 400),
    ("all_tenants=", ALL, 403, BOTH),
    ("project_id=other", ALL, BOTH, BOTH),
    ("tenant_id=other", ALL, BOTH, BOTH),
    ("user_id=nosuch", BEFORE_2_83, BOTH, set()),
    ("user_id=nosuch", FROM_2_83, set(), set()),
    ("user_id=user", FROM_2_83, BOTH, BOTH),
    ("tags=t1", ("2.1", "2.25"), BOTH, BOTH),
    ("tags=t1", ("2.26", "2.104"), {"alpha"}, {"alpha"}),
    ("tags=t1,t2", ("2.26", "2.104"), {"alpha"}, {"alpha"}),
    ("tags-any=t1,t2", ("2.26", "2.104"), BOTH, BOTH),
    ("not-tags=t1", ("2.26", "2.104"), {"beta"}, {"beta"}),
    ("not-tags=t1,t2", ("2.26", "2.104"), {"beta"}, {"beta"}),
    ("not-tags-any=t1,t2", ("2.26", "2.104"), set(), set()),
    ("tags=", ("2.1", "2.25"), BOTH, BOTH),
    ("tags=", ("2.26", "2.104"), 400, 400),
    ("locked=true", ("2.1", "2.66"), BOTH, BOTH),
    ("locked=true", ("2.73", "2.104"), {"beta"}, {"beta"}),
    ("locked=false", ("2.73", "2.104"), {"alpha"}, {"alpha"}),
    ("locked=x", ("2.73", "2.104"), 400, 400),
    ("deleted=true", ALL, BOTH, set()),
    ("deleted=false", ALL, BOTH, BOTH),
    ("deleted=x", ALL, BOTH, BOTH),
    ("changes-since=2020-01-01T00:00:00Z", ALL, BOTH, BOTH),
    ("changes-since=junk", ALL, 400, 400),
    ("changes-since=2100-01-01T00:00:00Z", ALL, set(), set()),
    ("changes-before=2020-01-01T00:00:00Z", ("2.1", "2.38"), BOTH, BOTH),
    ("changes-before=2020-01-01T00:00:00Z", ("2.66", "2.104"), set(), set()),
    ("changes-since=2100-01-01T00:00:00Z&changes-before=2020-01-01T00:00:00Z", ("2.66", "2.104"), 400, 400),
    ("ip=10.0.0.8", ALL, {"beta"}, {"beta"}),
    ("ip=9.9", ALL, set(), set()),
    ("ip=[", ALL, 400, 400),
    ("ip6=fe80", ("2.1",), BOTH, set()),
    ("ip6=fe80", ("2.25", "2.104"), set(), set()),
    ("key_name=nosuch", BEFORE_2_83, BOTH, set()),
    ("key_name=nosuch", FROM_2_83, set(), set()),
    ("config_drive=true", FROM_2_83, set(), set()),
    ("config_drive=", ALL, 400, 400),
    ("description=d", ALL, BOTH, BOTH),
    ("metadata=x", ALL, BOTH, 400),
    ("launched_at=x", FROM_2_83, set(), set()),
    ("created_at=20", FROM_2_83, BOTH, BOTH),
    ("reservation_id=nosuch", ALL, set(), set()),
    ("availability_zone=nova", ALL, BOTH, BOTH),
    ("availability_zone=nosuch", BEFORE_2_83, BOTH, set()),
    ("availability_zone=nosuch", FROM_2_83, set(), set()),
    (f"uuid={NO_UUID}", ALL, BOTH, set()),
    ("hostname=nosuch", ("2.83",), BOTH, set()),
    ("hostname=nosuch", ("2.104",), set(), set()),
    ("access_ip_v4=1.2.3.4", ALL, BOTH, set()),
    ("root_device_name=/dev/sdx", ALL, BOTH, set()),
    ("progress=0", ALL, BOTH, BOTH),
    ("auto_disk_config=x", ALL, BOTH, set()),
    ("soft_deleted=true", ALL, BOTH, BOTH),
    ("node=nosuch", ALL, BOTH, set()),
    ("display_name=alpha", ALL, BOTH, {"alpha"}),
    ("instance_name=x", ("2.1", "2.73"), BOTH, BOTH),
    ("instance_name=x", ("2.75", "2.104"), 400, 400),
    ("nosuch=1", ("2.1", "2.73"), BOTH, BOTH),
    ("nosuch=1", ("2.75", "2.104"), 400, 400),
    ("status=ERROR&name=alpha", ALL, set(), set()),
    ("limit=0", ALL, set(), set()),
    ("limit=-1", ALL, 400, 400),
    ("limit=abc", ALL, 400, 400),
    ("limit=", ALL, 400, 400),
    (f"marker={NO_UUID}", ALL, 400, 400),
    ("marker=nosuch", ALL, 400, 400),
    ("sort_key=host", ALL, 403, BOTH),
    ("sort_key=nosuch", ALL, 400, 400),
    ("sort_key=vcpus", ("2.1", "2.74"), BOTH, BOTH),
    ("sort_key=vcpus", ("2.75", "2.104"), 400, 400),
    ("sort_key=display_name&sort_dir=up", ALL, 400, 400),
    ("sort_key=display_name&sort_dir=asc&sort_dir=asc", ALL, 400, 400),
    ("name=%C3%A9%E2%82%AC", ALL, set(), set()),
    ("name=%FF%FE", ALL, 400, 400),
]


def test_filters_answer_as_recorded(two):
    wrong = []
    for query, versions, *expected in RECORDED:
        for version in versions:
            for who, wanted in zip((two.member, two.admin), expected, strict=True):
                answer = who("GET", f"/v2.1/servers?{query}", version=version)
                found = answer.status_code
                if found == 200:
                    found = {server["name"] for server in answer.json["servers"]}
                if found != wanted:
                    wrong.append((query, version, who.roles, wanted, found))
    assert wrong == []


def test_build_requests_are_filtered_like_servers(world):
    world.conductor.waits = True
    world.boot("alpha", tags=["t1"])
    world.boot("beta")
    assert names(world, "name=alp") == ["alpha"]
    assert names(world, "tags=t1") == ["alpha"]
    assert names(world, "not-tags=t1") == ["beta"]
    assert set(names(world, "status=BUILD")) == BOTH
    assert names(world, "status=ACTIVE") == []
    assert set(names(world, "changes-since=2020-01-01T00:00:00Z")) == BOTH
    assert names(world, "deleted=true", who=world.admin) == []
    assert names(world, "flavor=1&locked=false&name=beta") == ["beta"]


def test_deleted_servers_are_for_administrators_and_for_changes_since(two):
    two.member("DELETE", f"/v2.1/servers/{two.alpha}")
    assert names(two) == ["beta"]
    assert names(two, "deleted=true", who=two.admin) == ["alpha"]
    assert set(names(two, "changes-since=2020-01-01T00:00:00Z")) == BOTH
    detail = two.member("GET", "/v2.1/servers/detail?changes-since=2020-01-01T00:00:00Z", version="2.104")
    assert {one["name"]: one["status"] for one in detail.json["servers"]}["alpha"] == "DELETED"


@pytest.mark.parametrize("zone", ["Z", "+00:00", "+02:00", "-09:30", "+1400", ""])
def test_times_of_changes_count_in_the_zone_they_are_given_in(two, zone):
    """Between the two servers lies an hour; the same moment is asked for on clocks around the world."""
    with two.cell1.database.write() as connection:
        for server, at in ((two.alpha, "2030-01-01 11:00:00"), (two.beta, "2030-01-01 12:00:00")):
            connection.execute(
                sa.text("UPDATE instances SET updated_at = :t WHERE uuid = :u"), {"t": at, "u": server}
            )
    sign = -1 if zone.startswith("-") else 1
    digits = zone[1:].replace(":", "") or "0000"
    offset = sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    between = datetime(2030, 1, 1, 11, 30, tzinfo=UTC) + offset
    at = quote(between.replace(tzinfo=None).isoformat() + zone)
    assert names(two, f"changes-since={at}") == ["beta"]
    assert names(two, f"changes-before={at}") == ["alpha"]


def test_dead_servers_have_neither_a_fault_nor_a_host_status(two):
    def dead(name):
        query = f"deleted=1&all_tenants=1&name={name}"
        (server,) = two.admin("GET", f"/v2.1/servers/detail?{query}", version="2.104").json["servers"]
        return server

    two.no_valid_host = True
    lost = two.boot("lost")
    assert two.show(lost)["fault"]["code"] == 500
    assert two.show(two.alpha, who=two.admin)["host_status"] == "UP"
    for uuid in (lost, two.alpha):
        two.member("DELETE", f"/v2.1/servers/{uuid}")
    assert "fault" not in dead("lost")
    assert (dead("alpha")["OS-EXT-SRV-ATTR:host"] is None, dead("alpha")["host_status"]) == (False, "")


def test_servers_of_other_projects_are_seen_by_administrators_only(world):
    world.boot("mine")
    world.neutron.server.add_network("net-o", world.other.project, cidr="10.9.0.0/24")
    world.boot("theirs", who=world.other)
    assert names(world) == ["mine"]
    assert names(world, who=world.admin) == ["mine"]
    assert set(names(world, "all_tenants=1", who=world.admin)) == {"mine", "theirs"}
    assert names(world, f"all_tenants=1&project_id={world.other.project}", who=world.admin) == ["theirs"]
    assert world.member("GET", "/v2.1/servers?all_tenants=1").status_code == 403


# Order and pages


def many(world, count=7):
    """Servers in both cells and among build requests, some within the same second."""
    made = []
    for number in range(count):
        world.no_valid_host = number % 3 == 2
        world.conductor.waits = number >= count - 2
        made.append(world.boot(f"s{number}"))
    return made


def walk(world, query, limit):
    """All names by following the links."""
    found, path = [], f"/v2.1/servers?limit={limit}&{query}"
    for _ in range(50):
        answer = world.member("GET", path, version="2.104")
        assert answer.status_code == 200, answer.text
        found += [server["name"] for server in answer.json["servers"]]
        links = answer.json.get("servers_links")
        if not links:
            return found
        assert links[0]["rel"] == "next"
        parts = urlsplit(links[0]["href"])
        path = f"{parts.path}?{parts.query}"
    raise AssertionError("the pages never end")


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("query", "key", "reverse"),
    [
        ("sort_key=display_name&sort_dir=asc", str, False),
        ("sort_key=display_name&sort_dir=desc", str, True),
    ],
)
def test_pages_neither_overlap_nor_skip(world, limit, query, key, reverse):
    many(world)
    expected = sorted((f"s{number}" for number in range(7)), key=key, reverse=reverse)
    assert walk(world, query, limit) == expected


@pytest.mark.parametrize(
    "query", ["", "sort_key=host&x=1", "sort_key=vm_state", "sort_key=launched_at&sort_dir=asc"]
)
def test_every_server_is_on_exactly_one_page_whatever_the_order(world, query):
    many(world)
    query = query.replace("sort_key=host&x=1", "sort_key=key_name")  # all NULL
    assert sorted(walk(world, query, 2)) == [f"s{number}" for number in range(7)]


def test_the_newest_comes_first(world):
    first = world.boot("first")
    with world.cell1.database.write() as connection:
        connection.execute(
            sa.text("UPDATE instances SET created_at = :t WHERE uuid = :u"),
            {"t": world.clock.now().replace(tzinfo=None) - timedelta(hours=1), "u": first},
        )
    world.boot("second")
    assert names(world) == ["second", "first"]


def test_equals_come_by_uuid_upwards_whatever_the_direction(world):
    uuids = sorted(world.boot(f"s{number}") for number in range(4))
    with world.cell1.database.write() as connection:
        connection.execute(sa.text("UPDATE instances SET created_at = '2026-01-02 03:04:05'"))
    for query in ("", "sort_key=created_at&sort_dir=asc", "sort_key=vm_state&sort_dir=desc"):
        listed = world.member("GET", f"/v2.1/servers?{query}").json["servers"]
        assert [server["id"] for server in listed] == uuids, query


def test_a_marker_of_another_project_is_unknown(world):
    theirs = world.boot("theirs", who=world.other)
    world.boot("mine")
    assert world.member("GET", f"/v2.1/servers?marker={theirs}").status_code == 400


def test_next_links_repeat_the_query(world):
    many(world, 3)
    answer = world.member("GET", "/v2.1/servers/detail?limit=1&name=s", version="2.104")
    (link,) = answer.json["servers_links"]
    assert "/servers/detail?" in link["href"]
    assert "name=s" in link["href"]
    assert f"marker={answer.json['servers'][0]['id']}" in link["href"]


def test_next_links_name_parameters_in_order_and_a_new_marker_last(world):
    many(world, 3)

    def query(asked):
        answer = world.member("GET", f"/v2.1/servers/detail?{asked}", version="2.104")
        (link,) = answer.json["servers_links"]
        return [pair.partition("=")[0] for pair in urlsplit(link["href"]).query.split("&")]

    first = world.member("GET", "/v2.1/servers").json["servers"][0]["id"]
    assert query("sort_key=uuid&limit=1&name=s") == ["limit", "name", "sort_key", "marker"]
    assert query(f"sort_key=created_at&marker={first}&limit=1") == ["limit", "marker", "sort_key"]


def test_no_link_beyond_the_last_page(world):
    many(world, 3)
    assert "servers_links" not in world.member("GET", "/v2.1/servers").json
    assert "servers_links" not in world.member("GET", "/v2.1/servers?limit=0").json


# Cost


COPIED = {
    rows.Instance: "uuid",
    rows.InstanceExtra: "instance_uuid",
    rows.InstanceInfoCache: "instance_uuid",
    rows.InstanceMetadata: "instance_uuid",
    rows.InstanceSystemMetadata: "instance_uuid",
    rows.Tag: "resource_id",
}


def copies(database, count):
    """More servers, as like the only one as rows can be."""
    with database.write() as connection:
        for model, owner in COPIED.items():
            table = table_of(model)
            kept = [dict(row) for row in connection.execute(sa.select(table)).mappings()]
            for number in range(count):
                same = {owner: str(uuids.uuid5(uuids.NAMESPACE_OID, str(number)))}
                new = [{key: value for key, value in (row | same).items() if key != "id"} for row in kept]
                connection.execute(sa.insert(table), new)


def statements(world, query, who):
    """How many statements a list costs, per database."""
    counts = {}

    def count(connection, *_):
        url = str(connection.engine.url)
        counts[url] = counts.get(url, 0) + 1

    engines = [world.cells.api.database.engine, *(cell.database.engine for cell in world.cells.cells())]
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", count)
    try:
        answer = who("GET", query, version="2.104")
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", count)
    assert answer.status_code == 200
    return len(answer.json["servers"]), counts


@pytest.mark.parametrize("path", ["/v2.1/servers", "/v2.1/servers/detail"])
def test_a_page_costs_the_same_statements_whatever_its_length(world, path):
    world.boot("one", metadata={"a": "b"}, tags=["t"], networks=[{"uuid": world.network}])
    world.names = world.member("GET", "/v2.1/servers")  # warm: cell mappings are known
    size, few = statements(world, path, world.admin)
    assert size == 1
    copies(world.cell1.database, 199)
    size, many_of_them = statements(world, path, world.admin)
    assert size == 200
    assert many_of_them == few
    assert all(count <= 10 for count in few.values()), few


# Cells that do not answer


@pytest.fixture
def down(world, monkeypatch):
    """cell1 stops answering."""
    world.uuid = world.boot("lost")
    world.conductor.waits = True
    world.boot("waiting")
    real = world.cells.scatter

    def scatter(function, cells=None, timeout_s=60):
        asked = list(world.cells.cells() if cells is None else cells)
        answers = real(function, [cell for cell in asked if cell is not world.cell1], timeout_s)
        if world.cell1 in asked:
            answers[world.cell1.mapping.uuid] = CellUnreachable(cell="cell1")
        return answers

    monkeypatch.setattr(world.cells, "scatter", scatter)
    return world


def test_servers_of_a_cell_that_is_down_are_left_out_before_2_69(down):
    assert names(down, version="2.68") == ["waiting"]
    assert down.member("GET", f"/v2.1/servers/{down.uuid}", version="2.68").status_code == 503


@pytest.mark.parametrize("version", ["2.68", "2.69"])
def test_lists_may_fail_with_a_cell_instead(down, version):
    lists = down.services.server_lists
    lists._settings = ReadSettings(skips_down_cells=False)
    assert down.member("GET", "/v2.1/servers", version=version).status_code == 503
    assert down.member("GET", "/v2.1/servers/detail", version=version).status_code == 503


def test_servers_of_a_cell_that_is_down_come_in_part_from_2_69(down):
    listed = down.member("GET", "/v2.1/servers", version="2.69").json["servers"]
    assert listed[1].keys() == {"id", "status", "links"}
    assert listed[1]["status"] == "UNKNOWN"
    detail = down.member("GET", "/v2.1/servers/detail", version="2.69").json["servers"][1]
    assert detail.keys() == {"id", "status", "links", "tenant_id", "created"}
    shown = down.show(down.uuid, version="2.104")
    assert shown.keys() == {
        "id",
        "status",
        "links",
        "tenant_id",
        "user_id",
        "created",
        "image",
        "flavor",
        "server_groups",
        "OS-EXT-AZ:availability_zone",
        "OS-EXT-STS:power_state",
    }
    assert shown["flavor"]["original_name"] == "m1.tiny"
    assert shown["image"]["id"] == IMAGE
    assert shown["tenant_id"] == PROJECT


def test_filters_leave_out_what_cannot_be_filtered(down):
    assert names(down, "name=l", version="2.104") == []


def test_an_unknown_server_is_404_whatever_the_cells_do(down):
    assert down.member("GET", f"/v2.1/servers/{uuids.uuid4()}", version="2.104").status_code == 404


# Links


@pytest.mark.parametrize(
    ("query", "has_project"),
    [
        (f"project_id={PROJECT}", True),
        (f"tenant_id={PROJECT}", True),
        (f"name=alpha&user_id={PROJECT}", True),
        ("name=alpha", False),
        (f"name=alpha&nosuch={PROJECT}", False),  # unknown ones are dropped before
    ],
)
def test_links_have_the_project_as_soon_as_the_url_names_it(two, query, has_project):
    two.set(two.alpha, user_id=PROJECT)
    one = two.admin("GET", f"/v2.1/servers?{query}&all_tenants=1", version="2.74").json["servers"][0]
    prefix = f"/{PROJECT}" if has_project else ""
    paths = {link["rel"]: urlsplit(link["href"]).path for link in one["links"]}
    assert paths == {
        "self": f"/v2.1{prefix}/servers/{one['id']}",
        "bookmark": f"{prefix}/servers/{one['id']}",
    }


# Legacy


def test_legacy_v2_lists_like_2_1(two):
    answer = two.member("GET", "/v2/servers?nosuch=1&name=alpha")
    assert [one["name"] for one in answer.json["servers"]] == ["alpha"]
    assert answer.json["servers"][0]["links"][0]["href"].endswith(f"/v2/servers/{two.alpha}")
    assert two.member("GET", "/v2/servers?name=[").status_code == 400
    assert two.member("GET", "/v2/servers?sort_key=nosuch").status_code == 400
