"""From a request spec to a query of candidates."""

import pytest

from openkeel import objects
from openkeel.clients.placement.wire import query_parameters
from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.request import Request
from openkeel.scheduler.resources import candidate_query, summary

from .conftest import make_spec


def query(**values):
    return candidate_query(Request.from_spec(make_spec(**values)), limit=1000)


def parameters(**values):
    return query_parameters(query(**values))


def test_a_flavor_asks_for_its_three_resources():
    assert parameters(vcpus=2, memory_mib=1024, root_gib=3) == [
        ("resources", "DISK_GB:3,MEMORY_MB:1024,VCPU:2"),
        ("limit", "1000"),
    ]


def test_disk_is_root_ephemeral_and_swap_rounded_up():
    spec = make_spec(root_gib=3)
    spec.flavor.ephemeral_gb, spec.flavor.swap = 1, 100
    [group] = candidate_query(Request.from_spec(spec), limit=1).groups
    assert group.resources["DISK_GB"] == 5


def test_a_server_on_a_volume_needs_no_disk_of_the_host():
    [group] = query(is_bfv=True).groups
    assert "DISK_GB" not in group.resources


def test_extra_specs_change_resources_and_add_traits_and_groups():
    extra_specs = {
        "resources:VCPU": "0",
        "resources:CUSTOM_A": "2",
        "trait:HW_CPU_X86_AVX": "required",
        "trait:COMPUTE_NODE": "forbidden",
        "resources1:CUSTOM_B": "1",
        "trait1:CUSTOM_T": "required",
        "resources_x:CUSTOM_C": "1",
        "group_policy": "isolate",
    }
    assert parameters(extra_specs=extra_specs) == [
        ("resources", "CUSTOM_A:2,DISK_GB:1,MEMORY_MB:512"),
        ("required", "HW_CPU_X86_AVX,!COMPUTE_NODE"),
        ("resources1", "CUSTOM_B:1"),
        ("required1", "CUSTOM_T"),
        ("resources_x", "CUSTOM_C:1"),
        ("group_policy", "isolate"),
        ("limit", "1000"),
    ]


def test_dedicated_processors_are_another_resource():
    [group] = query(extra_specs={"hw:cpu_policy": "dedicated", "hw:cpu_thread_policy": "isolate"}).groups
    assert group.resources == {"PCPU": 1, "MEMORY_MB": 512, "DISK_GB": 1}
    assert group.forbidden == {"HW_CPU_HYPERTHREADING"}


def test_traits_of_the_image_are_required():
    [group] = query(image={"traits_required": ["HW_CPU_X86_AVX2"]}).groups
    assert group.required == {"HW_CPU_X86_AVX2"}


def test_resources_of_ports_are_groups_under_their_own_names():
    ports = [
        objects.RequestGroup(requester_id="port-1", resources={"CUSTOM_BW": 1}, required_traits={"CUSTOM_P"}),
        objects.RequestGroup(requester_id="port-2", resources={"CUSTOM_BW": 2}),
    ]
    assert parameters(requested_resources=ports)[1:] == [
        ("resourcesport-1", "CUSTOM_BW:1"),
        ("requiredport-1", "CUSTOM_P"),
        ("resourcesport-2", "CUSTOM_BW:2"),
        ("group_policy", "none"),
        ("limit", "1000"),
    ]


def test_aggregates_of_the_destination_bound_the_candidates():
    destination = objects.Destination(aggregates=["a,b", "c"], forbidden_aggregates={"d"})
    found = [value for name, value in parameters(requested_destination=destination) if name == "member_of"]
    assert found == ["in:a,b", "in:c", "!in:d"]


def test_traits_of_the_whole_host_are_asked_of_its_root():
    level = objects.RequestLevelParams(
        root_required={"CUSTOM_R"}, root_forbidden={"COMPUTE_STATUS_DISABLED"}, same_subtree=[["_a", "_b"]]
    )
    found = dict(parameters(request_level_params=level))
    assert found["root_required"] == "CUSTOM_R,!COMPUTE_STATUS_DISABLED"
    assert found["same_subtree"] == "_a,_b"


@pytest.mark.parametrize(
    "extra_specs", [{"resources:VCPU": "many"}, {"resources:VCPU": "-1"}, {"trait:CUSTOM_T": "maybe"}]
)
def test_extra_specs_without_sense_find_no_host(extra_specs):
    with pytest.raises(NoValidHost, match="extra spec"):
        query(extra_specs=extra_specs)


def test_what_was_looked_for_can_be_said_in_words():
    words = summary(query(extra_specs={"trait:CUSTOM_T": "required"}))
    assert words == "1 DISK_GB, 512 MEMORY_MB, 1 VCPU with CUSTOM_T"
