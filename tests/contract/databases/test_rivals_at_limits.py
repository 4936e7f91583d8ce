"""However many want the last places below a limit at the same time: exactly these are taken."""

import random

import pytest

from openkeel import objects
from openkeel.clients.placement.fake import FakePlacement
from openkeel.clients.placement.types import AllocationRequest
from openkeel.common.clock import SystemClock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.session import Database, DatabaseSettings
from openkeel.domain.errors import Invalid, OverQuota
from openkeel.services.keypairs import KeyPairService, generate_ssh
from openkeel.services.quota import QuotaService
from openkeel.services.quota_usage import PlacementCounter
from openkeel.services.server_groups import ServerGroupService
from tests.fixtures.at_once import at_once
from tests.fixtures.db import new_instance

RIVALS = 12
LEFT = 5  # places, of which nobody has any yet
PROJECT = "p"
CELL1 = "11111111-1111-1111-1111-111111111111"
HOST = "22222222-2222-2222-2222-222222222222"


def context():
    return Context("u", PROJECT, roles=["member"])


def refused(found, error=OverQuota):
    """How many were refused; whoever was not has its result."""
    strange = [one for one in found if isinstance(one, Exception) and not isinstance(one, error)]
    assert not strange
    return sum(isinstance(one, error) for one in found)


@pytest.fixture
def cells(api, cell):
    url = cell.database.engine.url.render_as_string(hide_password=False)
    api.cell_mappings.create(
        objects.CellMapping(
            uuid=CELL1, name="cell1", transport_url="none:///", database_connection=url, disabled=False
        )
    )
    opened = CellDirectory(api.database, lambda url: Database(DatabaseSettings(url=url)))
    yield opened
    opened.close()


@pytest.fixture
def quota(cells):
    return QuotaService(cells)


def test_tags(cell):
    instance = new_instance()
    cell.instances.create(instance)
    found = at_once(lambda n: cell.tags.add(instance.uuid, f"t{n}", most=LEFT), RIVALS)
    assert refused(found, Invalid) == RIVALS - LEFT
    assert len(cell.tags.list(instance.uuid)) == LEFT


def test_metadata_of_a_server(cells, cell, quota):
    cells.api.quotas.set_project(PROJECT, {"metadata_items": LEFT})
    instance = new_instance(metadata={})
    cell.instances.create(instance)

    def write(n):
        own = instance.obj_clone()
        cell.instances.write_metadata(own, {f"k{n}": "v"}, admit=quota.bound(context(), "metadata_items"))

    assert refused(at_once(write, RIVALS)) == RIVALS - LEFT
    assert len(cell.instances.get(instance.uuid, ["metadata"]).metadata) == LEFT


def test_keypairs(cells, quota):
    cells.api.quotas.set_project(PROJECT, {"key_pairs": LEFT})
    service = KeyPairService(cells, quota, SystemClock())
    key = generate_ssh().public_key
    found = at_once(lambda n: service.create(context(), "u", f"k{n}", "ssh", key), RIVALS)
    assert refused(found) == RIVALS - LEFT
    assert cells.api.keypairs.count("u") == LEFT


@pytest.mark.parametrize("whose", ["project", "user"])
def test_server_groups(cells, quota, whose):
    if whose == "project":
        cells.api.quotas.set_project(PROJECT, {"server_groups": LEFT})
    else:
        cells.api.quotas.set_user(PROJECT, "u", {"server_groups": LEFT})
    service = ServerGroupService(cells, quota)
    found = at_once(lambda n: service.create(context(), f"g{n}", "affinity", {}), RIVALS)
    assert refused(found) == RIVALS - LEFT
    assert quota.server_groups(PROJECT) == LEFT


def record(cells):
    """A server that the API recorded, as the conductor gets it."""
    instance = new_instance(project_id=PROJECT, user_id="u")
    named = {"instance_uuid": instance.uuid, "project_id": PROJECT}
    spec = objects.RequestSpec(**named, user_id="u", flavor=instance.flavor, num_instances=1)
    request = objects.BuildRequest(
        **named,
        instance=instance,
        block_device_mappings=objects.BlockDeviceMappingList(objects=[]),
        tags=objects.TagList(objects=[]),
    )
    mapping = objects.InstanceMapping(**named, user_id="u", cell_mapping=None, queued_for_delete=False)
    cells.api.create_build(spec, request, mapping)
    return instance


def test_members_of_a_server_group(cells, quota):
    cells.api.quotas.set_project(PROJECT, {"server_group_members": LEFT})
    group = objects.InstanceGroup(name="g", project_id=PROJECT, user_id="u", policy="affinity")
    cells.api.instance_groups.create(group)
    servers = [record(cells) for _ in range(RIVALS)]

    def join(n):
        admit = quota.group_members_bound(context())
        return cells.api.instance_groups.add_members(group.uuid, [servers[n].uuid], admit=admit)

    assert refused(at_once(join, RIVALS)) == RIVALS - LEFT
    assert len(cells.api.instance_groups.get(group.uuid).members) == LEFT


@pytest.mark.parametrize(("counted_in", "resource"), [("cells", "instances"), ("placement", "cores")])
def test_servers(cells, cell, counted_in, resource):
    placement = FakePlacement()
    placement.add_host(HOST, "node-1", vcpus=100, memory_mib=100_000)
    quota = QuotaService(
        cells, counter=PlacementCounter(cells, placement) if counted_in == "placement" else None
    )
    cells.api.quotas.set_project(PROJECT, {"instances": -1, "cores": -1, resource: LEFT})
    servers = [record(cells) for _ in range(RIVALS)]
    order = random.Random(7).sample(range(RIVALS), RIVALS)

    def place(n):
        """What the conductor does with each: every server takes one core."""
        server = servers[order[n]]
        placement.claim(server.uuid, AllocationRequest({HOST: {"VCPU": 1, "MEMORY_MB": 1}}), PROJECT, "u")
        cell.instances.create(server)
        assert cells.api.instance_mappings.map_to_cell(server.uuid, CELL1)
        quota.recheck(PROJECT, "u", [server.uuid])
        cells.api.build_requests.take(server.uuid)

    found = at_once(place, RIVALS)
    assert refused(found) == RIVALS - LEFT
    came_first = sorted(order[n] for n in range(RIVALS) if found[n] is None)
    assert came_first == list(range(LEFT))
