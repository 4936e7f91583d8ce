"""Limits, and the quota behind them. Golden: recordings versions-project-in-url, quotas-enforced."""

import pytest

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain.errors import OverQuota
from openkeel.services.quota import QuotaService, QuotaSettings
from tests.fixtures.api_client import PROJECT
from tests.fixtures.db import new_instance
from tests.functional.api.conftest import OTHER


def pending(world, **values):
    """A server that the API has recorded and no cell has yet."""
    server = new_instance(project_id=PROJECT, **values)
    world.cells.api.create_build(
        objects.RequestSpec(
            instance_uuid=server.uuid,
            flavor=server.flavor,
            num_instances=1,
            project_id=PROJECT,
            user_id=server.user_id,
        ),
        objects.BuildRequest(
            instance_uuid=server.uuid,
            project_id=PROJECT,
            instance=server,
            block_device_mappings=objects.BlockDeviceMappingList(objects=[]),
            tags=objects.TagList(objects=[]),
        ),
        objects.InstanceMapping(
            instance_uuid=server.uuid,
            project_id=PROJECT,
            user_id=server.user_id,
            cell_mapping=None,
            queued_for_delete=False,
        ),
    )
    return server


def context(user="user"):
    return Context(user, PROJECT, roles=["member"])


NEW = {
    "maxTotalCores",
    "maxTotalInstances",
    "maxTotalKeypairs",
    "maxServerMeta",
    "maxTotalRAMSize",
    "maxServerGroups",
    "maxServerGroupMembers",
    "totalRAMUsed",
    "totalCoresUsed",
    "totalInstancesUsed",
    "totalServerGroupsUsed",
}
NETWORK = {
    "maxTotalFloatingIps",
    "maxSecurityGroups",
    "maxSecurityGroupRules",
    "totalFloatingIpsUsed",
    "totalSecurityGroupsUsed",
}


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2.1", NETWORK | {"maxImageMeta", "maxPersonality", "maxPersonalitySize"}),
        ("2.36", {"maxImageMeta", "maxPersonality", "maxPersonalitySize"}),
        ("2.39", {"maxPersonality", "maxPersonalitySize"}),
        ("2.57", set()),
    ],
)
def test_limits_lose_names_over_time(world, version, more):
    limits = world.ask("GET", "/v2.1/limits", version=version).json["limits"]
    assert limits["rate"] == []
    assert set(limits["absolute"]) == NEW | more


def test_limits_tell_what_is_set_and_used(world):
    world.server(vcpus=2, memory_mb=100)
    world.server(vcpus=1, memory_mb=50, vm_state="error")
    world.server(vcpus=1, memory_mb=50, vm_state="soft-delete")
    world.server(project_id=OTHER)
    world.cells.api.quotas.set_class("default", {"cores": 40, "ram": 1})
    world.cells.api.quotas.set_project(PROJECT, {"ram": 2})
    absolute = world.ask("GET", "/v2.1/limits").json["limits"]["absolute"]
    assert (absolute["maxTotalInstances"], absolute["maxTotalCores"], absolute["maxTotalRAMSize"]) == (
        10,
        40,
        2,
    )
    assert (absolute["totalInstancesUsed"], absolute["totalCoresUsed"], absolute["totalRAMUsed"]) == (
        2,
        3,
        150,
    )


def test_limits_of_another_project_are_for_administrators(world):
    path = f"/v2.1/limits?tenant_id={OTHER}"
    world.server(project_id=OTHER)
    assert world.ask("GET", path).status_code == 403
    assert world.admin("GET", path).json["limits"]["absolute"]["totalInstancesUsed"] == 1
    assert world.ask("GET", f"/v2.1/limits?tenant_id={PROJECT}").status_code == 403
    assert world.ask("GET", "/v2.1/limits?nosuch=1").status_code == 200
    assert world.ask("GET", "/v2.1/limits?nosuch=1", version="2.75").status_code == 400


def test_a_check_counts_servers_everywhere_and_on_their_way(world):
    world.cells.api.quotas.set_project(PROJECT, {"instances": 3})
    world.server()
    world.server(world.cells.cell0(), vm_state="error")
    world.quota.check(context(), {"instances": 1, "cores": 1, "ram": 1})
    pending(world)
    with pytest.raises(OverQuota) as refusal:
        world.quota.check(context(), {"instances": 1, "cores": 1, "ram": 1})
    assert refusal.value.facts["overs"] == ["instances"]
    assert refusal.value.facts["usages"] == {"instances": 3}
    assert refusal.value.facts["quotas"] == {"instances": 3}


def test_a_server_on_its_way_into_a_cell_counts_once(world):
    """Its row is there before the mapping says so."""
    moving = pending(world)
    world.cell.instances.create(moving)
    project, user = world.quota.usage(PROJECT, moving.user_id)
    assert (project.instances, user.instances) == (1, 1)


def test_a_server_that_enters_a_cell_while_it_is_counted_is_not_missed(world, monkeypatch):
    moving = pending(world)
    scatter = world.cells.scatter

    def move_first(function, cells, timeout_s):
        world.cell.instances.create(moving)
        world.cells.api.instance_mappings.map_to_cell(moving.uuid, world.cell.mapping.uuid)
        return scatter(function, cells, timeout_s)

    monkeypatch.setattr(world.cells, "scatter", move_first)
    assert world.quota.usage(PROJECT)[0].instances == 1

    late = pending(world)

    def move_after(function, cells, timeout_s):
        answers = scatter(function, cells, timeout_s)
        world.cell.instances.create(late)
        world.cells.api.instance_mappings.map_to_cell(late.uuid, world.cell.mapping.uuid)
        return answers

    monkeypatch.setattr(world.cells, "scatter", move_after)
    assert world.quota.usage(PROJECT)[0].instances == 2


def test_all_that_is_exceeded_is_named(world):
    world.cells.api.quotas.set_project(PROJECT, {"instances": 0, "cores": 1, "ram": 10})
    with pytest.raises(OverQuota) as refusal:
        world.quota.check(context(), {"instances": 1, "cores": 2, "ram": 10})
    assert refusal.value.facts["overs"] == ["cores", "instances"]


def test_users_may_have_less_than_their_project(world):
    world.cells.api.quotas.set_user(PROJECT, "user", {"instances": 1})
    world.server(user_id="user")
    with pytest.raises(OverQuota):
        world.quota.check(context(), {"instances": 1})
    world.quota.check(context("else"), {"instances": 1})


def test_a_recheck_is_lost_by_who_was_recorded_last(world):
    world.cells.api.quotas.set_project(PROJECT, {"instances": 2})
    first = world.server()
    pending(world)
    last = world.server()
    world.quota.recheck(PROJECT, "user", [first.uuid])
    with pytest.raises(OverQuota):
        world.quota.recheck(PROJECT, "user", [last.uuid])


def test_one_request_may_not_hold_too_much(world):
    world.quota.check_limits(context(), {"metadata_items": 128})
    with pytest.raises(OverQuota) as refusal:
        world.quota.check_limits(context(), {"metadata_items": 129, "injected_files": 5})
    assert refusal.value.facts["overs"] == ["metadata_items"]


def test_without_enforcement_everything_fits(world):
    quota = QuotaService(world.cells, QuotaSettings(is_enforced=False))
    quota.check(context(), {"instances": 10**6})
    quota.check_limits(context(), {"metadata_items": 10**6})
