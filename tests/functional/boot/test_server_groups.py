"""Servers of groups find their hosts: scheduler, conductor and computes together."""

import pytest

from tests.fixtures.cloud import NODES

GROUPS = "/v2.1/os-server-groups"


def group(cloud, policy, **rules):
    body = {"name": policy, "policy": policy} | ({"rules": rules} if rules else {})
    answer = cloud.member("POST", GROUPS, {"server_group": body})
    assert answer.status_code == 200, answer.text
    return answer.json["server_group"]["id"]


def members(cloud, group_uuid):
    return cloud.member("GET", f"{GROUPS}/{group_uuid}").json["server_group"]["members"]


def where(cloud, *uuids):
    return [cloud.guests()[uuid] for uuid in uuids]


def test_together_and_apart(cloud):
    for policy, hosts in (("affinity", 1), ("anti-affinity", 2)):
        one = group(cloud, policy)
        servers = [cloud.booted(hints={"group": one}) for _ in NODES]
        assert len(set(where(cloud, *servers))) == hosts, policy
        assert members(cloud, one) == servers
        assert cloud.show(servers[0])["server_groups"] == [one]
        for uuid in servers:
            cloud.delete(uuid)
            cloud.gone(uuid)
        assert members(cloud, one) == []


def test_many_at_once_are_spread_until_no_host_is_left(cloud):
    one = group(cloud, "anti-affinity")
    answer = cloud.create("many", hints={"group": one}, min_count=2, max_count=2)
    first = answer.json["server"]["id"]
    servers = members(cloud, one)
    assert first in servers
    for uuid in servers:
        cloud.settled(uuid, "ACTIVE")
    assert sorted(where(cloud, *servers)) == list(NODES)
    third = cloud.boot("third", hints={"group": one})
    assert "ServerGroupAntiAffinityFilter" in cloud.settled(third, "ERROR")["fault"]["message"]


def test_a_rule_allows_more_per_host(cloud):
    one = group(cloud, "anti-affinity", max_server_per_host=2)
    servers = [cloud.booted(hints={"group": one}) for _ in range(4)]
    assert sorted(where(cloud, *servers)) == sorted(NODES * 2)


def test_a_wish_to_be_apart_is_granted_while_there_is_room(cloud):
    one = group(cloud, "soft-anti-affinity")
    servers = [cloud.booted(hints={"group": one}) for _ in range(3)]
    assert set(where(cloud, *servers[:2])) == set(NODES)


def test_a_wish_to_be_together_counts_as_much_as_its_multiplier_says(cloud):
    """By default free memory, processors and disk together outweigh it. Contract: the weighers' options."""
    cloud.scheduler.settings["filter_scheduler.soft_affinity_weight_multiplier"] = 10.0
    cloud.scheduler.stop()
    cloud.scheduler.start()
    one = group(cloud, "soft-affinity")
    servers = [cloud.booted(hints={"group": one}) for _ in range(3)]
    assert len(set(where(cloud, *servers))) == 1


@pytest.fixture
def blind(cloud):
    """A scheduler that does not look at groups: as if two decided at once."""
    cloud.scheduler.settings["filter_scheduler.enabled_filters"] = ["ComputeFilter"]
    cloud.scheduler.stop()
    cloud.scheduler.start()
    return cloud


def test_a_host_that_must_not_take_a_member_hands_it_on(blind):
    one = group(blind, "anti-affinity")
    first, second = (blind.booted(hints={"group": one}) for _ in NODES)
    assert set(where(blind, first, second)) == set(NODES)


def test_a_forced_host_that_breaks_the_policy_is_an_error(blind):
    one = group(blind, "affinity")
    first = blind.booted(hints={"group": one})
    other = next(node for node in NODES if node != blind.guests()[first])
    # The administrator forces the host, in the project of the group.
    second = blind.boot(hints={"group": one}, availability_zone=f"nova:{other}", who=blind.admin)
    assert blind.settled(second, "ERROR")["fault"]["code"] == 500
    assert second not in blind.guests()


def test_the_second_look_can_be_turned_off(blind):
    for compute in blind.computes.values():
        compute.settings["workarounds.disable_group_policy_check_upcall"] = True
        compute.restart()
    one = group(blind, "affinity")
    first = blind.booted(hints={"group": one})
    other = next(node for node in NODES if node != blind.guests()[first])
    second = blind.booted(hints={"group": one}, availability_zone=f"nova:{other}", who=blind.admin)
    assert where(blind, second) == [other]


def test_a_group_deleted_meanwhile_binds_nobody(cloud):
    one = group(cloud, "anti-affinity")
    cloud.conductor.stop()
    uuids = [cloud.boot(hints={"group": one}) for _ in range(3)]
    assert cloud.member("DELETE", f"{GROUPS}/{one}").status_code == 204
    cloud.conductor.start()
    for uuid in uuids:
        cloud.settled(uuid, "ACTIVE")
