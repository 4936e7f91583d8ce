"""What compute relies on, whoever the hypervisor is."""

import dataclasses
import re
import uuid

import pytest

from openkeel.domain.states import PowerState
from openkeel.virt.driver import DiskSpec, GuestNotFound, GuestSpec, ImageSpec, NicSpec
from tests.contract.driver.conftest import eventually

PROJECT = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def spec(subject):
    """A guest that is removed after the test."""
    port = str(uuid.uuid4())
    made = GuestSpec(
        instance_uuid=str(uuid.uuid4()),
        name="instance-00000001",
        display_name="test",
        project_id=PROJECT,
        user_id="user",
        vcpus=1,
        memory_mib=64,
        disks=(
            DiskSpec(
                "root",
                0,
                1024,
                boot_index=0,
                image=ImageSpec("5b0c6d1c-0000-4000-8000-000000000001", "qcow2", "bare", 5000, 0),
            ),
            DiskSpec("ephemeral", 0, 64),
        ),
        nics=(NicSpec(port, "fa:16:3e:00:00:01", str(uuid.uuid4()), "br-int", "ovs", mtu=1442),),
        hostname="test",
    )
    yield made
    subject.driver.lifecycle.destroy(made.instance_uuid, PROJECT)


def power(subject, spec):
    status = subject.driver.lifecycle.observe(spec.instance_uuid, PROJECT)
    return status.power if status else None


def test_a_spawned_guest_runs(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    assert power(subject, spec) is PowerState.RUNNING
    assert spec.instance_uuid in subject.driver.lifecycle.list()


def test_a_guest_can_be_made_without_starting_it(subject, spec):
    subject.driver.lifecycle.spawn(spec, start=False)
    assert power(subject, spec) is PowerState.SHUTDOWN


def test_spawning_twice_makes_one_guest(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    subject.driver.lifecycle.spawn(spec)
    assert list(subject.driver.lifecycle.list()).count(spec.instance_uuid) == 1
    assert power(subject, spec) is PowerState.RUNNING


def test_a_destroyed_guest_is_gone_and_destroying_again_is_fine(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    subject.driver.lifecycle.destroy(spec.instance_uuid, PROJECT)
    assert subject.driver.lifecycle.observe(spec.instance_uuid, PROJECT) is None
    assert spec.instance_uuid not in subject.driver.lifecycle.list()
    subject.driver.lifecycle.destroy(spec.instance_uuid, PROJECT)


def test_a_guest_nobody_made_is_unknown(subject):
    assert subject.driver.lifecycle.observe(str(uuid.uuid4()), PROJECT) is None
    subject.driver.lifecycle.destroy(str(uuid.uuid4()), PROJECT)


def test_off_and_on_and_both_again(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    for _ in range(2):
        subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=2)
    assert power(subject, spec) is PowerState.SHUTDOWN
    for _ in range(2):
        subject.driver.power.power_on(spec)
    assert power(subject, spec) is PowerState.RUNNING


def test_a_running_guest_can_be_asked_to_reboot(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    assert subject.driver.power.reboot_soft(spec.instance_uuid, PROJECT) is True
    eventually(lambda: power(subject, spec) is PowerState.RUNNING)


def test_a_guest_that_is_off_cannot_be_asked_to_reboot(subject, spec):
    subject.driver.lifecycle.spawn(spec, start=False)
    assert subject.driver.power.reboot_soft(spec.instance_uuid, PROJECT) is False


@pytest.mark.parametrize("running", [True, False])
def test_a_hard_reboot_ends_running_from_any_state(subject, spec, running):
    subject.driver.lifecycle.spawn(spec, start=running)
    subject.driver.power.reboot_hard(spec)
    assert power(subject, spec) is PowerState.RUNNING


def test_a_hard_reboot_takes_over_a_changed_spec(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    subject.driver.power.reboot_hard(dataclasses.replace(spec, memory_mib=128))
    assert power(subject, spec) is PowerState.RUNNING


def test_starting_a_guest_that_is_not_there_is_refused(subject, spec):
    with pytest.raises(GuestNotFound):
        subject.driver.power.power_on(spec)


def test_events_tell_of_start_and_stop(subject, spec):
    subject.driver.lifecycle.spawn(spec)
    eventually(lambda: "started" in subject.kinds())
    subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=1)
    eventually(lambda: "stopped" in subject.kinds())
    assert {event.instance_uuid for event in subject.events} == {spec.instance_uuid}


def test_the_inventory_is_plausible(subject):
    found = subject.driver.host.inventory()
    assert found.vcpus > 0
    assert found.memory_mib > 0
    assert found.disk_gib > 0
    assert found.architecture == "x86_64"


def test_the_uptime_reads_like_that_of_the_command(subject):
    line = r"\s*\d+:\d+:\d+ up .+,  \d+ users?,  load average: [\d.]+, [\d.]+, [\d.]+"
    assert re.fullmatch(line, subject.driver.host.uptime())


def test_the_node_keeps_the_first_uuid_it_was_given(subject):
    first = subject.driver.host.node_uuid(str(uuid.uuid4()))
    assert subject.driver.host.node_uuid(str(uuid.uuid4())) == first
    assert subject.driver.host.node_name() == "node-1"


def test_there_is_no_console_without_a_guest(subject):
    with pytest.raises(GuestNotFound):
        subject.driver.console.output(str(uuid.uuid4()), PROJECT, max_bytes=100)


def test_an_image_is_cached_once(subject):
    image = ImageSpec(str(uuid.uuid4()), "qcow2", "bare", 5000, 0)
    assert subject.driver.images.cache(image) is True
    assert subject.driver.images.cache(image) is False
