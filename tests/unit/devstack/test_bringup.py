"""Bringing parts up, without programs: order, once-ness, failure and going on from there."""

import pytest

from devstack.lib.bringup import BringUp, PartFailed, explanation
from devstack.lib.order import ordered
from devstack.lib.part import Part
from devstack.lib.shell import last_lines
from devstack.lib.site import Site


@pytest.fixture
def site(tmp_path):
    site = Site(root=tmp_path, home=tmp_path / "state")
    site.record()
    return site


class World:
    """Parts that note in which order they were set up."""

    def __init__(self, site):
        self.site = site
        self.done = []
        self.lines = []

    def part(self, name, *needs, key=lambda _site: "1", command=("true",)):
        def setup(_site, shell):
            shell.run(*command)
            self.done.append(name)

        return Part(name=name, group="g", needs=needs, setup=setup, setup_key=key)

    def up(self, *parts):
        BringUp(self.site, parts, self.lines.append).run(ordered(parts))


@pytest.fixture
def world(site):
    return World(site)


def test_needs_are_brought_up_first_and_each_part_gets_a_line(world):
    world.up(world.part("roof", "walls"), world.part("walls", "floor"), world.part("floor"))
    assert world.done == ["floor", "walls", "roof"]
    assert [line.split("]")[1].split()[0] for line in world.lines] == ["floor", "walls", "roof"]


def test_a_setup_runs_once_until_its_key_changes(world):
    world.up(world.part("schema"))
    world.up(world.part("schema"))
    assert world.done == ["schema"]
    world.up(world.part("schema", key=lambda _site: "2"))
    assert world.done == ["schema", "schema"]


def test_files_are_written_before_the_setup_reads_them(world, site):
    path = site.etc / "deep" / "part.conf"
    part = Part(
        name="part",
        group="g",
        files=lambda _site: {path: "text"},
        setup=lambda _site, shell: shell.run("cat", path) and None,
    )
    world.up(part)
    assert "text" in last_lines(site.log / "part.setup.log", 5)


def test_a_failure_stops_what_needs_it_and_shows_the_end_of_the_log(world, site):
    broken = world.part("walls", "floor", command=("sh", "-c", "echo the bricks are out; exit 3"))
    with pytest.raises(PartFailed) as failure:
        world.up(world.part("floor"), broken, world.part("roof", "walls"))
    assert world.done == ["floor"]
    told = explanation(site, failure.value)
    assert "walls could not be prepared" in told
    assert "ended with 3" in told
    assert "the bricks are out" in told


def test_the_next_run_goes_on_where_the_last_one_failed(world):
    floor, roof = world.part("floor"), world.part("roof", "walls")
    with pytest.raises(PartFailed):
        world.up(floor, world.part("walls", "floor", command=("false",)), roof)
    world.up(floor, world.part("walls", "floor"), roof)
    assert world.done == ["floor", "walls", "roof"]


def test_a_part_that_is_never_ready_is_given_up(world):
    late = Part(name="late", group="g", ready=lambda _site: False, ready_seconds=0)
    with pytest.raises(PartFailed, match="late was not ready after 0 s"):
        world.up(late)


def test_a_ready_part_is_asked_until_it_says_yes(world):
    answers = iter((False, False, True))
    world.up(Part(name="slow", group="g", ready=lambda _site: next(answers)))
    assert world.lines
