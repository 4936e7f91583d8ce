"""What projects used, and the audits. Golden: recordings tenant-usage, usage-audit-log."""

from datetime import timedelta

import pytest

from openkeel import objects
from tests.fixtures.api_client import PROJECT
from tests.functional.api.conftest import NO_UUID, OTHER

USAGES = "/v2.1/os-simple-tenant-usage"
MINE = f"{USAGES}/{PROJECT}"
LOG = "/v2.1/os-instance_usage_audit_log"


def period(world, hours=10):
    """The query for the last hours."""
    begin = (world.clock.now() - timedelta(hours=hours)).replace(tzinfo=None)
    return f"start={begin.isoformat()}"


def run(world, hours, ended=None, **values):
    """A server launched hours ago, and terminated after some."""
    launched = world.clock.now() - timedelta(hours=hours)
    return world.server(
        launched_at=launched,
        terminated_at=None if ended is None else launched + timedelta(hours=ended),
        **{"memory_mb": 64, "vcpus": 2, "root_gb": 1, "ephemeral_gb": 2} | values,
    )


def test_usage_is_servers_times_hours(world):
    living = run(world, 4)
    run(world, 20, ended=12, display_name="gone")
    run(world, 20, ended=5)
    usage = world.ask("GET", f"{MINE}?{period(world)}").json["tenant_usage"]
    assert usage["total_hours"] == pytest.approx(6)
    assert usage["total_vcpus_usage"] == pytest.approx(12)
    assert usage["total_memory_mb_usage"] == pytest.approx(384)
    assert usage["total_local_gb_usage"] == pytest.approx(18)
    assert usage["stop"] == world.clock.now().strftime("%Y-%m-%dT%H:%M:%S.000000")
    by_id = {server["instance_id"]: server for server in usage["server_usages"]}
    assert len(by_id) == 2
    mine = by_id.pop(living.uuid)
    assert mine == {
        "instance_id": living.uuid,
        "name": living.display_name,
        "hours": pytest.approx(4),
        "tenant_id": PROJECT,
        "flavor": living.flavor.name,
        "memory_mb": 64,
        "local_gb": 3,
        "vcpus": 2,
        "started_at": living.launched_at.strftime("%Y-%m-%dT%H:%M:%S.000000"),
        "ended_at": None,
        "state": "active",
        "uptime": 4 * 3600,
    }
    (gone,) = by_id.values()
    assert (gone["state"], gone["uptime"], gone["hours"]) == ("terminated", 12 * 3600, pytest.approx(2))


def test_a_project_that_used_nothing_is_an_empty_object(world):
    assert world.ask("GET", MINE).json == {"tenant_usage": {}}
    assert world.admin("GET", f"{USAGES}/{NO_UUID}").json == {"tenant_usage": {}}
    assert world.admin("GET", USAGES).json == {"tenant_usages": []}


def test_lists_tell_of_servers_only_when_asked(world):
    run(world, 1)
    (brief,) = world.admin("GET", f"{USAGES}?{period(world)}").json["tenant_usages"]
    assert "server_usages" not in brief
    for detailed, shown in (("1", True), ("0", False), ("junk", False)):
        answer = world.admin("GET", f"{USAGES}?{period(world)}&detailed={detailed}")
        assert ("server_usages" in answer.json["tenant_usages"][0]) is shown


def test_pages_since_2_40(world):
    theirs = run(world, 1, project_id=OTHER)
    mine = run(world, 1)
    assert PROJECT < OTHER
    path = f"{USAGES}?{period(world)}&limit=1"
    assert "tenant_usages_links" not in world.admin("GET", path, version="2.39").json
    assert len(world.admin("GET", path, version="2.39").json["tenant_usages"]) == 2
    seen = []
    while path:
        page = world.admin("GET", path, version="2.40").json
        seen += [usage["tenant_id"] for usage in page["tenant_usages"]]
        links = page.get("tenant_usages_links")
        path = links and links[0]["href"].partition("/v2.1")[2]
        path = path and f"/v2.1{path}"
    assert seen == [PROJECT, OTHER]
    one = world.ask("GET", f"{MINE}?{period(world)}&limit=1", version="2.40").json
    assert one["tenant_usage_links"][0]["href"].endswith(f"marker={mine.uuid}")
    after = world.admin("GET", f"{USAGES}?{period(world)}&marker={theirs.uuid}", version="2.40")
    assert after.json == {"tenant_usages": []}


