"""Choosing and claiming: what callers get, and what stays in Placement."""

import threading
import uuid

import pytest

from openkeel import objects
from openkeel.clients import errors as service_errors
from openkeel.clients.placement.types import AllocationRequest
from openkeel.domain.errors import Invalid, NoValidHost

from .conftest import CELL1, CELL2, make_group, make_spec


def hosts_of(selections):
    return [one[0].service_host for one in selections]


def lost():
    return service_errors.Unavailable(service="Placement", status=None, code="", detail="lost")


def test_the_best_host_is_chosen_and_claimed(world):
    world.add_host("small", memory_mib=2048)
    key = world.add_host("big", memory_mib=65536)
    [uuid_], [[chosen, alternate]] = world.select(make_spec(vcpus=2))
    assert (chosen.service_host, chosen.nodename, chosen.compute_node_uuid) == ("big", "big.node", key)
    assert (chosen.cell_uuid, chosen.availability_zone) == (CELL1, "nova")
    assert chosen.allocation_request_version == "1.36"
    held = world.placement.allocations(uuid_)
    assert held.allocations == {key: {"VCPU": 2, "MEMORY_MB": 512, "DISK_GB": 1}}
    assert (held.project_id, held.user_id) == ("project", "user")
    assert AllocationRequest.from_json(chosen.allocation_request).allocations == held.allocations
    assert alternate.service_host == "small"
    assert set(world.placement.consumers()) == {uuid_}


def test_selections_survive_the_wire(world):
    world.add_host("h1")
    _, [[chosen]] = world.select(make_spec())
    again = objects.Selection.obj_from_primitive(chosen.obj_to_primitive())
    assert again.service_host == "h1"
    assert again.limits.vcpu is None


def test_old_callers_get_dictionaries(world):
    world.add_host("h1")
    spec = make_spec(instance_uuid=str(uuid.uuid4()))
    assert world.endpoint().select_destinations(None, spec_obj=spec) == [
        {"host": "h1", "nodename": "h1.node", "limits": {}}
    ]
    with pytest.raises(Invalid):
        world.endpoint().select_destinations(None)


def test_many_servers_spread_over_hosts_by_what_they_take(world):
    world.add_host("a")
    world.add_host("b")
    _, selections = world.select(make_spec(memory_mib=4096), count=4, alternates=False)
    assert sorted(hosts_of(selections)) == ["a", "a", "b", "b"]


def test_alternates_are_unclaimed_in_the_same_cell_and_chosen_for_nobody(world):
    for name in ("a", "b", "c", "d"):
        world.add_host(name)
    world.add_host("far", cell_uuid=CELL2)
    uuids, selections = world.select(make_spec(), count=2)
    chosen = set(hosts_of(selections))
    assert set(world.placement.consumers()) == set(uuids)
    for first, *alternates in selections:
        assert len(alternates) <= 2
        assert not chosen & {one.service_host for one in alternates}
        assert {one.cell_uuid for one in alternates} <= {first.cell_uuid}
        for one in alternates:
            assert set(AllocationRequest.from_json(one.allocation_request).allocations) == {
                one.compute_node_uuid
            }


def test_there_are_as_many_alternates_as_further_attempts(world):
    for number in range(6):
        world.add_host(f"h{number}")
    for attempts, expected in ((1, 0), (2, 1), (5, 4)):
        world.conf.set_override("max_attempts", attempts, group="scheduler")
        _, [[_, *alternates]] = world.select(make_spec())
        assert len(alternates) == expected


def test_no_room_says_what_was_looked_for(world):
    world.add_host("h1", vcpus=1)
    with pytest.raises(NoValidHost, match="No host has room for 1 DISK_GB, 512 MEMORY_MB, 4 VCPU"):
        world.select(make_spec(vcpus=4))


def test_a_refusal_counts_hosts_by_filter_and_names_none(world):
    world.add_host("secret-1", silent_s=600)
    world.add_host("secret-2", forced_down=True)
    world.add_host("secret-3", disabled=True)
    world.add_host("secret-4", supported_hv_specs=[])
    with pytest.raises(NoValidHost) as caught:
        world.select(make_spec(image={"hw_architecture": "x86_64"}))
    text = str(caught.value)
    assert "Of 4 hosts with room" in text
    assert "ComputeFilter refused 2 because service is down, 1 because service is disabled" in text
    assert "ImagePropertiesFilter refused 1 because image properties are not supported" in text
    assert "secret" not in text
    assert world.placement.consumers() == {}


