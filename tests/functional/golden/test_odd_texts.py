"""Texts that a database cannot hold, or that end it early, in every place of a body where a text may stand.

Whatever an operation thinks of them, it says so: nothing of ours breaks. Only MariaDB has something to break
(OPENKEEL_TEST_MARIADB_URL): its tables hold characters of three bytes.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from openkeel.api.resources import operations
from openkeel.api.versions import LATEST, text
from tests.fixtures.bus import bus
from tests.fixtures.cloud import cloud, cloud_policy
from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.functional.golden.table import body_of
from tests.functional.golden.things import World
from tests.functional.golden.walk import filled, made, named
from tests.functional.golden.writes import WRITES

__all__ = ["api_database", "bus", "cell_database", "cells", "cloud", "cloud_policy", "database_templates"]

ODD = {
    "four bytes": "a\N{GRINNING FACE}b",
    "no character": "a\ud83db",
    "null": "a\0b",
    "long": "x" * 70_000,
}


def with_odd(value: Any, odd: str) -> Iterator[tuple[str, Any]]:
    """A body once for each text in it, keys of data among them, with something odd in its place."""
    if isinstance(value, str):
        yield "", odd
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for where, changed in with_odd(item, odd):
                yield f"[{at}]{where}", [*value[:at], changed, *value[at + 1 :]]
    elif isinstance(value, dict):
        for key, item in value.items():
            for where, changed in with_odd(item, odd):
                yield f".{key}{where}", {**value, key: changed}
            if isinstance(item, str):
                yield f".{key}?", {odd: item}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_are_taken_or_refused(cloud, kind):
    world = World(cloud)
    broken, asked = [], 0
    for operation in operations():
        write = WRITES.get(operation.name)
        if write is None or write.body is None:
            continue
        minor = world.minor = min(operation.until - 1, LATEST)
        try:
            for name in write.needs:
                world.id(name)
            path = filled(operation.path, [named(world, one) for one in write.ids])
            body = body_of(operation, minor, named(world, write.body))
            for where, odd in with_odd(body, ODD[kind]):
                answer = world.admin(operation.method, f"/v2.1{path}", odd, version=text(minor))
                asked += 1
                if answer.status_code >= 500:
                    broken.append((operation.name, where, answer.status_code))
                if write.new and answer.status_code < 300:
                    made(world, write, answer.json)
        finally:
            world.clear()
    cloud.conductor.start()
    assert broken == []
    assert asked > 80
