"""What nobody has in hand any more comes to an end; what moves on is left alone."""

from openkeel.clients.placement.types import AllocationRequest
from openkeel.domain.states import TaskState, VMState


def test_a_request_that_nobody_took_up_is_buried(world):
    [(_, request, _)] = world.asked()
    uuid = request.instance_uuid
    world.placement.claim(uuid, world_request(world), "project", "user")
    world.stalled.run()
    assert world.row(uuid) is None  # not yet
    world.reconcile()
    assert world.row(uuid).vm_state == VMState.ERROR
    assert world.row(uuid).updated_at, "Nova leaves servers without it out of what changed since"
    assert "interrupted" in world.fault(uuid).message
    assert not world.placement.consumers()
    assert [tag.tag for tag in world.cell0.tags.list(uuid)] == ["red"]


def world_request(world):
    return AllocationRequest.from_json(world.selection("node-1").allocation_request)


def test_a_server_that_no_host_took_goes_to_error(world):
    uuid = world.booted()
    world.stalled.run()
    assert world.row(uuid).vm_state == VMState.BUILDING
    world.reconcile()
    assert world.row(uuid).vm_state == VMState.ERROR
    assert world.fault(uuid).message
    assert not world.placement.consumers()


def test_a_server_that_a_host_builds_is_left_alone(world):
    uuid = world.booted()
    row = world.row(uuid)
    row.host, row.task_state = "node-1", TaskState.SPAWNING
    world.cell1.instances.save(row)
    world.reconcile()
    assert world.row(uuid).vm_state == VMState.BUILDING
    assert uuid in world.placement.consumers()


def test_what_a_deleted_request_held_is_given_back_and_forgotten(world):
    [(_, request, _)] = world.asked()
    uuid = request.instance_uuid
    world.placement.claim(uuid, world_request(world), "project", "user")
    world.cancel(uuid)
    world.reconcile()
    assert not world.placement.consumers()
    assert world.cells.api.instance_mappings.find(uuid) is None
    assert world.cells.api.request_specs.find(uuid) is None


def test_a_row_that_was_never_bound_is_removed_with_its_request(world):
    [(_, request, _)] = world.asked()
    uuid = request.instance_uuid
    world.cell1.instances.create(request.instance.obj_clone())
    world.cancel(uuid)
    world.reconcile()
    assert world.stray_rows() == []


def test_one_server_s_trouble_is_not_the_others(world):
    builds = world.asked(2)
    world.gate.arm(0, _fail, only=lambda call: call == "placement delete_allocations")
    world.reconcile()
    ends = [world.row(request.instance_uuid) for _, request, _ in builds]
    assert sum(row is not None for row in ends) == 1
    world.reconcile()
    assert all(world.row(request.instance_uuid) for _, request, _ in builds)


def _fail(_call):
    raise RuntimeError("a bug")