def test_a_trait_placement_does_not_know_finds_no_host(world):
    world.add_host("h1")
    with pytest.raises(NoValidHost, match="CUSTOM_UNKNOWN"):
        world.select(make_spec(extra_specs={"trait:CUSTOM_UNKNOWN": "required"}))


def test_a_host_disabled_in_placement_is_no_candidate(world):
    world.add_host("off", traits=["COMPUTE_STATUS_DISABLED"])
    world.add_host("on", memory_mib=2048)
    _, selections = world.select(make_spec())
    assert hosts_of(selections) == ["on"]


def test_candidates_that_are_no_compute_nodes_are_left_out(world):
    world.placement.add_host(str(uuid.uuid4()), "stranger", memory_mib=99999)
    with pytest.raises(NoValidHost, match="known to a cell"):
        world.select(make_spec())
    world.add_host("h1")
    _, selections = world.select(make_spec())
    assert hosts_of(selections) == ["h1"]


def test_zones_bound_the_hosts_and_are_told(world):
    world.add_host("big", memory_mib=65536)
    world.add_host("inside", memory_mib=2048)
    world.add_aggregate("zone", ["inside"], availability_zone="az1")
    _, [[chosen, *alternates]] = world.select(make_spec(availability_zone="az1"))
    assert (chosen.service_host, chosen.availability_zone, alternates) == ("inside", "az1", [])


# Claims


def test_a_refused_claim_moves_on_to_the_next_host(world):
    world.add_host("first", memory_mib=65536)
    world.add_host("second")
    taken = service_errors.Conflict(service="Placement", status=409, code="", detail="taken")
    world.placement.faults.fail("claim", taken)
    _, [[chosen, *alternates]] = world.select(make_spec())
    assert (chosen.service_host, alternates) == ("second", [])


def test_when_all_claims_are_refused_the_reason_says_so(world):
    world.add_host("a")
    world.add_host("b")
    taken = service_errors.Conflict(service="Placement", status=409, code="", detail="taken")
    world.placement.faults.fail("claim", taken, times=2)
    with pytest.raises(NoValidHost, match="Placement refused 2 because its room was taken meanwhile"):
        world.select(make_spec())


def test_too_few_hosts_for_all_leaves_nothing_claimed(world):
    world.add_host("a", vcpus=2)
    with pytest.raises(NoValidHost):
        world.select(make_spec(vcpus=1), count=3)
    assert world.placement.consumers() == {}


@pytest.mark.parametrize("after", [False, True])
def test_a_lost_answer_leaves_nothing_claimed(world, after):
    world.add_host("a")
    world.add_host("b")
    endpoint = world.endpoint()
    world.placement.faults.fail("claim", lost(), after=after)
    with pytest.raises(service_errors.Unavailable):
        world.select(make_spec(), count=2, endpoint=endpoint)
    assert world.placement.consumers() == {}


def test_placement_down_is_said_so(world):
    world.placement.faults.fail("allocation_candidates", lost())
    with pytest.raises(service_errors.Unavailable):
        world.select(make_spec())


