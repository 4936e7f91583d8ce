"""The daemon as a whole: its methods, its periodic work, its start and its end."""

import inspect
import json
import os
import threading
from pathlib import Path

import pytest
from oslo_config import cfg

from openkeel.common.options import register_all
from openkeel.compute.daemon import ComputeService
from openkeel.compute.endpoint import ComputeEndpoint
from openkeel.compute.options import GROUPS, settings_from
from openkeel.compute.settings import Intervals, Settings
from openkeel.compute.tasks import ThreadTasks
from openkeel.domain.errors import ConsoleNotAvailable
from openkeel.domain.states import VMState
from openkeel.rpc.methods import COMPUTE
from openkeel.virt.driver import HostFailure
from tests.fixtures.compute_world import World, eventually

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[4] / "shared"))
CONTRACT = SHARED / "contracts" / "config_options.json"


@pytest.mark.parametrize("method", COMPUTE.methods, ids=lambda method: method.name)
def test_every_method_of_the_table_is_served_with_its_arguments(world, method):
    served = inspect.signature(getattr(world.compute, method.name)).parameters
    assert set(served) == {"ctx", *method.sends, *method.accepts}


def test_nothing_else_can_be_called(world):
    public = {name for name in vars(world.compute) if not name.startswith("_")}
    assert public == {method.name for method in COMPUTE.methods}
    assert (world.compute.target.version, world.compute.target.namespace) == (COMPUTE.version, None)


def test_a_method_that_nobody_serves_is_noticed_at_the_start():
    with pytest.raises(LookupError, match="served by 0"):
        ComputeEndpoint([])


def test_periodic_work_can_be_off():
    off = Intervals(0, 0, 0, 0, 0, 0, 0)
    world = World(Settings(periodic_enabled=False, intervals=off))
    assert [row.name for row in world.service.periodics() if row.is_on] == []


def test_periodic_work_that_is_on_runs_and_fails_alone(world):
    world.start(build_timeout_s=60)
    rows = [row for row in world.service.periodics() if row.is_on]
    assert {row.name for row in rows} == {
        "check_build_time",
        "update_available_resource",
        "sync_scheduler_instance_info",
        "sync_power_states",
        "recover_stalled",
        "running_deleted",
        "pending_deletes",
    }
    instance = world.booted()
    for row in rows:
        row.run()
    assert world.states(instance) == (VMState.ACTIVE, None)


class Server:
    def __init__(self, log):
        self.log = log

    def start(self):
        self.log.append("start")

    def stop(self):
        self.log.append("stop")

    def wait(self, timeout_s=None):
        self.log.append("wait")
        return True


def test_the_bus_is_opened_only_after_recovery(world):
    instance = world.server()
    world.stores.instances.change(instance.uuid, host="node-1", task_state="spawning")
    seen = []

    class Watching(Server):
        def start(self):
            seen.append(world.states(instance))

    service = ComputeService(world.host, world.glance, lambda _endpoint: Watching([]))
    service.start()
    assert seen == [(VMState.ERROR, None)]
    service.stop()


def test_an_unusable_hypervisor_stops_the_start(world):
    world.hypervisor.script.fail("start", HostFailure(reason="no such node"))
    log = []
    service = ComputeService(world.host, world.glance, lambda _endpoint: Server(log))
    with pytest.raises(HostFailure):
        service.start()
    assert log == []


def test_a_stop_waits_for_what_runs_and_leaves_guests_alone():
    world = World(tasks=ThreadTasks())
    log = []
    service = ComputeService(world.host, world.glance, lambda _endpoint: Server(log))
    service.start()
    spawning, go_on = threading.Event(), threading.Event()

    def slowly():
        spawning.set()
        assert go_on.wait(10)

    instance = world.server()
    world.compute = service.endpoint
    world.hypervisor.script.during("spawn", slowly)
    world.build(instance)
    assert spawning.wait(10)
    threading.Timer(0.05, go_on.set).start()
    service.stop()
    assert log == ["start", "stop", "wait"]
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert instance.uuid in world.hypervisor.guests


def test_no_more_builds_run_at_once_than_allowed():
    world = World(tasks=ThreadTasks(max_concurrent_builds=2))
    running, most = [], []
    both = threading.Barrier(2, timeout=10)

    def spawn():
        running.append(1)
        most.append(len(running))
        both.wait()
        running.pop()

    servers = [world.server() for _ in range(4)]
    for instance in servers:
        world.hypervisor.script.during("spawn", spawn)
        world.build(instance)
    eventually(lambda: not any(world.service.boot.is_under_way(instance.uuid) for instance in servers))
    world.tasks.drain(10)
    assert max(most) == 2
    assert all(world.states(instance) == (VMState.ACTIVE, None) for instance in servers)


def test_delayed_work_is_dropped_at_the_end():
    tasks = ThreadTasks()
    ran = []
    tasks.later(60, ran.append, 1)
    assert tasks.drain(1)
    tasks.later(0, ran.append, 2)
    assert ran == []


@pytest.mark.parametrize(
    ("log", "lines", "shown"),
    [
        (b"a\nb\nc\n", None, "a\nb\nc\n"),
        (b"a\nb\nc\n", 1, ""),
        (b"a\nb\nc\n", 3, "b\nc\n"),
        (b"a\nb\nc\n", 99, "a\nb\nc\n"),
        (b"a\nb\nc\n", 0, ""),
        (b"a\nb\nlogin: ", 2, "b\nlogin: "),
        (b"a\r\nb\r\n\n", 3, "b\r\n\n"),
        (b"a\x0bb\nc", 2, "a\x0bb\nc"),
    ],
)
def test_the_console_shows_as_many_lines_as_asked_for(world, log, lines, shown):
    instance = world.booted()
    world.hypervisor.guests[instance.uuid].console[:] = log
    assert world.compute.get_console_output(world.context(), instance=instance, tail_length=lines) == shown


def test_a_console_of_nothing_is_not_available(world):
    instance = world.server()
    with pytest.raises(ConsoleNotAvailable):
        world.compute.get_console_output(world.context(), instance=instance, tail_length=None)


def test_bytes_that_are_no_text_are_replaced(world):
    instance = world.booted()
    world.hypervisor.guests[instance.uuid].console[:] = b"\xff\n"
    shown = world.compute.get_console_output(world.context(), instance=instance, tail_length=None)
    assert shown == "\ufffd\n"


@pytest.mark.skipif(not CONTRACT.exists(), reason="needs the contract files (OPENKEEL_SHARED)")
def test_options_are_those_operators_know():
    known = {(row["group"], row["name"]): row for row in json.loads(CONTRACT.read_text())["options"]}
    for group, options in GROUPS.items():
        for option in options:
            row = known[group, option.name]
            assert option.default == row.get("default"), option.name
            assert type(option).__name__ == row["opt_class"], option.name
            assert getattr(option.type, "min", None) == row.get("min"), option.name
            assert list(getattr(option.type, "choices", None) or []) == row.get("choices", []), option.name


def test_defaults_of_the_settings_are_those_of_the_options():
    conf = cfg.ConfigOpts()
    register_all(conf)
    conf([], project="openkeel", default_config_files=[], default_config_dirs=[])
    assert settings_from(conf) == Settings(state_path="/var/lib/openkeel")  # no default: a place to write to
