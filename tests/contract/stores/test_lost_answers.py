"""Whatever message between a compute and its conductor is lost, what is written is as if none had been."""

import pytest

from openkeel import objects
from openkeel.domain import errors
from openkeel.domain.lifecycle import LIFECYCLE, Action, Step
from openkeel.domain.states import TaskState, VMState
from openkeel.rpc.patience import Patience
from openkeel.rpc.remote_stores.bundle import RemoteStores
from tests.contract.stores.conftest import UUID

LOSSES = ("nothing", "question", "answer", "answer and question", "two answers")


class Lossy:
    """A conductor's client on a bad line: the first messages are lost, before or after they took effect."""

    def __init__(self, client, losses):
        self._client = client
        self.left = {
            "nothing": [],
            "question": [False],
            "answer": [True],
            "answer and question": [True, False],
            "two answers": [True, True],
        }[losses]

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*arguments, **named):
            if not self.left:
                return method(*arguments, **named)
            took_effect = self.left.pop(0)
            if took_effect:
                method(*arguments, **named)
            raise errors.Timeout

        return call


@pytest.fixture(params=LOSSES)
def lossy(request, client):
    return Lossy(client, request.param)


@pytest.fixture
def far(lossy):
    return RemoteStores(lossy, patience=Patience(tries=4, sleep=lambda _seconds: None))


def test_a_swap_of_states_wins_once(far, sql, instance):
    row = sql.instances.get(UUID)
    row.task_state = TaskState.NETWORKING
    far.instances.save(row, expected_vm_state=VMState.BUILDING, expected_task_state="scheduling")
    assert not row.obj_what_changed()
    assert sql.instances.get(UUID).task_state == TaskState.NETWORKING


def test_a_swap_that_a_rival_won_is_lost(far, sql, instance, lossy):
    row = sql.instances.get(UUID)
    row.task_state, row.host = TaskState.NETWORKING, "node-1"
    rival = sql.instances.get(UUID)
    rival.task_state, rival.host = TaskState.NETWORKING, "node-2"
    sql.instances.save(rival)
    with pytest.raises(errors.StateConflict):
        far.instances.save(row, expected_task_state="scheduling")
    assert sql.instances.get(UUID).host == "node-2"


def test_a_move_along_the_lifecycle_happens(far, sql, instance):
    row = sql.instances.get(UUID)
    row.task_state = TaskState.SPAWNING
    sql.instances.save(row)
    far.instances.move(row, LIFECYCLE[Action.CREATE], Step.DONE)
    assert (row.vm_state, row.task_state) == (VMState.ACTIVE, None)
    kept = sql.instances.get(UUID)
    assert (kept.vm_state, kept.task_state) == (VMState.ACTIVE, None)


def test_a_server_ends_once(far, sql, instance):
    row = sql.instances.get(UUID)
    far.instances.destroy(row)
    assert row.deleted
    with pytest.raises(errors.InstanceNotFound):
        sql.instances.get(UUID)


def test_ending_what_is_not_there_is_an_error(client, sql, instance):
    far = RemoteStores(client)
    row = sql.instances.get(UUID)
    sql.instances.destroy(sql.instances.get(UUID))
    with pytest.raises(errors.InstanceNotFound):
        far.instances.destroy(row)


def test_a_fault_is_written_once(far, sql, instance):
    fault = objects.InstanceFault(instance_uuid=UUID, code=500, message="broken", details="", host="node-1")
    far.faults.create(fault)
    assert fault.id
    assert len(sql.faults.list_by_instances([UUID])[UUID]) == 1


def test_a_step_of_an_action_is_logged_once(far, sql, instance, ctx):
    sql.actions.start(ctx, UUID, "create")
    far.actions.event_start(ctx, UUID, "compute_build", "node-1")
    far.actions.event_finish(ctx, UUID, "compute_build", error=ValueError("broken"))
    action = sql.actions.find_by_request(UUID, ctx.request_id)
    [step] = sql.actions.list_events(action.id)
    assert (step.event, step.host, step.result) == ("compute_build", "node-1", "Error")


