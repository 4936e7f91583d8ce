"""The hint `group` of a boot: who may name a group, how many it takes, and what a failed boot leaves."""

from openkeel import objects
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import DOWN
from tests.functional.api.conftest import NO_UUID

GROUP = "aaaaaaaa-0000-4000-8000-000000000001"


def group(world, project=PROJECT):
    one = objects.InstanceGroup(
        uuid=GROUP, name="g", project_id=project, user_id="user", policy="affinity", members=[]
    )
    world.cells.api.instance_groups.create(one)
    return one


def ask(world, who=None, uuid=GROUP, **more):
    body = world.body(**more) | {"os:scheduler_hints": {"group": uuid}}
    return (who or world.member)("POST", "/v2.1/servers", body, version="2.104")


def members(world):
    return list(world.cells.api.instance_groups.get(GROUP).members)


def test_a_server_joins_the_group_it_names(world):
    world.conductor.waits = True
    group(world)
    answer = ask(world)
    assert answer.status_code == 202
    assert members(world) == [answer.json["server"]["id"]]
    spec = world.conductor.orders[0][1]["request_specs"][0]
    assert (spec.instance_group.uuid, spec.instance_group.policy) == (GROUP, "affinity")
    kept = world.cells.api.request_specs.get(members(world)[0])
    assert kept.instance_group.uuid == GROUP


def test_unknown_and_foreign_groups_are_refused_alike(world):
    assert ask(world, uuid=NO_UUID).status_code == 400
    group(world, project="another")
    assert ask(world).status_code == 400
    assert members(world) == []
    assert ask(world, world.admin).status_code == 202


def test_a_group_takes_as_many_servers_of_a_user_as_his_quota_says(world):
    world.conductor.waits = True
    world.cells.api.quotas.create_limit(PROJECT, "server_group_members", 3)
    group(world)
    assert ask(world, min_count=2).status_code == 202
    assert ask(world, min_count=2).status_code == 403
    assert len(members(world)) == 2
    assert ask(world).status_code == 202
    assert ask(world).status_code == 403


def test_a_boot_that_cannot_be_sent_leaves_no_member(world):
    group(world)
    world.conductor.broker = DOWN
    assert ask(world).status_code == 503
    assert members(world) == []
