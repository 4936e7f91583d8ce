"""The small resources through HTTP on real SQL, with default rules."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from openkeel import objects
from openkeel.clients.keystone.fake import FakeKeystone
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import ComputeServiceUnavailable
from openkeel.services.availability_zones import AvailabilityZoneService
from openkeel.services.flavors import FlavorService
from openkeel.services.hosts import HostService
from openkeel.services.instance_actions import InstanceActionService
from openkeel.services.keypairs import KeyPairService
from openkeel.services.limits import LimitsService
from openkeel.services.quota import QuotaService, QuotaSettings
from openkeel.services.quota_sets import QuotaSetService
from openkeel.services.usage import UsageService
from tests.fixtures import api_client
from tests.fixtures.db import api_database, cell_database, cells, database_templates, new_instance

__all__ = ["api_database", "cell_database", "cells", "database_templates"]

OTHER = "fedcba9876543210fedcba9876543210"
NO_UUID = "99999999-9999-4999-8999-999999999999"


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.present = datetime.now(UTC).replace(microsecond=0)

    def now(self) -> datetime:
        return self.present

    def monotonic(self) -> float:
        return self.present.timestamp()

    def sleep(self, seconds: float) -> None:
        self.present += timedelta(seconds=seconds)


@dataclass
class Computes:
    """Every compute answers its uptime, unless it is `dead`."""

    dead: frozenset[str] = frozenset()

    def get_host_uptime(self, ctx: Any, *, host: str) -> str:
        if host in self.dead:
            raise ComputeServiceUnavailable(host=host)
        return f"up on {host}"


class World:
    """One deployment and somebody who asks it."""

    def __init__(self, cells: CellDirectory, policy: Any) -> None:
        self.cells = cells
        self.clock = Clock()
        self.computes = Computes()
        self.keystone = FakeKeystone([api_client.PROJECT, OTHER])
        self.quota = QuotaService(cells, QuotaSettings())
        hosts = HostService(cells, lambda _cell: self.computes, self.clock)
        self.services = SimpleNamespace(
            flavors=FlavorService(cells, self.keystone),
            keypairs=KeyPairService(cells, self.quota, self.clock),
            limits=LimitsService(self.quota),
            quota_sets=QuotaSetService(cells, self.quota, self.keystone),
            usage=UsageService(cells, self.clock),
            hosts=hosts,
            availability_zones=AvailabilityZoneService(hosts, "internal"),
            instance_actions=InstanceActionService(cells),
        )
        self.policy = policy
        self.ask = api_client.caller(self.services, policy)

    @property
    def cell(self) -> CellStores:
        return self.cells.cells(include_cell0=False)[0]

    def as_(self, roles: str, **who: str) -> api_client.Caller:
        return api_client.Caller(self.ask.client, roles=roles, **who)

    @property
    def admin(self) -> api_client.Caller:
        return self.as_("admin,member,reader", user="boss")

    def flavor(self, name: str = "small", **values: Any) -> dict[str, Any]:
        body = {"name": name, "id": name, "ram": 64, "vcpus": 1, "disk": 0} | values
        answer = self.admin("POST", "/v2.1/flavors", {"flavor": body})
        assert answer.status_code == 200, answer.text
        return answer.json["flavor"]

    def service(self, host: str, binary: str = "nova-compute", **values: Any) -> Any:
        topic = {"nova-compute": "compute"}.get(binary, binary.removeprefix("nova-"))
        service = objects.Service(
            **{
                "host": host,
                "binary": binary,
                "topic": topic,
                "report_count": 1,
                "disabled": False,
                "forced_down": False,
                "version": 1,
                "last_seen_up": self.clock.now(),
            }
            | values
        )
        self.cell.services.create(service)
        return service

    def node(self, host: str, **values: Any) -> Any:
        node = objects.ComputeNode(
            **{
                "host": host,
                "hypervisor_hostname": f"{host}.example",
                "uuid": f"00000000-0000-4000-8000-{len(host):012d}",
                "vcpus": 8,
                "memory_mb": 1024,
                "local_gb": 10,
                "vcpus_used": 1,
                "memory_mb_used": 512,
                "local_gb_used": 1,
                "free_ram_mb": 512,
                "free_disk_gb": 9,
                "current_workload": 0,
                "running_vms": 1,
                "disk_available_least": 5,
                "hypervisor_type": "kubevirt",
                "hypervisor_version": 1009000,
                "cpu_info": '{"arch": "x86_64"}',
                "host_ip": "10.0.0.1",
            }
            | values
        )
        self.cell.compute_nodes.create(node)
        return node

    def server(self, cell: CellStores | None = None, **values: Any) -> Any:
        """A server in a cell, as the conductor leaves it."""
        cell = cell or self.cell
        server = new_instance(**({"project_id": api_client.PROJECT, "vm_state": "active"} | values))
        cell.instances.create(server)
        self.cells.api.instance_mappings.create(
            objects.InstanceMapping(
                instance_uuid=server.uuid,
                project_id=server.project_id,
                user_id=server.user_id,
                cell_mapping=cell.mapping,
                queued_for_delete=False,
            )
        )
        return server


@pytest.fixture(scope="session")
def policy():
    return api_client.enforcer()


@pytest.fixture
def world(cells, policy):
    return World(cells, policy)