@pytest.mark.parametrize(
    ("query", "old", "new"),
    [
        ("start=junk", 400, 400),
        ("end=2020-01-01", 400, 400),
        ("start=2020-01-01 00:00:00", 400, 400),
        ("start=2020-01-01 00:00:00.0", 200, 200),
        ("start=2020-01-01T00:00:00.5", 200, 200),
        ("start=2020-01-02T00:00:00&end=2020-01-01T00:00:00", 400, 400),
        ("start=2020-01-01T00:00:00&end=2020-01-01T00:00:00", 400, 400),
        (f"marker={NO_UUID}", 200, 400),
        ("limit=junk", 200, 400),
        ("limit=-1", 200, 400),
        ("limit=0", 200, 200),
    ],
)
def test_queries(world, query, old, new):
    assert world.ask("GET", f"{MINE}?{query}", version="2.39").status_code == old
    assert world.ask("GET", f"{MINE}?{query}", version="2.40").status_code == new


def test_unknown_parameters_are_refused_from_2_75(world):
    for query in ("nosuch=1", "detailed=1"):
        assert world.ask("GET", f"{MINE}?{query}", version="2.74").status_code == 200
        assert world.ask("GET", f"{MINE}?{query}", version="2.75").status_code == 400


def test_who_may_see_usage(world):
    assert world.as_("reader")("GET", MINE).status_code == 200
    assert world.as_("member,reader", project=OTHER)("GET", MINE).status_code == 403
    assert world.ask("GET", USAGES).status_code == 403
    assert world.ask("GET", LOG).status_code == 403
    assert world.ask("GET", LOG + "/2019-01-01 00:00:00").status_code == 403


def test_the_audit_log_says_which_hosts_did_the_last_period(world):
    for host in ("one", "two", "three"):
        world.service(host)
    begin, end = world.services.usage.audit_log().begin, world.services.usage.audit_log().end
    for host in ("one", "two"):
        log = objects.TaskLog(
            task_name="instance_usage_audit",
            host=host,
            period_beginning=begin,
            period_ending=end,
            task_items=5,
            errors=0,
            message="begun",
        )
        world.cell.task_logs.begin(log)
        if host == "one":
            log.errors, log.message = 1, "ran"
            world.cell.task_logs.end(log)
    log = world.admin("GET", LOG).json["instance_usage_audit_logs"]
    assert log["hosts_not_run"] == ["three"]
    assert (log["num_hosts"], log["num_hosts_done"], log["num_hosts_running"]) == (3, 1, 1)
    assert log["overall_status"] == "1 of 3 hosts done. 1 errors."
    assert log["log"]["one"] == {"state": "DONE", "instances": 5, "errors": 1, "message": "ran"}
    assert (log["total_instances"], log["total_errors"]) == (10, 1)


def test_the_audit_log_of_an_earlier_period(world):
    log = world.admin("GET", LOG + "/2019-01-15 00:00:00").json["instance_usage_audit_log"]
    assert log["period_beginning"] == "2018-12-01 00:00:00"
    assert log["period_ending"] == "2019-01-01 00:00:00"
    assert log["overall_status"] == "ALL hosts done. 0 errors."
    assert world.admin("GET", LOG + "/2019-01-15 00:00:00.25").status_code == 200
    assert world.admin("GET", LOG + "/junk").status_code == 400


@pytest.mark.parametrize(("version", "status"), [("2.101", 200), ("2.102", 400)])
def test_the_audit_log_is_strict_from_2_102(world, version, status):
    assert world.admin("GET", LOG + "?nosuch=1", version=version).status_code == status
