"""The host's second look at the policy of a server's group."""

import uuid as uuids

import pytest

from openkeel import objects
from openkeel.domain.states import TaskState, VMState

FRESH = (VMState.BUILDING, TaskState.SCHEDULING)


def group(world, policy, *members, **rules):
    one = objects.InstanceGroup(
        uuid=str(uuids.uuid4()),
        policy=policy,
        members=[member.uuid for member in members],
        _rules={name: str(value) for name, value in rules.items()},
    )
    world.stores.groups.add(one)
    return one


def build(world, instance, one):
    hints = {"group": [one.uuid]}
    retry = {"num_attempts": 1, "hosts": [["node-1", "node-1"]]}
    world.build(instance, filter_properties={"retry": retry, "scheduler_hints": hints})


def test_a_second_member_that_must_be_elsewhere_is_sent_on(world):
    first, second = world.booted(), world.server()
    build(world, second, group(world, "anti-affinity", first, second))
    assert world.states(second) == FRESH
    assert world.row(second).host is None
    assert len(world.conductor.handed_back) == 1
    assert list(world.hypervisor.guests) == [first.uuid]
    assert second.uuid not in world.placement.consumers()


def test_a_host_takes_as_many_members_as_the_rule_says(world):
    members = [world.server() for _ in range(3)]
    one = group(world, "anti-affinity", *members, max_server_per_host=2)
    for member in members:
        build(world, member, one)
    assert [world.row(member).vm_state for member in members] == ["active", "active", "building"]


def test_members_that_wait_for_their_turn_do_not_chase_each_other_away(world):
    """Their rows name the host from the start: still one of them must get it."""
    members = [world.server(), world.server()]
    one = group(world, "anti-affinity", *members)
    world.tasks.queued = []
    for member in members:
        build(world, member, one)
    world.tasks.run_queued()
    assert [world.row(member).vm_state for member in members] == ["active", "building"]


def test_a_member_on_its_way_here_counts(world):
    elsewhere = world.server(host="node-2", vm_state="active", task_state="migrating", allocated=False)
    world.stores.migrations.rows.append(
        objects.Migration(instance_uuid=elsewhere.uuid, dest_compute="node-1", status="running")
    )
    second = world.server()
    build(world, second, group(world, "anti-affinity", elsewhere, second))
    assert world.states(second) == FRESH


def test_a_member_that_must_join_the_others_is_sent_to_them(world):
    first = world.server(host="node-2", vm_state="active", task_state=None, allocated=False)
    second = world.server()
    build(world, second, group(world, "affinity", first, second))
    assert world.states(second) == FRESH


def test_the_first_member_goes_anywhere(world):
    first = world.server()
    build(world, first, group(world, "affinity", first))
    assert world.states(first) == (VMState.ACTIVE, None)


@pytest.mark.parametrize("policy", ["soft-affinity", "soft-anti-affinity"])
def test_wishes_bind_nobody(world, policy):
    first, second = world.booted(), world.server()
    elsewhere = world.server(host="node-2", vm_state="active", task_state=None, allocated=False)
    build(world, second, group(world, policy, first, second, elsewhere))
    assert world.states(second) == (VMState.ACTIVE, None)


def test_a_group_that_is_gone_binds_nobody(world):
    first, second = world.booted(), world.server()
    one = group(world, "anti-affinity", first, second)
    del world.stores.groups.rows[one.uuid]
    build(world, second, one)
    assert world.states(second) == (VMState.ACTIVE, None)


def test_the_look_can_be_turned_off(world):
    first, second = world.booted(), world.server()
    world.start(checks_group_policy=False)
    build(world, second, group(world, "anti-affinity", first, second))
    assert world.states(second) == (VMState.ACTIVE, None)


def test_without_another_host_the_owner_learns_of_the_policy(world):
    first, second = world.booted(), world.server()
    one = group(world, "anti-affinity", first, second)
    world.build(second, filter_properties={"scheduler_hints": {"group": one.uuid}})
    assert world.states(second) == (VMState.ERROR, None)
    assert "anti-affinity" in world.stores.faults.of(second.uuid).message
