"""The five default filters, host by host."""

import pytest

from openkeel.scheduler.host_state import AggregateFacts, HostState
from openkeel.scheduler.plugins.compute import ComputeFilter
from openkeel.scheduler.plugins.compute_capabilities import ComputeCapabilitiesFilter
from openkeel.scheduler.plugins.extra_spec_match import matches
from openkeel.scheduler.plugins.image_properties import ImagePropertiesFilter
from openkeel.scheduler.plugins.server_groups import (
    ServerGroupAffinityFilter,
    ServerGroupAntiAffinityFilter,
)
from openkeel.scheduler.request import Request, ServerGroup

HOST = HostState(
    uuid="u",
    host="h1",
    node="n1",
    cell_uuid="c",
    free_ram_mib=2048,
    hypervisor_type="KubeVirt",
    hypervisor_version=1009000,
    supported=(("x86_64", "kvm", "hvm"),),
    cpu_info_text='{"arch": "x86_64", "features": ["avx", "avx2"], "maxphysaddr": {"bits": 46}}',
    stats={"num_instances": "3", "rack": "r7"},
    aggregates=(AggregateFacts(uuid="a", name="fast"),),
    instances=frozenset({"s1", "s2"}),
)


def request(**values):
    return Request(
        project_id="p", user_id="u", instance_uuid=None, vcpus=1, memory_mib=1, disk_gib=1, **values
    )


def changed(**values):
    return HostState(**{name: getattr(HOST, name) for name in HOST.__dataclass_fields__} | values)


def test_a_compute_must_be_up_and_enabled():
    judge = ComputeFilter().check
    assert judge(HOST, request()).passes
    assert judge(changed(is_up=False), request()).reason == "service is down"
    assert judge(changed(is_disabled=True), request()).reason == "service is disabled"


@pytest.mark.parametrize(
    ("fact", "wanted", "answer"),
    [
        ("4", "= 3", True), ("4", "= 5", False), ("4", "== 4.0", True), ("4", "!= 4", False),
        ("4", ">= 4", True), ("5", "<= 4", False), ("four", ">= 4", False), ("4", ">=", False),
        ("abc", "s== abc", True), ("abc", "s!= abc", False), ("abc", "s< abd", True),
        ("abc", "s> abd", False), ("abc", "s<= abc", True), ("abc", "s>= abd", False),
        ("12311321", "<in> 11", True), ("12310321", "<in> 11", False),
        ("['aes', 'mmx']", "<all-in> aes mmx", True), ("['aes']", "<all-in> aes mmx", False),
        ("kvm", "<or> xen <or> kvm", True), ("qemu", "<or> xen <or> kvm", False),
        ("x86_64", "x86_64", True), ("", "", True), ("a b", "a b", True),
    ],
)  # fmt: skip
def test_the_language_of_extra_specs(fact, wanted, answer):
    assert matches(fact, wanted) is answer


@pytest.mark.parametrize(
    ("extra_specs", "passes"),
    [
        ({}, True),
        ({"capabilities:hypervisor_type": "KubeVirt"}, True),
        ({"capabilities:hypervisor_type": "s== QEMU"}, False),
        ({"capabilities:free_ram_mb": ">= 2048"}, True),
        ({"capabilities:free_ram_mb": ">= 4096"}, False),
        ({"capabilities:cpu_info:arch": "x86_64"}, True),
        ({"capabilities:cpu_info:features": "<in> avx2"}, True),
        ({"capabilities:cpu_info:topology:sockets": "1"}, False),
        ({"capabilities:stats:rack": "r7"}, True),
        ({"capabilities:rack": "r8"}, False),
        ({"rack": "r7"}, True),
        ({"unheard_of": "1"}, False),
        ({"hw:cpu_policy": "shared", "resources:VCPU": "1", "group_policy": "none"}, True),
    ],
)
def test_capabilities_are_compared_with_the_facts_of_the_host(extra_specs, passes):
    assert ComputeCapabilitiesFilter().check(HOST, request(extra_specs=extra_specs)).passes is passes


@pytest.mark.parametrize(
    ("properties", "passes"),
    [
        ({}, True),
        ({"hw_architecture": "x86_64"}, True),
        ({"hw_architecture": "aarch64"}, False),
        ({"img_hv_type": "kvm", "hw_vm_mode": "hv"}, True),
        ({"img_hv_type": "xen"}, False),
        ({"hw_vm_mode": "exe"}, False),
        ({"img_hv_requested_version": ">=1.8"}, True),
        ({"img_hv_requested_version": ">=2.0"}, False),
        ({"hw_maxphysaddr_bits": 46}, True),
        ({"hw_maxphysaddr_bits": 48}, False),
    ],
)
def test_the_host_must_be_able_to_run_the_image(properties, passes):
    assert ImagePropertiesFilter().check(HOST, request(image_properties=properties)).passes is passes


def test_images_that_say_nothing_may_have_a_default_architecture():
    assert not ImagePropertiesFilter("ppc64").check(HOST, request()).passes
    own = request(image_properties={"hw_architecture": "x86_64"})
    assert ImagePropertiesFilter("ppc64").check(HOST, own).passes


@pytest.mark.parametrize(
    ("members", "limit", "passes"),
    [({"s9"}, 1, True), ({"s1"}, 1, False), ({"s1"}, 2, True), ({"s1", "s2"}, 2, False)],
)
def test_anti_affinity_bounds_the_members_on_a_host(members, limit, passes):
    group = ServerGroup("g", "anti-affinity", frozenset(members), max_server_per_host=limit)
    assert ServerGroupAntiAffinityFilter().check(HOST, request(group=group)).passes is passes


def test_a_server_that_moves_is_not_its_own_rival():
    group = ServerGroup("g", "anti-affinity", frozenset({"s1"}))
    moving = Request("p", "u", "s1", 1, 1, 1, group=group)
    assert ServerGroupAntiAffinityFilter().check(HOST, moving).passes


@pytest.mark.parametrize(("hosts", "passes"), [(set(), True), ({"h1"}, True), ({"h2"}, False)])
def test_affinity_wants_the_host_of_the_members(hosts, passes):
    group = ServerGroup("g", "affinity", hosts=frozenset(hosts))
    assert ServerGroupAffinityFilter().check(HOST, request(group=group)).passes is passes


def test_rules_of_other_groups_do_not_count():
    soft = request(group=ServerGroup("g", "soft-anti-affinity", frozenset({"s1"}), hosts=frozenset({"h9"})))
    for each in (ServerGroupAffinityFilter(), ServerGroupAntiAffinityFilter()):
        assert each.check(HOST, soft).passes
        assert each.check(HOST, request()).passes
