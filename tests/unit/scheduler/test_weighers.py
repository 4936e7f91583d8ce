"""In which order hosts come."""

import random
from collections import Counter

import pytest
from oslo_config import cfg

from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.host_state import AggregateFacts, HostState
from openkeel.scheduler.options import GROUPS
from openkeel.scheduler.pipeline import Pipeline, Tally
from openkeel.scheduler.plugins.capacity import CPUWeigher, PCIWeigher, RAMWeigher
from openkeel.scheduler.plugins.image_properties import ImagePropertiesWeigher, parse_weights
from openkeel.scheduler.plugins.metrics import MetricsWeigher
from openkeel.scheduler.registry import make_weighers
from openkeel.scheduler.request import Request, ServerGroup, Target

from .conftest import CELL1, CELL2


def host(name, **values):
    return HostState(uuid=name, host=name, node=name, cell_uuid=values.pop("cell_uuid", CELL1), **values)


def request(**values):
    values.setdefault("instance_uuid", None)
    return Request(project_id="p", user_id="u", vcpus=1, memory_mib=1, disk_gib=1, **values)


def order(weighers, hosts, asked=None, **settings):
    pipeline = Pipeline((), weighers, dice=random.Random(3), **settings)
    return "".join(one.host for one in pipeline.ranked(hosts, asked or request(), Tally()))


def default_weighers(**options):
    conf = cfg.ConfigOpts()
    for group, opts in GROUPS.items():
        conf.register_opts(opts, group=group)
    conf([], default_config_files=[])
    for name, value in options.items():
        conf.set_override(name, value, group="filter_scheduler")
    return make_weighers(conf.filter_scheduler, conf.metrics)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"free_ram_mib": 2}, {"free_ram_mib": 1}),
        ({"free_disk_mib": 2}, {"free_disk_mib": 1}),
        ({"vcpus": 4, "vcpus_used": 1}, {"vcpus": 4, "vcpus_used": 2}),
        ({"vcpus": 4, "cpu_allocation_ratio": 4.0}, {"vcpus": 5}),
        ({"hypervisor_version": 1010000}, {"hypervisor_version": 1009000}),
        ({"stats": {"io_workload": "0"}}, {"stats": {"io_workload": "3"}}),
        ({"pci_devices": 0}, {"pci_devices": 4}),
        ({"stats": {"failed_builds": "0"}}, {"stats": {"failed_builds": "1"}, "free_ram_mib": 9999}),
    ],
)
def test_default_weighers_prefer(better, worse):
    assert order(default_weighers(), [host("b", **worse), host("a", **better)]) == "ab"


def test_scores_are_stretched_before_they_are_added():
    hosts = [host("a", free_ram_mib=1_000_000, vcpus=0), host("b", free_ram_mib=0, vcpus=2)]
    assert order([RAMWeigher(1.0), CPUWeigher(2.0)], hosts) == "ba"


def test_a_negative_multiplier_turns_the_order_round():
    hosts = [host("a", free_ram_mib=3), host("b", free_ram_mib=1)]
    assert order([RAMWeigher(-1.0)], hosts) == "ba"


def test_equal_hosts_keep_their_order():
    assert order(default_weighers(), [host("c"), host("a"), host("b")]) == "cab"


def test_an_aggregate_sets_the_multiplier_of_its_hosts():
    stack = AggregateFacts(uuid="x", name="x", metadata={"ram_weight_multiplier": "-5"})
    slip = AggregateFacts(uuid="y", name="y", metadata={"ram_weight_multiplier": "much"})
    hosts = [
        host("a", free_ram_mib=3, aggregates=(stack,)),
        host("b", free_ram_mib=2, aggregates=(slip,)),
        host("c", free_ram_mib=1),
    ]
    assert order([RAMWeigher(1.0)], hosts) == "bca"


@pytest.mark.parametrize(("policy", "result"), [("soft-affinity", "ba"), ("soft-anti-affinity", "ab")])
def test_soft_groups_wish(policy, result):
    hosts = [host("a"), host("b", instances=frozenset({"s1", "s2"}))]
    asked = request(group=ServerGroup("g", policy, frozenset({"s1", "s2"})))
    assert order(default_weighers(), hosts, asked) == result


def test_a_move_stays_in_its_cell():
    hosts = [host("a", cell_uuid=CELL2, free_ram_mib=99), host("b", cell_uuid=CELL1)]
    asked = request(target=Target(cell_uuid=CELL1, may_cross_cells=True))
    assert order(default_weighers(), hosts, asked) == "ba"


def test_pci_devices_go_to_those_who_want_as_many():
    hosts = [host("a", pci_devices=0), host("b", pci_devices=9), host("c", pci_devices=1)]
    assert order([PCIWeigher(1.0)], hosts, request(pci_devices=1))[0] == "c"


def test_equal_images_attract_when_they_may():
    hosts = [
        host("a", image_properties=({"os_distro": "debian"},)),
        host("b", image_properties=({"os_distro": "windows"}, {"os_distro": "windows"})),
    ]
    asked = request(image_properties={"os_distro": "windows"})
    assert order([ImagePropertiesWeigher(1.0, {})], hosts, asked) == "ba"
    assert order([ImagePropertiesWeigher(1.0, {"os_type": 1.0})], hosts, asked) == "ab"
    assert parse_weights(["os_distro=2", " os_type = 0.5 "]) == {"os_distro": 2.0, "os_type": 0.5}
    with pytest.raises(ValueError, match="name=weight"):
        parse_weights(["os_distro"])


def test_metrics_count_by_their_ratios():
    hosts = [
        host("a", metrics_text='[{"name": "load", "value": 9}]'),
        host("b", metrics_text='[{"name": "load", "value": 1}]'),
        host("c", metrics_text="broken"),
    ]
    assert order([MetricsWeigher(1.0, {"load": -1.0}, False, -10000.0)], hosts) == "bac"
    with pytest.raises(NoValidHost, match="load"):
        order([MetricsWeigher(1.0, {"load": -1.0}, True, 0.0)], hosts)


def test_the_choice_is_by_chance_among_the_best_few():
    hosts = [host(name, free_ram_mib=size) for name, size in (("a", 3), ("b", 2), ("c", 1))]
    pipeline = Pipeline((), [RAMWeigher(1.0)], host_subset_size=2, dice=random.Random(1))
    firsts = Counter(pipeline.ranked(hosts, request(), Tally())[0].host for _ in range(200))
    assert set(firsts) == {"a", "b"}
    assert min(firsts.values()) > 50


def test_equally_good_hosts_may_be_shuffled_and_no_others():
    hosts = [host("a"), host("b"), host("c", free_ram_mib=-1)]
    seen = {
        "".join(
            one.host
            for one in Pipeline(
                (), [RAMWeigher(1.0)], shuffle_best_same_weighed_hosts=True, dice=random.Random(seed)
            ).ranked(hosts, request(), Tally())
        )
        for seed in range(20)
    }
    assert seen == {"abc", "bac"}
