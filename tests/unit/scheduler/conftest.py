"""A world for the scheduler: Placement in memory, records in memory, a clock that stands still."""

import random
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from oslo_config import cfg

from openkeel import objects
from openkeel.clients.placement.fake import FakePlacement
from openkeel.scheduler.assembly import assemble_endpoint
from openkeel.scheduler.host_state import AggregateFacts
from openkeel.scheduler.options import GROUPS
from openkeel.scheduler.reads import NodeRecord
from tests.fixtures.db import api_database, cell_database, cells, database_templates

__all__ = ["api_database", "cell_database", "cells", "database_templates"]

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
CELL1, CELL2 = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))


class FrozenClock:
    def now(self):
        return NOW

    def monotonic(self):
        return 0.0

    def sleep(self, seconds):
        raise AssertionError("nobody sleeps here")


@dataclass
class FakeReads:
    """`Reads` on lists; `asked` counts the questions."""

    records: list = field(default_factory=list)
    aggregate_list: list = field(default_factory=list)
    groups: dict = field(default_factory=dict)
    places: dict = field(default_factory=dict)
    properties: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)

    def nodes(self, uuids):
        self.asked.append("nodes")
        return [one for one in self.records if one.node.uuid in uuids]

    def node_uuids(self, hosts, nodes):
        return [
            one.node.uuid
            for one in self.records
            if (not hosts or one.node.host in hosts) and (not nodes or one.node.hypervisor_hostname in nodes)
        ]

    def aggregates(self):
        self.asked.append("aggregates")
        return list(self.aggregate_list)

    def group_members(self, group_uuid):
        return frozenset(self.groups.get(group_uuid, ()))

    def hosts_of(self, instance_uuids):
        self.asked.append("hosts_of")
        return {key: self.places[key] for key in instance_uuids if key in self.places}

    def image_properties_on(self, hosts):
        return {host: self.properties[host] for host in hosts if host in self.properties}


class World:
    def __init__(self):
        self.placement = FakePlacement()
        self.reads = FakeReads()
        self.conf = cfg.ConfigOpts()
        for group, options in GROUPS.items():
            self.conf.register_opts(options, group=group)
        self.conf([], default_config_files=[])

    def endpoint(self):
        random.seed(7)
        return assemble_endpoint(self.conf, self.reads, self.placement, FrozenClock())

    def add_host(
        self, name, *, vcpus=8, memory_mib=16384, disk_gib=100, cell_uuid=CELL1, traits=(), **values
    ):
        key = str(uuid.uuid4())
        self.placement.add_host(
            key, name, vcpus=vcpus, memory_mib=memory_mib, disk_gib=disk_gib, traits=traits
        )
        service = {
            "disabled": values.pop("disabled", False),
            "disabled_reason": values.pop("disabled_reason", None),
            "forced_down": values.pop("forced_down", False),
            "last_seen_up": NOW - timedelta(seconds=values.pop("silent_s", 5)),
        }
        self.reads.records.append(
            NodeRecord(
                cell_uuid=cell_uuid,
                node=compute_node(key, name, vcpus, memory_mib, disk_gib, **values),
                service=objects.Service(
                    host=name, binary="nova-compute", updated_at=None, created_at=NOW, **service
                ),
            )
        )
        return key

    def add_aggregate(self, name, hosts=(), **metadata):
        key = str(uuid.uuid4())
        self.reads.aggregate_list.append(
            AggregateFacts(uuid=key, name=name, hosts=frozenset(hosts), metadata=metadata)
        )
        for one in self.reads.records:
            if one.node.host in hosts:
                self.placement.set_aggregate_member(one.node.uuid, key, member=True)
        return key

    def select(self, spec, count=1, *, alternates=True, endpoint=None):
        uuids = [str(uuid.uuid4()) for _ in range(count)]
        return uuids, (endpoint or self.endpoint()).select_destinations(
            None, spec_obj=spec, instance_uuids=uuids, return_objects=True, return_alternates=alternates
        )


def compute_node(key, name, vcpus, memory_mib, disk_gib, **values):
    defaults = {
        "vcpus_used": 0,
        "memory_mb_used": 0,
        "local_gb_used": 0,
        "free_ram_mb": memory_mib,
        "free_disk_gb": disk_gib,
        "disk_available_least": disk_gib,
        "cpu_allocation_ratio": 1.0,
        "ram_allocation_ratio": 1.0,
        "disk_allocation_ratio": 1.0,
        "hypervisor_type": "KubeVirt",
        "hypervisor_version": 1009000,
        "host_ip": "192.0.2.1",
        "running_vms": 0,
        "supported_hv_specs": [objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
        "cpu_info": '{"arch": "x86_64", "features": ["avx", "avx2"], "maxphysaddr": {"bits": 46}}',
        "metrics": None,
        "pci_device_pools": None,
        "stats": {},
    }
    return objects.ComputeNode(
        uuid=key,
        host=name,
        hypervisor_hostname=f"{name}.node",
        vcpus=vcpus,
        memory_mb=memory_mib,
        local_gb=disk_gib,
        **(defaults | values),
    )


def make_spec(*, extra_specs=None, image=None, vcpus=1, memory_mib=512, root_gib=1, **values):
    flavor = objects.Flavor(
        vcpus=vcpus,
        memory_mb=memory_mib,
        root_gb=root_gib,
        ephemeral_gb=0,
        swap=0,
        extra_specs=extra_specs or {},
    )
    properties = objects.ImageMetaProps(**(image or {}))
    return objects.RequestSpec(
        flavor=flavor,
        image=objects.ImageMeta(id=str(uuid.uuid4()), disk_format="qcow2", properties=properties),
        project_id="project",
        user_id="user",
        **values,
    )


def make_group(policy, members=(), **rules):
    group = objects.InstanceGroup(
        uuid=str(uuid.uuid4()),
        policy=policy,
        members=list(members),
        _rules={k: str(v) for k, v in rules.items()},
    )
    group.hosts = []
    return group


@pytest.fixture
def world():
    return World()
