"""What callers may rely on in Placement, for the one in memory and a real one."""

import threading
import uuid

import pytest

from openkeel.clients import errors
from openkeel.clients.placement import client as real
from openkeel.clients.placement.fake import FakePlacement
from openkeel.clients.placement.types import AllocationRequest, CandidateQuery, Inventory, ResourceGroup


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.integration)])
def placement(request):
    if request.param == "fake":
        return FakePlacement()
    return real.make_client(request.getfixturevalue("cloud").conf())


@pytest.fixture
def aggregate():
    """Keeps this test's providers apart from all others of a shared Placement."""
    return str(uuid.uuid4())


@pytest.fixture
def host(placement, aggregate):
    made = []

    def make(vcpus=4, traits=(), in_aggregate=True):
        key = str(uuid.uuid4())
        placement.ensure_provider(key, f"host-{key}")
        made.append(key)
        placement.update_provider(
            key,
            inventories={
                "VCPU": Inventory(total=vcpus),
                "MEMORY_MB": Inventory(total=4096, reserved=512),
            },
            traits=traits,
            aggregates=[aggregate] if in_aggregate else [],
        )
        return key

    yield make
    for key in made:
        placement.delete_provider(key, cascade=True)


@pytest.fixture
def query(aggregate):
    def make(vcpus=1, *, limit=None, **group):
        group.setdefault("member_of", (frozenset({aggregate}),))
        resources = {"VCPU": vcpus, "MEMORY_MB": 256}
        return CandidateQuery(groups=(ResourceGroup(resources=resources, **group),), limit=limit)

    return make


def consumer():
    return str(uuid.uuid4())


def take(host_uuid, vcpus=1):
    return AllocationRequest(allocations={host_uuid: {"VCPU": vcpus, "MEMORY_MB": 256}})


def test_candidates_are_the_hosts_with_room_and_say_what_they_have(placement, host, query):
    first, second = host(), host()
    host(vcpus=1)
    candidates = placement.allocation_candidates(query(2))
    assert set(candidates.by_root()) == {first, second}
    summary = candidates.summaries[first]
    assert (summary.resources["VCPU"].capacity, summary.resources["VCPU"].used) == (4, 0)
    assert summary.resources["MEMORY_MB"].capacity == 4096 - 512
    assert summary.root_uuid == first
    assert summary.parent_uuid is None
    assert candidates.requests[0].mappings[""][0] in {first, second}


def test_no_candidate_is_an_empty_answer(placement, host, query):
    host()
    assert placement.allocation_candidates(query(64)).requests == ()


def test_the_limit_bounds_the_candidates(placement, host, query):
    host(), host(), host()
    assert len(placement.allocation_candidates(query(limit=2)).requests) == 2


def test_traits_are_required_and_forbidden(placement, host, query):
    plain, fast = host(), host(traits=["HW_CPU_X86_AVX2"])
    avx = frozenset({"HW_CPU_X86_AVX2"})
    assert set(placement.allocation_candidates(query(required=avx)).by_root()) == {fast}
    assert set(placement.allocation_candidates(query(forbidden=avx)).by_root()) == {plain}


def test_all_aggregate_sets_must_match_and_forbidden_ones_must_not(placement, host, query, aggregate):
    one, two = host(), host()
    zone = str(uuid.uuid4())
    placement.set_aggregate_member(one, zone, member=True)
    both = (frozenset({aggregate}), frozenset({zone, str(uuid.uuid4())}))
    assert set(placement.allocation_candidates(query(member_of=both)).by_root()) == {one}
    without = query(forbidden_aggregates=frozenset({zone}))
    assert set(placement.allocation_candidates(without).by_root()) == {two}
    placement.set_aggregate_member(one, zone, member=False)
    assert placement.allocation_candidates(query(member_of=both)).requests == ()


def test_a_query_can_name_one_tree(placement, host, query):
    one = host()
    host()
    assert set(placement.allocation_candidates(query(in_tree=one)).by_root()) == {one}


def test_traits_of_the_root_are_required_and_forbidden(placement, host, query):
    on, off = host(), host(traits=["COMPUTE_STATUS_DISABLED"])
    status = frozenset({"COMPUTE_STATUS_DISABLED"})
    base = query()
    without = CandidateQuery(groups=base.groups, root_forbidden=status)
    only = CandidateQuery(groups=base.groups, root_required=status)
    assert set(placement.allocation_candidates(without).by_root()) == {on}
    assert set(placement.allocation_candidates(only).by_root()) == {off}


