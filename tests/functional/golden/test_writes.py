"""Every operation that writes, on both sides of each of its breakpoints, against golden files.

Through HTTP, with all daemons and real databases. The files are made by `scripts/golden`; whether they
say what Nova says is asked by tests/compat/test_golden.py. Reads: tests/functional/whole_api.
"""

import os

import pytest

from openkeel.api.resources import operations
from tests.fixtures.breakpoints import all_sides
from tests.fixtures.bus import bus
from tests.fixtures.cloud import cloud, cloud_policy
from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.functional.golden import files
from tests.functional.golden.table import Write
from tests.functional.golden.things import World
from tests.functional.golden.walk import answers, label
from tests.functional.golden.writes import WRITES

__all__ = ["api_database", "bus", "cell_database", "cells", "cloud", "cloud_policy", "database_templates"]

IS_RENEWING = "OPENKEEL_RENEW_GOLDEN" in os.environ
OPERATIONS = [one for one in operations() if one.method != "GET"]


NOUNS = sorted({files.noun(one) for one in OPERATIONS})


@pytest.mark.timeout(600)  # seconds when the machine is calm
@pytest.mark.parametrize("noun", NOUNS)
def test_every_write_answers_as_its_golden_file_says(cloud, noun):
    world = World(cloud)
    found = {}
    try:
        for operation in OPERATIONS:
            if files.noun(operation) == noun:
                # Removed operations are asked with nothing.
                row = Write(operation.name) if operation.is_removed else WRITES[operation.name]
                found[operation] = answers(world, operation, row)
    finally:
        cloud.conductor.start()
    if IS_RENEWING:
        files.write(found)
    golden = files.read()
    wrong = {one.name: said for one, said in found.items() if golden.get(one.name) != said}
    assert wrong == {name: golden.get(name) for name in wrong}


def test_every_write_has_a_row_and_no_row_is_of_nothing():
    assert set(WRITES) == {one.name for one in OPERATIONS if not one.is_removed}


def test_no_breakpoint_is_missing_in_the_golden_files():
    golden = files.read()
    assert set(golden) == {one.name for one in OPERATIONS}
    for operation in OPERATIONS:
        told = [version for entry in golden[operation.name] for version in entry["in"]]
        assert told == [label(minor) for minor in all_sides(operation)], operation.name