def test_a_step_without_an_action_is_not_logged(far, sql, instance, ctx):
    far.actions.event_start(ctx, UUID, "compute_build", "node-1")
    assert list(sql.actions.list(UUID)) == []


def test_an_action_is_logged_once(far, sql, instance, ctx):
    action = far.actions.start(ctx, UUID, "reboot")
    far.actions.finish(ctx, UUID)
    [kept] = sql.actions.list(UUID)
    assert (kept.id, kept.action) == (action.id, "reboot")
    assert kept.finish_time


def test_a_daemon_has_one_record(far, sql):
    service = objects.Service(host="node-1", binary="nova-compute", topic="compute", report_count=0)
    far.services.create(service)
    [kept] = sql.services.list()
    assert (kept.id, kept.uuid) == (service.id, service.uuid)
    service.version = 74
    far.services.save(service)
    assert sql.services.get(kept.id).version == 74


def test_a_record_that_a_twin_made_is_there_already(client, sql):
    twin = objects.Service(host="node-1", binary="nova-compute", topic="compute", report_count=0)
    sql.services.create(twin)
    far = RemoteStores(client)
    with pytest.raises(errors.AlreadyExists):
        far.services.create(
            objects.Service(host="node-1", binary="nova-compute", topic="compute", report_count=0)
        )


def test_a_lost_pulse_is_not_repeated(client, sql):
    service = objects.Service(host="node-1", binary="nova-compute", topic="compute", report_count=0)
    sql.services.create(service)
    far = RemoteStores(Lossy(client, "question"), patience=Patience(sleep=lambda _seconds: None))
    service.report_count = 1
    with pytest.raises(errors.Timeout):
        far.services.save(service)


def test_a_node_has_one_row(far, sql):
    node = objects.ComputeNode(
        host="node-1",
        hypervisor_hostname="node-1",
        vcpus=4,
        memory_mb=1024,
        local_gb=10,
        vcpus_used=0,
        memory_mb_used=0,
        local_gb_used=0,
        hypervisor_type="kubevirt",
        hypervisor_version=1,
        cpu_info="",
    )
    far.compute_nodes.create(node)
    node.vcpus_used = 2
    far.compute_nodes.save(node)
    [kept] = sql.compute_nodes.list_all()
    assert (kept.uuid, kept.vcpus_used) == (node.uuid, 2)


@pytest.mark.parametrize("way", ["create", "update_or_create"])
def test_a_disk_has_one_row(far, sql, instance, way):
    disk = objects.BlockDeviceMapping(
        instance_uuid=UUID, source_type="blank", destination_type="local", device_name="/dev/vdb"
    )
    getattr(far.bdms, way)(disk)
    [kept] = sql.bdms.list(UUID)
    assert (kept.id, kept.uuid) == (disk.id, disk.uuid)
    far.bdms.destroy(disk)
    assert list(sql.bdms.list(UUID)) == []


def test_a_nic_has_one_row(far, sql, instance):
    nic = objects.VirtualInterface(
        uuid="22222222-2222-3333-4444-555555555555", address="fa:16:3e:00:00:01", instance_uuid=UUID, tag="a"
    )
    far.vifs.create(nic)
    [kept] = sql.vifs.list(UUID)
    assert kept.id == nic.id
    far.vifs.destroy(nic)
    assert list(sql.vifs.list(UUID)) == []


def test_a_move_between_hosts_has_one_row(far, sql, instance):
    migration = objects.Migration(
        instance_uuid=UUID, source_compute="node-1", status="accepted", migration_type="resize"
    )
    far.migrations.create(migration)
    [kept] = sql.migrations.list_by_filters({"instance_uuid": UUID})
    assert kept.uuid == migration.uuid


def test_a_conductor_that_never_answers_is_given_up(client):
    lossy = Lossy(client, "nothing")
    lossy.left = [False] * 3
    pauses = []
    far = RemoteStores(lossy, patience=Patience(tries=3, pause_s=1.0, sleep=pauses.append))
    with pytest.raises(errors.Timeout):
        far.instances.get(UUID)
    assert pauses == [1.0, 1.0]
