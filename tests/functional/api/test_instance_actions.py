"""Instance actions. Golden: recordings instance-actions, server-delete."""

from datetime import timedelta

import pytest

from openkeel.common.context import Context
from openkeel.domain.host_ids import host_id
from tests.fixtures.api_client import PROJECT
from tests.functional.api.conftest import NO_UUID, OTHER


@pytest.fixture
def server(world):
    server = world.server()
    for name, request_id in (("create", "req-1"), ("stop", "req-2"), ("start", "req-3")):
        ctx = Context("user", PROJECT, roles=["member"], request_id=request_id)
        world.cell.actions.start(ctx, server.uuid, name)
        world.cell.actions.event_start(ctx, server.uuid, f"compute_{name}", "one")
        error = ValueError("it broke") if name == "stop" else None
        world.cell.actions.event_finish(ctx, server.uuid, f"compute_{name}", error=error)
    return server


def listed(world, server, query="", version="2.58", ask=None):
    answer = (ask or world.ask)(
        "GET", f"/v2.1/servers/{server.uuid}/os-instance-actions{query}", version=version
    )
    if answer.status_code != 200:
        return answer.status_code
    return [one["action"] for one in answer.json["instanceActions"]]


def test_actions_are_listed_newest_first(world, server):
    path = f"/v2.1/servers/{server.uuid}/os-instance-actions"
    old = world.ask("GET", path, version="2.57").json["instanceActions"]
    new = world.ask("GET", path, version="2.58").json["instanceActions"]
    assert [one["action"] for one in old] == ["start", "stop", "create"]
    assert set(old[0]) == {
        "action",
        "instance_uuid",
        "request_id",
        "user_id",
        "project_id",
        "start_time",
        "message",
    }
    assert set(new[0]) == set(old[0]) | {"updated_at"}
    assert old[1]["message"] == "Error"


def test_actions_are_paged_since_2_58(world, server):
    assert listed(world, server, "?limit=1", "2.57") == ["start", "stop", "create"]
    assert listed(world, server, "?limit=1") == ["start"]
    assert listed(world, server, "?limit=1&marker=req-3") == ["stop"]
    assert listed(world, server, "?marker=req-1") == []
    assert listed(world, server, "?marker=nosuch") == 400
    assert listed(world, server, "?limit=0") == []
    assert listed(world, server, "?limit=junk") == 400
    path = f"/v2.1/servers/{server.uuid}/os-instance-actions?limit=1"
    link = world.ask("GET", path, version="2.58").json["links"][0]["href"]
    assert link.endswith(f"/servers/{server.uuid}/os-instance-actions?limit=1&marker=req-3")


def test_actions_are_filtered_by_time(world, server):
    later = (world.clock.now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    past = "2020-01-01T00:00:00Z"
    everything = ["start", "stop", "create"]
    assert listed(world, server, f"?changes-since={past}") == everything
    assert listed(world, server, f"?changes-since={later}") == []
    assert listed(world, server, "?changes-since=junk") == 400
    assert listed(world, server, f"?changes-before={past}", "2.65") == 400
    assert listed(world, server, f"?changes-before={past}", "2.66") == []
    assert listed(world, server, f"?changes-before={later}", "2.66") == everything
    assert listed(world, server, f"?changes-since={later}&changes-before={past}", "2.66") == 400
    assert listed(world, server, f"?changes-before={past}", "2.57") == everything


def test_events_open_up_over_time_and_by_rule(world, server):
    def shown(version, ask=world.ask):
        path = f"/v2.1/servers/{server.uuid}/os-instance-actions/req-2"
        return ask("GET", path, version=version).json["instanceAction"]

    assert "events" not in shown("2.50")
    assert set(shown("2.51")["events"][0]) == {"event", "start_time", "finish_time", "result"}
    assert set(shown("2.62")["events"][0]) == {"event", "start_time", "finish_time", "result", "hostId"}
    assert set(shown("2.104")["events"][0]) == {"event", "start_time", "finish_time", "result", "hostId"}
    admin = shown("2.84", world.admin)["events"][0]
    assert admin["result"] == "Error"
    assert (admin["host"], len(admin["hostId"])) == ("one", 56)
    assert admin["details"]
    assert "traceback" in admin
    assert "events" in shown("2.1", world.admin)
    assert "host" not in shown("2.61", world.admin)["events"][0]
    assert "details" not in shown("2.83", world.admin)["events"][0]


def test_a_host_has_the_name_that_the_project_knows_which_acted(world, server):
    ctx = Context("admin", OTHER, roles=["admin"], request_id="req-4")
    world.cell.actions.start(ctx, server.uuid, "resize")
    world.cell.actions.event_start(ctx, server.uuid, "compute_resize", "one")
    path = f"/v2.1/servers/{server.uuid}/os-instance-actions"
    mine, theirs = (
        world.ask("GET", f"{path}/{request}", version="2.104").json["instanceAction"]["events"][0]["hostId"]
        for request in ("req-1", "req-4")
    )
    assert (mine, theirs) == (host_id(PROJECT, "one"), host_id(OTHER, "one"))


def test_what_is_not_there_or_not_mine_is_not_found(world, server):
    path = f"/v2.1/servers/{server.uuid}/os-instance-actions"
    other = world.as_("admin-not,member,reader", project=OTHER)
    assert other("GET", path).status_code == 404
    assert world.ask("GET", f"{path}/nosuch").status_code == 404
    assert world.ask("GET", f"/v2.1/servers/{NO_UUID}/os-instance-actions").status_code == 404
    assert world.ask("GET", "/v2.1/servers/nosuch/os-instance-actions").status_code == 404
    assert world.as_("guest")("GET", path).status_code == 403


def test_actions_of_deleted_servers_are_readable_since_2_21(world, server):
    world.cell.instances.destroy(server)
    assert listed(world, server, version="2.20") == 404
    assert listed(world, server, version="2.21") == ["start", "stop", "create"]
