"""A read operation that is new is asked in a takeover too: the suite knows something to ask it for."""

import re

from openkeel.cmd.manage.describe import routes
from tests.interop.takeover.reading import _LEFT, _PARAMETERS, World, paths


def test_every_read_operation_has_something_to_be_asked_for():
    world = World({word: [f"<{word}>"] for _, word in _PARAMETERS})
    asked = {path.partition("?")[0] for path in paths(world)}
    declared = [row for row in routes() if row["method"] == "GET" and not row["removed"]]
    alone = {row["path"] for row in declared if "{" not in row["path"]}
    left = re.compile("|".join(path for path, _ in _LEFT))
    assert {path for path in alone if not left.match(path)} <= asked
    assert len(asked) > len(alone)
