"""`placement heal_allocations` and `placement audit` on a deployment with two servers on a host."""

import uuid

import pytest

from openkeel import objects
from openkeel.clients.errors import Unavailable
from openkeel.clients.neutron.fake import FakeNeutron
from openkeel.clients.placement.fake import FakePlacement
from openkeel.clients.placement.types import NOBODY, AllocationRequest, Inventory
from openkeel.cmd.manage import audit_allocations, heal_allocations
from openkeel.db.cells import ApiStores
from openkeel.db.session import Database, DatabaseSettings
from tests.unit.db.test_cell_stores import new_node, new_service

PROJECT, USER = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
MINE = {"VCPU": 2, "MEMORY_MB": 512, "DISK_GB": 7}


@pytest.fixture
def placement(monkeypatch):
    fake = FakePlacement()
    for command in (heal_allocations, audit_allocations):
        monkeypatch.setattr(command, "make_placement", lambda _conf: fake)
    return fake


@pytest.fixture
def neutron(monkeypatch):
    fake = FakeNeutron()
    monkeypatch.setattr(heal_allocations, "make_neutron", lambda _conf: fake)
    return fake


@pytest.fixture
def api(deployment, tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/api.sqlite"))
    yield ApiStores(database)
    database.dispose()


@pytest.fixture
def node(deployment, cell, placement, neutron):
    """A host that Placement knows."""
    cell.services.create(new_service("one"))
    node = new_node("one", str(uuid.uuid4()))
    cell.compute_nodes.create(node)
    placement.add_host(node.uuid, "one", vcpus=8, memory_mib=4096)
    return node.uuid


@pytest.fixture
def server(api, cell, deployment, node):
    """Makes servers without allocations."""

    def server(extra_specs=None, **values):
        flavor = objects.Flavor(
            id=1, flavorid="1", name="f", vcpus=2, memory_mb=512, root_gb=5, ephemeral_gb=1, swap=1,
            extra_specs=extra_specs or {}, disabled=False, is_public=True,
        )  # fmt: skip
        instance = objects.Instance(
            **{
                "uuid": str(uuid.uuid4()),
                "project_id": PROJECT,
                "user_id": USER,
                "host": "one",
                "node": "one",
                "vm_state": "active",
                "task_state": None,
                "flavor": flavor,
                "image_ref": "11111111-1111-1111-1111-111111111111",
                "system_metadata": {},
                **values,
            }
        )
        cell.instances.create(instance)
        mapping = objects.InstanceMapping(
            instance_uuid=instance.uuid,
            project_id=PROJECT,
            user_id=USER,
            cell_mapping=api.cell_mappings.get(deployment),
            queued_for_delete=False,
        )
        api.instance_mappings.create(mapping)
        return instance.uuid

    return server


@pytest.fixture
def heal(manage):
    return lambda *words: manage("placement", "heal_allocations", *words)


@pytest.fixture
def audit(manage):
    return lambda *words: manage("placement", "audit", *words)


def held(placement, consumer):
    return placement.allocations(consumer).allocations


# Healing


def test_servers_get_what_their_flavor_says(heal, server, node, placement):
    first, second = server(), server()
    code, out = heal("--verbose")
    assert code == 0
    for one in (first, second):
        assert held(placement, one) == {node: MINE}
        assert one in out
    found = placement.allocations(first)
    assert (found.project_id, found.user_id) == (PROJECT, USER)
    assert heal() == (4, "")


def test_what_is_not_on_a_host_or_in_the_middle_of_something_is_left_alone(heal, server, placement):
    server(host=None, node=None)
    server(task_state="rebooting")
    assert heal()[0] == 4
    assert not placement.consumers()


def test_volumes_are_not_on_the_disk_of_the_host(heal, server, node, cell, placement):
    one = server({"resources:CUSTOM_GOLD": "0", "hw:cpu_policy": "dedicated"})
    cell.bdms.create(
        objects.BlockDeviceMapping(
            instance_uuid=one, source_type="volume", destination_type="volume", boot_index=0
        )
    )
    placement.update_provider(
        node,
        inventories={**placement.find_provider(node).inventories, "PCPU": Inventory(4)},
    )
    assert heal()[0] == 0
    assert held(placement, one) == {node: {"PCPU": 2, "MEMORY_MB": 512, "DISK_GB": 2}}


def test_a_server_without_image_has_its_root_on_a_volume(heal, server, node, placement):
    one = server(image_ref="")
    assert heal()[0] == 0
    assert held(placement, one) == {node: {**MINE, "DISK_GB": 2}}


def test_a_rehearsal_changes_nothing(heal, server, placement):
    one = server()
    code, out = heal("--dry-run", "--verbose")
    assert code == 4
    assert one in out
    assert not placement.consumers()


def test_so_many_at_a_time(heal, server, placement):
    for _ in range(3):
        server()
    assert heal("--max-count", "2")[0] == 1
    assert len(list(placement.consumers())) == 2
    assert heal("--max-count", "2")[0] == 0
    assert heal("--max-count", "2")[0] == 4


def test_allocations_of_nobody_get_their_owner(heal, server, node, placement):
    one = server()
    placement.claim(one, AllocationRequest({node: {"VCPU": 1}}), NOBODY, NOBODY)
    assert heal()[0] == 0
    found = placement.allocations(one)
    assert (found.allocations, found.project_id, found.user_id) == ({node: {"VCPU": 1}}, PROJECT, USER)


def test_one_server_is_healed_by_force(heal, server, node, placement):
    one, other = server(), server()
    for uuid_ in (one, other):
        placement.claim(uuid_, AllocationRequest({node: {"VCPU": 1}}), PROJECT, USER)
    assert heal("--instance", one)[0] == 4
    assert heal("--instance", one, "--force")[0] == 0
    assert (held(placement, one), held(placement, other)) == ({node: MINE}, {node: {"VCPU": 1}})


@pytest.mark.parametrize(
    "words",
    [
        ("--max-count", "0"),
        ("--max-count", "x"),
        ("--force",),
        ("--cell", NOBODY, "--instance", NOBODY),
        ("--instance", NOBODY),
        ("--cell", USER),
    ],
)
def test_what_makes_no_sense_is_127(heal, node, words):
    assert heal(*words)[0] == 127


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"node": "gone"}, 2),
        ({"extra_specs": {"resources:VCPU": "99"}}, 3),
        ({"extra_specs": {"resources1:CUSTOM_GOLD": "1"}}, 3),
        ({"extra_specs": {"resources:VGPU": "1"}}, 8),
        ({"extra_specs": {"accel:device_profile": "p"}}, 8),
    ],
)
def test_a_server_that_cannot_be_healed_is_told_by_the_code(heal, server, placement, values, code):
    server(**values)
    assert heal()[0] == code
    assert not placement.consumers()


