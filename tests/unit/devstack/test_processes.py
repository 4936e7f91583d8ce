"""Finding and ending real processes."""

import os
import subprocess
import uuid

import pytest

from devstack.lib.processes import end, memory_mib, parents, tree, with_environment


@pytest.fixture
def mark():
    return uuid.uuid4().hex


@pytest.fixture
def start(mark):
    started = []

    def start(script):
        process = subprocess.Popen(
            ["/bin/sh", "-c", script],
            env={**os.environ, "DEVSTACK_TEST": mark},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_process_is_found_by_its_environment_with_its_children(start, mark):
    process = start("sleep 60 & echo; wait")
    found = with_environment("DEVSTACK_TEST", mark)
    assert process.pid in found
    assert len(found) == 2
    assert tree(process.pid, parents()) == found
    assert memory_mib(found)[0] > 0
    end(found)


def test_what_was_asked_to_stop_is_gone(start, mark):
    process = start("sleep 60 & echo; wait")
    end(with_environment("DEVSTACK_TEST", mark))
    assert process.wait(timeout=5) != 0
    assert not with_environment("DEVSTACK_TEST", mark)


def test_what_does_not_stop_is_killed(start, mark):
    process = start("trap '' TERM; echo; while :; do sleep 0.2; done")
    end([process.pid], patience_s=0.3)
    assert process.wait(timeout=5) == -9