def test_groups_are_met_by_one_provider_each_and_mapped(placement, host, aggregate, query):
    root, port = host(), str(uuid.uuid4())
    child = str(uuid.uuid4())
    placement.ensure_provider(child, f"child-{child}", parent_uuid=root)
    placement.update_provider(
        child, inventories={"CUSTOM_KEEL_BW": Inventory(total=10)}, traits=["CUSTOM_KEEL_TRAIT"]
    )
    wanted = ResourceGroup(
        suffix=port, resources={"CUSTOM_KEEL_BW": 4}, required=frozenset({"CUSTOM_KEEL_TRAIT"})
    )
    asked = CandidateQuery(groups=(*query().groups, wanted), group_policy="none")
    [request] = placement.allocation_candidates(asked).requests
    assert request.allocations[child] == {"CUSTOM_KEEL_BW": 4}
    assert request.mappings[port] == (child,)
    assert request.mappings[""] == (root,)
    who = consumer()
    placement.claim(who, request, "project", "user")
    assert set(placement.allocations(who).allocations) == {root, child}


def test_a_trait_nobody_knows_is_refused(placement, host, query):
    host()
    with pytest.raises(errors.Rejected):
        placement.allocation_candidates(query(required=frozenset({"CUSTOM_NOBODY_KNOWS_ME_41"})))


def test_a_claim_is_seen_in_allocations_usages_and_candidates(placement, host, query):
    one, who, project = host(), consumer(), uuid.uuid4().hex
    request = placement.allocation_candidates(query(3)).requests[0]
    placement.claim(who, AllocationRequest.from_json(request.to_json()), project, "user")
    held = placement.allocations(who)
    assert held.allocations == {one: {"VCPU": 3, "MEMORY_MB": 256}}
    assert (held.project_id, held.user_id) == (project, "user")
    assert placement.usages(project) == {"VCPU": 3, "MEMORY_MB": 256}
    assert placement.usages(project, "somebody-else") == {}
    assert placement.allocations_of_provider(one) == {who: {"VCPU": 3, "MEMORY_MB": 256}}
    assert placement.allocation_candidates(query(2)).requests == ()


def test_the_same_claim_twice_is_one_claim(placement, host):
    one, who = host(), consumer()
    placement.claim(who, take(one), "project", "user")
    placement.claim(who, take(one), "project", "user")
    assert placement.allocations_of_provider(one)[who]["VCPU"] == 1


def test_a_second_claim_elsewhere_is_refused_unless_it_may_replace(placement, host):
    one, two, who = host(), host(), consumer()
    placement.claim(who, take(one), "project", "user")
    with pytest.raises(errors.ConsumerInUse):
        placement.claim(who, take(two), "project", "user")
    placement.claim(who, take(two), "project", "user", may_exist=True)
    assert set(placement.allocations(who).allocations) == {two}


def test_a_claim_that_may_exist_changes_the_owner_of_the_same_resources(placement, host):
    one, who = host(), consumer()
    placement.claim(who, take(one), "project", "user")
    placement.claim(who, take(one), "other", "somebody", may_exist=True)
    found = placement.allocations(who)
    assert (set(found.allocations), found.project_id, found.user_id) == ({one}, "other", "somebody")


def test_all_providers_are_listed_with_their_roots(placement, host):
    one, two = host(), host()
    child = str(uuid.uuid4())
    placement.ensure_provider(child, f"child-{child}", parent_uuid=one)
    found = placement.providers()
    assert {key: found[key] for key in (one, two, child)} == {one: one, two: two, child: one}


def test_a_claim_without_room_is_a_conflict_and_leaves_nothing(placement, host):
    one, who = host(), consumer()
    with pytest.raises(errors.Conflict):
        placement.claim(who, take(one, vcpus=5), "project", "user")
    assert not placement.allocations(who)


def test_a_claim_on_a_provider_that_is_gone_is_rejected(placement):
    with pytest.raises(errors.Rejected):
        placement.claim(consumer(), take(str(uuid.uuid4())), "project", "user")