def test_resources_of_another_delivery_are_not_taken_away(world):
    first, second = world.add_host("a"), world.add_host("b", memory_mib=65536)
    who = str(uuid.uuid4())
    mine = AllocationRequest(allocations={first: {"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 1}})
    world.placement.claim(who, mine, "project", "user")
    with pytest.raises(NoValidHost, match="already"):
        world.endpoint().select_destinations(
            None, spec_obj=make_spec(), instance_uuids=[who], return_objects=True, return_alternates=True
        )
    assert set(world.placement.allocations(who).allocations) == {first}
    assert second not in world.placement.allocations(who).allocations


def test_sixteen_at_once_never_take_more_than_there_is(world):
    for number in range(4):
        world.add_host(f"h{number}", vcpus=2)
    endpoint = world.endpoint()
    world.conf.set_override("max_attempts", 1, group="scheduler")
    outcomes = []
    start = threading.Barrier(16)

    def run():
        start.wait()
        try:
            _, selections = world.select(make_spec(), endpoint=endpoint)
            outcomes.append(hosts_of(selections)[0])
        except NoValidHost:
            outcomes.append(None)

    threads = [threading.Thread(target=run) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    placed = [one for one in outcomes if one]
    assert sorted(placed) == ["h0", "h0", "h1", "h1", "h2", "h2", "h3", "h3"]
    assert len(world.placement.consumers()) == 8


# Where a request wants to go


def test_a_forced_host_is_taken_though_filters_would_refuse(world):
    world.add_host("forced", silent_s=600)
    world.add_host("other", memory_mib=65536)
    _, [[chosen, *alternates]] = world.select(make_spec(force_hosts=["forced"]))
    assert (chosen.service_host, alternates) == ("forced", [])


def test_a_forced_host_that_is_not_there_is_said_so(world):
    world.add_host("other")
    for values in ({"force_hosts": ["absent"]}, {"force_nodes": ["absent"]}):
        with pytest.raises(NoValidHost, match="does not exist"):
            world.select(make_spec(**values))


def test_a_requested_destination_is_filtered_but_goes_nowhere_else(world):
    world.add_host("here")
    world.add_host("other", memory_mib=65536)
    destination = objects.Destination(host="here", node="here.node")
    _, selections = world.select(make_spec(requested_destination=destination))
    assert hosts_of(selections) == ["here"]
    world.reads.records[0].service.disabled = True
    with pytest.raises(NoValidHost, match="ComputeFilter"):
        world.select(make_spec(requested_destination=destination))


def test_a_cell_can_be_requested(world):
    world.add_host("near", cell_uuid=CELL1)
    world.add_host("far", cell_uuid=CELL2, memory_mib=65536)
    destination = objects.Destination(cell=objects.CellMapping(uuid=CELL1))
    _, selections = world.select(make_spec(requested_destination=destination))
    assert hosts_of(selections) == ["near"]


def test_ignored_and_tried_hosts_are_left_out(world):
    world.add_host("ignored", memory_mib=65536)
    world.add_host("tried", memory_mib=65536)
    world.add_host("rest")
    tried = objects.ComputeNode(host="tried", hypervisor_hostname="tried.node")
    retry = objects.SchedulerRetries(num_attempts=1, hosts=objects.ComputeNodeList(objects=[tried]))
    _, [[chosen, *alternates]] = world.select(make_spec(ignore_hosts=["ignored"], retry=retry))
    assert (chosen.service_host, alternates) == ("rest", [])


# Server groups


def test_members_of_an_anti_affinity_group_come_apart_even_in_one_request(world):
    for name in ("a", "b", "c"):
        world.add_host(name)
    _, selections = world.select(make_spec(instance_group=make_group("anti-affinity")), count=3)
    assert sorted(hosts_of(selections)) == ["a", "b", "c"]
    with pytest.raises(NoValidHost, match="ServerGroupAntiAffinityFilter refused 3"):
        world.select(make_spec(instance_group=make_group("anti-affinity")), count=4)


def test_members_of_an_affinity_group_come_together(world):
    world.add_host("a")
    world.add_host("b")
    _, selections = world.select(make_spec(memory_mib=4096, instance_group=make_group("affinity")), count=3)
    assert len(set(hosts_of(selections))) == 1


def test_present_members_are_found_in_the_cells(world):
    world.add_host("a", memory_mib=65536)
    world.add_host("b")
    group = make_group("affinity")
    world.reads.groups[group.uuid] = ["member"]
    world.reads.places["member"] = "b"
    _, selections = world.select(make_spec(instance_group=group))
    assert hosts_of(selections) == ["b"]


def test_what_computes_tell_spares_the_question_to_the_cells(world):
    world.add_host("a", memory_mib=65536)
    world.add_host("b")
    endpoint = world.endpoint()
    group = make_group("anti-affinity", members=[str(uuid.UUID(int=5))])
    told = objects.InstanceList(objects=[objects.Instance(uuid=str(uuid.UUID(int=5)))])
    endpoint.update_instance_info(None, "a", told)
    _, selections = world.select(make_spec(instance_group=group), endpoint=endpoint)
    assert hosts_of(selections) == ["b"]
    endpoint.delete_instance_info(None, "a", str(uuid.UUID(int=5)))
    _, selections = world.select(make_spec(instance_group=group), endpoint=endpoint)
    assert hosts_of(selections) == ["a"]
    endpoint.sync_instance_info(None, "a", [str(uuid.UUID(int=5))])
    _, selections = world.select(make_spec(instance_group=group), endpoint=endpoint)
    assert hosts_of(selections) == ["b"]


def test_the_scheduler_remembers_its_own_choices_of_a_group(world):
    world.add_host("a", memory_mib=65536)
    world.add_host("b")
    endpoint, group = world.endpoint(), make_group("anti-affinity")
    [first], selections = world.select(make_spec(instance_group=group), endpoint=endpoint)
    assert hosts_of(selections) == ["a"]
    world.reads.groups[group.uuid] = [first]
    _, selections = world.select(make_spec(instance_group=group), endpoint=endpoint)
    assert hosts_of(selections) == ["b"]


# Hints about other servers


@pytest.mark.parametrize(
    ("hints", "host"),
    [
        ({"same_host": ["here"]}, "b"),
        ({"different_host": ["here"]}, "a"),
        ({"different_host": ["here", "gone"]}, "a"),
        ({"same_host": ["gone", "there"]}, "a"),
        ({"different_host": ["gone"]}, "a"),
    ],
)
def test_hints_name_servers_to_be_with_or_without(world, hints, host):
    world.add_host("a", memory_mib=65536)
    world.add_host("b")
    world.reads.places.update(here="b", there="a")
    enable(world, "SameHostFilter", "DifferentHostFilter")
    _, selections = world.select(make_spec(scheduler_hints=hints))
    assert hosts_of(selections) == [host]


def test_hints_that_no_host_meets_say_so(world):
    world.add_host("a")
    world.reads.places["here"] = "a"
    enable(world, "SameHostFilter", "DifferentHostFilter")
    with pytest.raises(NoValidHost, match="DifferentHostFilter refused 1"):
        world.select(make_spec(scheduler_hints={"different_host": ["here"]}))
    with pytest.raises(NoValidHost, match="SameHostFilter refused 1"):
        world.select(make_spec(scheduler_hints={"same_host": ["gone"]}))


def test_a_server_of_a_group_may_name_others_too(world):
    for name in ("a", "b", "c"):
        world.add_host(name)
    group = make_group("anti-affinity")
    world.reads.groups[group.uuid] = ["member"]
    world.reads.places.update(member="a", here="b")
    enable(world, "ServerGroupAntiAffinityFilter", "DifferentHostFilter")
    hints = {"different_host": ["here"]}
    _, selections = world.select(make_spec(instance_group=group, scheduler_hints=hints))
    assert hosts_of(selections) == ["c"]


def enable(world, *filters):
    world.conf.set_override("enabled_filters", list(filters), group="filter_scheduler")


# Reads


@pytest.mark.parametrize("number_of_hosts", [1, 12])
def test_questions_do_not_grow_with_hosts_or_servers(world, number_of_hosts):
    for number in range(number_of_hosts):
        world.add_host(f"h{number}")
    world.select(make_spec(), count=3)
    assert world.reads.asked == ["aggregates", "nodes"]


def test_aggregates_are_known_as_casts_tell_them(world):
    world.add_host("a")
    endpoint = world.endpoint()
    world.select(make_spec(), endpoint=endpoint)
    zone = objects.Aggregate(
        uuid=str(uuid.uuid4()), name="zone", hosts=["a"], metadata={"availability_zone": "az7"}
    )
    endpoint.update_aggregates(None, [zone])
    _, [[chosen]] = world.select(make_spec(), endpoint=endpoint)
    assert chosen.availability_zone == "az7"
    endpoint.delete_aggregate(None, zone)
    _, [[chosen]] = world.select(make_spec(), endpoint=endpoint)
    assert chosen.availability_zone == "nova"
    assert world.reads.asked.count("aggregates") == 1
