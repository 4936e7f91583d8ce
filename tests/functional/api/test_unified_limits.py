"""Limits that Keystone keeps, and usage counted in Placement. Golden: Nova with that driver."""

import pytest

from openkeel import objects
from openkeel.clients.keystone.limits import FakeKeystoneLimits
from openkeel.clients.placement.fake import FakePlacement
from openkeel.clients.placement.types import AllocationRequest
from openkeel.common.context import Context
from openkeel.domain.errors import OverQuota
from openkeel.services.keypairs import KeyPairService
from openkeel.services.limits import LimitsService
from openkeel.services.quota import QuotaService
from openkeel.services.quota_limits import UnifiedLimits
from openkeel.services.quota_sets import QuotaSetService
from openkeel.services.quota_usage import PlacementCounter
from tests.fixtures.api_client import PROJECT

SETS = f"/v2.1/os-quota-sets/{PROJECT}"
REGISTERED = {"servers": 10, "class:VCPU": 20, "class:MEMORY_MB": 51200, "server_key_pairs": 100}
HOST = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def keystone():
    return FakeKeystoneLimits(REGISTERED)


@pytest.fixture
def placement():
    placement = FakePlacement()
    placement.add_host(HOST, "one", vcpus=100, memory_mib=1 << 20)
    return placement


@pytest.fixture
def unified(world, keystone, placement):
    """The services with limits from Keystone; `needs` names what must have one."""
    world.needs = {"servers"}
    source = UnifiedLimits(keystone, lambda resource: resource in world.needs)
    world.quota = QuotaService(
        world.cells, source=source, counter=PlacementCounter(world.cells, placement, ("VCPU",))
    )
    world.services.quota_sets = QuotaSetService(world.cells, world.quota, world.keystone)
    world.services.limits = LimitsService(world.quota)
    world.services.keypairs = KeyPairService(world.cells, world.quota, world.clock)
    return world


def run(world, placement, user="user", **resources):
    """A server with an allocation."""
    server = world.server(user_id=user)
    placement.claim(server.uuid, AllocationRequest({HOST: resources}), PROJECT, user)
    return server


def context():
    return Context("user", PROJECT, roles=["member"])


def test_quota_sets_show_what_keystone_has(unified, keystone):
    keystone.projects[PROJECT] = {"servers": 7}
    limits = unified.ask("GET", SETS, version="2.104").json["quota_set"]
    assert limits == {
        "id": PROJECT,
        "instances": 7,
        "cores": 20,
        "ram": 51200,
        "key_pairs": 100,
        "metadata_items": 0,
        "server_groups": 0,
        "server_group_members": 0,
    }
    assert unified.ask("GET", SETS + "/defaults").json["quota_set"]["instances"] == 10
    assert unified.ask("GET", SETS + "?user_id=x").json["quota_set"]["instances"] == 7
    shown = unified.admin("GET", "/v2.1/os-quota-class-sets/default").json["quota_class_set"]
    assert shown["instances"] == 10
    assert unified.ask("GET", "/v2.1/limits").json["limits"]["absolute"]["maxTotalInstances"] == 7


def test_setting_limits_here_changes_nothing(unified):
    answer = unified.admin("PUT", SETS, {"quota_set": {"cores": 3}})
    assert (answer.status_code, answer.json["quota_set"]["cores"]) == (200, 20)
    body = {"quota_class_set": {"cores": 3}}
    assert (
        unified.admin("PUT", "/v2.1/os-quota-class-sets/default", body).json["quota_class_set"]["cores"] == 20
    )
    assert unified.admin("DELETE", SETS).status_code == 202
    assert unified.cells.api.quotas.of_project(PROJECT) == {}
    assert unified.cells.api.quotas.of_class() == {}


def test_usage_is_counted_in_placement(unified, placement):
    run(unified, placement, VCPU=2, MEMORY_MB=64)
    run(unified, placement, user="else", VCPU=3, MEMORY_MB=1)
    detail = unified.ask("GET", SETS + "/detail").json["quota_set"]
    assert [detail[name]["in_use"] for name in ("instances", "cores", "ram")] == [2, 5, 65]
    mine = unified.quota.usage(PROJECT, "user")[1]
    assert (mine.instances, mine.cores, mine.memory_mib) == (1, 2, 64)


def test_servers_being_deleted_are_not_in_use(unified, placement):
    server = run(unified, placement, VCPU=1)
    unified.cells.api.instance_mappings.set_queued_for_delete(server.uuid)
    assert unified.quota.usage(PROJECT)[0].instances == 0


@pytest.mark.parametrize(
    ("deltas", "over"),
    [
        ({"instances": 9}, None),
        ({"instances": 10}, "instances"),
        ({"cores": 18}, None),
        ({"cores": 19}, "cores"),
        ({"ram": 51137}, "ram"),
        ({"class:DISK_GB": 1000}, None),
    ],
)
def test_what_does_not_fit_is_refused(unified, placement, deltas, over):
    run(unified, placement, VCPU=2, MEMORY_MB=64)
    if over is None:
        unified.quota.check(context(), deltas)
    else:
        with pytest.raises(OverQuota, match=over):
            unified.quota.check(context(), deltas)


def test_what_must_have_a_limit_and_has_none_is_refused(unified, keystone):
    unified.needs = {"class:DISK_GB"}
    with pytest.raises(OverQuota, match="class:DISK_GB"):
        unified.quota.check(context(), {"class:DISK_GB": 1})
    keystone.everybody["class:DISK_GB"] = 1
    unified.quota.check(context(), {"class:DISK_GB": 1})
    del keystone.everybody["servers"]
    unified.quota.check(context(), {"instances": 1000})


def test_keypairs_are_limited_by_keystone(unified, keystone):
    body = {"keypair": {"name": "k"}}
    keystone.projects[PROJECT] = {"server_key_pairs": 0}
    assert unified.ask("POST", "/v2.1/os-keypairs", body).status_code == 403
    keystone.projects[PROJECT] = {"server_key_pairs": -1}
    assert unified.ask("POST", "/v2.1/os-keypairs", body).status_code == 200


def test_placement_may_count_for_limits_of_the_database(world, placement):
    quota = QuotaService(world.cells, counter=PlacementCounter(world.cells, placement))
    run(world, placement, VCPU=3, MEMORY_MB=64)
    assert quota.usage(PROJECT)[0].cores == 3
    with pytest.raises(OverQuota, match="cores"):
        quota.check(context(), {"instances": 1, "cores": 18, "ram": 1})


def test_a_server_is_counted_before_it_is_in_a_cell(world, placement):
    quota = QuotaService(world.cells, counter=PlacementCounter(world.cells, placement))
    world.cells.api.instance_mappings.create(
        objects.InstanceMapping(
            instance_uuid="99999999-9999-4999-8999-999999999990",
            project_id=PROJECT,
            user_id="user",
            cell_mapping=None,
            queued_for_delete=False,
        )
    )
    assert quota.usage(PROJECT, "user")[1].instances == 1