def test_rivals_get_all_there_is_and_are_told_the_truth(placement, host):
    one = host(vcpus=4)
    outcomes = {}

    def run(who):
        try:
            placement.claim(who, take(one), "project", "user")
            outcomes[who] = "won"
        except errors.Conflict:
            outcomes[who] = "lost"
        except errors.ServiceError as error:
            outcomes[who] = repr(error)

    threads = [threading.Thread(target=run, args=(consumer(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes.values()) == {"lost", "won"}
    holders = {who for who in outcomes if placement.allocations(who)}
    assert holders == {who for who, outcome in outcomes.items() if outcome == "won"}
    # Nobody loses while there is room. That nobody wins beyond it is Placement's promise, and it breaks it:
    # in 4 of 70 rounds Placement 16 answered five of these eight with 204 and then showed usage 5 of 4.
    assert len(holders) == 4 if isinstance(placement, FakePlacement) else len(holders) >= 4
    with pytest.raises(errors.Conflict):
        placement.claim(consumer(), take(one), "project", "user")


def test_deleting_allocations_says_whether_there_were_any(placement, host):
    one, who = host(), consumer()
    placement.claim(who, take(one), "project", "user")
    assert placement.delete_allocations(who) is True
    assert placement.delete_allocations(who) is False
    assert not placement.allocations(who)


def test_allocations_move_whole_from_one_consumer_to_another(placement, host):
    one, source, target = host(), consumer(), consumer()
    assert placement.move_allocations(source, target) is False
    placement.claim(source, take(one), "project", "user")
    assert placement.move_allocations(source, target) is True
    assert not placement.allocations(source)
    assert placement.allocations(target).project_id == "project"
    placement.claim(source, take(one), "project", "user")
    with pytest.raises(errors.ConsumerInUse):
        placement.move_allocations(source, target)


def test_ensuring_a_provider_twice_changes_nothing_and_a_new_name_renames(placement, host):
    one = host()
    before = placement.find_provider(one)
    assert placement.ensure_provider(one, before.name).generation == before.generation
    assert placement.ensure_provider(one, f"renamed-{one}").name == f"renamed-{one}"


def test_a_name_belongs_to_one_provider(placement, host):
    taken = placement.find_provider(host()).name
    with pytest.raises(errors.Conflict):
        placement.ensure_provider(str(uuid.uuid4()), taken)


def test_an_update_writes_only_what_differs(placement, host):
    one = host(traits=["HW_CPU_X86_AVX2"])
    before = placement.find_provider(one)
    after = placement.update_provider(
        one, inventories=before.inventories, traits=before.traits, aggregates=before.aggregates
    )
    assert after == before


def test_traits_can_be_changed_without_losing_those_of_others(placement, host):
    one = host(traits=["CUSTOM_SET_BY_OPERATOR"])
    updated = placement.update_provider(one, traits=lambda present: present | {"COMPUTE_NODE"})
    assert updated.traits == {"CUSTOM_SET_BY_OPERATOR", "COMPUTE_NODE"}


def test_custom_classes_and_traits_are_made_on_the_way(placement, host):
    one = host()
    updated = placement.update_provider(
        one, inventories={"CUSTOM_KEEL_THING": Inventory(total=2)}, traits=["CUSTOM_KEEL_TRAIT"]
    )
    assert set(updated.inventories) == {"CUSTOM_KEEL_THING"}
    assert "CUSTOM_KEEL_TRAIT" in placement.traits()


def test_a_class_in_use_does_not_go(placement, host):
    one = host()
    placement.claim(consumer(), take(one), "project", "user")
    with pytest.raises(errors.Conflict):
        placement.update_provider(one, inventories={"MEMORY_MB": Inventory(total=4096)})


def test_concurrent_updates_of_one_provider_all_arrive(placement, host):
    one = host()
    aggregates = [str(uuid.uuid4()) for _ in range(6)]
    threads = [
        threading.Thread(target=placement.set_aggregate_member, args=(one, key), kwargs={"member": True})
        for key in aggregates
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(aggregates) <= placement.find_provider(one).aggregates


def test_children_belong_to_the_tree_and_go_with_a_cascade(placement, host):
    root, child = host(), str(uuid.uuid4())
    placement.ensure_provider(child, f"child-{child}", parent_uuid=root)
    assert set(placement.provider_tree(child)) == {root, child}
    with pytest.raises(errors.Conflict):
        placement.delete_provider(root)
    assert placement.delete_provider(root, cascade=True) is True
    assert placement.find_provider(child) is None
    assert placement.delete_provider(root) is False


def test_a_provider_in_use_is_deleted_only_with_its_allocations(placement, host):
    one, who = host(), consumer()
    placement.claim(who, take(one), "project", "user")
    with pytest.raises(errors.Conflict):
        placement.delete_provider(one)
    assert placement.delete_provider(one, cascade=True) is True
    assert not placement.allocations(who)


def test_unknown_things_are_absent_or_not_found(placement):
    nowhere = str(uuid.uuid4())
    assert placement.find_provider(nowhere) is None
    assert placement.provider_tree(nowhere) == {}
    assert not placement.allocations(nowhere)
    for call in (placement.allocations_of_provider, placement.update_provider):
        with pytest.raises(errors.NotFound):
            call(nowhere)