def test_neutron_is_asked_unless_nobody_wants_it(heal, server, neutron):
    server()
    neutron.server.faults.fail("GET ports", Unavailable(service="Neutron", detail="down"))
    assert heal()[0] == 5
    neutron.server.faults.fail("GET ports", Unavailable(service="Neutron", detail="down"))
    assert heal("--skip-port-allocations")[0] == 0


# Audit


def test_nothing_is_orphaned(audit, heal, server, node):
    server()
    heal()
    assert audit() == (0, "")
    assert audit("--resource_provider", node)[0] == 0


def test_orphans_are_found_and_deleted(audit, heal, server, node, cell, placement):
    one, stranger = server(), str(uuid.uuid4())
    heal()
    placement.claim(stranger, AllocationRequest({node: {"VCPU": 1}}), PROJECT, USER)
    code, out = audit("--verbose")
    assert code == 3
    assert stranger in out
    assert one not in out
    assert audit("--delete") == (4, "")
    assert list(placement.consumers()) == [one]
    cell.instances.destroy(cell.instances.get(one))
    assert audit("--resource_provider", node, "--delete")[0] == 4
    assert not placement.consumers()


def test_what_a_server_has_elsewhere_is_taken_and_the_rest_stays(audit, heal, server, node, cell, placement):
    one = server()
    other = new_node("two", str(uuid.uuid4()))
    cell.compute_nodes.create(other)
    placement.add_host(other.uuid, "two", vcpus=8, memory_mib=4096)
    placement.claim(one, AllocationRequest({node: MINE, other.uuid: {"VCPU": 1}}), PROJECT, USER)
    assert audit("--delete")[0] == 4
    assert held(placement, one) == {node: MINE}


def test_who_is_on_the_way_keeps_what_it_has(audit, server, node, cell, placement):
    waiting = server(host=None, node=None)
    moving = server(host="elsewhere", node="elsewhere")
    migration = objects.Migration(
        instance_uuid=moving, status="migrating", migration_type="live-migration",
        source_compute="one", source_node="one", dest_compute="elsewhere", dest_node="elsewhere",
    )  # fmt: skip
    cell.migrations.create(migration)
    for consumer in (waiting, moving, migration.uuid):
        placement.claim(consumer, AllocationRequest({node: {"VCPU": 1}}), PROJECT, USER)
    assert audit()[0] == 0
    migration.status = "done"
    cell.migrations.save(migration)
    code, out = audit("--verbose")
    assert code == 3
    assert (moving in out, migration.uuid in out, waiting in out) == (True, True, False)


def test_providers_that_are_no_hosts(audit, server, placement):
    one, shared = server(), str(uuid.uuid4())
    placement.add_host(shared, "shared-storage", vcpus=1, memory_mib=1)
    placement.claim(one, AllocationRequest({shared: {"VCPU": 1}}), PROJECT, USER)
    assert audit("--resource_provider", shared)[0] == 0


def test_a_provider_that_is_not_there_is_127(audit, node):
    assert audit("--resource_provider", NOBODY)[0] == 127


def test_a_placement_that_does_not_answer_is_1(audit, node, placement):
    placement.faults.fail("providers", Unavailable(service="Placement", detail="down"))
    assert audit()[0] == 1
