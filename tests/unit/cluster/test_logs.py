"""The guest's console through the log of its pod."""

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import GUEST, MACHINE
from devstack.cluster.logs import LogQuery, Logs
from devstack.cluster.objects import key_of
from devstack.cluster.timings import Timings
from tests.unit.cluster.world import World, machine


@pytest.fixture
def world():
    world = World(Timings(boot=10.0))
    world.make(MACHINE, machine(hostname="web"))
    world.start()
    return world


def read(world, **query):
    query = {"container": "guest-console-log", **query}
    return (
        Logs(world.store, world.plane.guests, world.clock)
        .read(key_of(world.launcher()), LogQuery.read(query))
        .decode()
    )


def test_the_boot_log_grows_until_the_login_prompt(world):
    early = read(world)
    assert early.startswith("[    0.000000] Linux version")
    assert "login:" not in early
    world.run(10.0)
    assert read(world).startswith(early)
    assert read(world).endswith("web login: \n")


def test_lines_and_bytes_can_be_limited(world):
    world.run(10.0)
    assert read(world, tailLines="1") == "web login: \n"
    assert read(world, tailLines="0") == ""
    assert read(world, limitBytes="10") == "[    0.000"
    assert read(world, sinceSeconds="1").count("\n") == 2, "the last line of cloud-init and the prompt"


def test_timestamps_are_put_before_each_line(world):
    assert read(world, timestamps="true").startswith("2027-01-15T08:00:00.000000Z [    0.000000]")


def test_what_a_cut_off_boot_had_still_to_say_is_never_said(world):
    world.run(5.0)
    world.call("virtualmachineinstances/softreboot")
    world.run(1.0)
    text = read(world)
    assert "reboot: Power down" in text
    assert text.count("Linux version") == 2
    assert "login:" not in text
    world.run(10.0)
    assert read(world).count("login:") == 1


def test_the_log_of_a_guest_that_ended_stays_with_its_pod(world):
    world.run(10.0)
    world.plane.guests.power_off(world.get(GUEST, "vm")["metadata"]["uid"])
    world.run()
    assert "reboot: Power down" in read(world)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"container": ""}, 400),
        ({"container": "other"}, 400),
        ({"previous": "true"}, 400),
        ({"tailLines": "-1"}, 422),
        ({"tailLines": "many"}, 400),
    ],
)
def test_what_cannot_be_read_is_refused(world, query, code):
    with pytest.raises(ApiError) as refusal:
        read(world, **query)
    assert refusal.value.code == code


def test_a_container_that_has_not_started_has_no_log():
    world = World(Timings(container_start=5.0))
    world.make(MACHINE, machine())
    world.start()
    with pytest.raises(ApiError, match="waiting to start"):
        read(world)
