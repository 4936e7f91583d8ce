"""Every read on both sides of each of its breakpoints, through HTTP with real databases.

That an answer has exactly the fields, types and codes of its version is checked by the client that asks
(tests.fixtures.declared); that these are the versions Nova has them in, by tests/compat.
Writes: tests/functional/golden.
"""

from openkeel.api.reference.answers import answer
from openkeel.api.resources import operations
from openkeel.api.versions import text
from tests.fixtures.breakpoints import sides
from tests.functional.whole_api.conftest import NOT_OURS

READS = [one for one in operations() if one.method == "GET" and not one.is_removed]


def test_every_read_has_in_each_version_what_the_tables_say(cloud, paths):
    asked, refused = 0, set()
    for operation in READS:
        for minor in sides(operation):
            found = cloud.admin("GET", paths(operation, minor), version=text(minor))
            asked += 1
            if found.status_code not in {200, 204}:
                refused.add((operation.path, found.status_code))
            elif answer(operation, minor) is not None:
                assert found.json, operation.name
    assert asked > 400
    assert {status for _, status in refused} <= {400, 404, 501}
    assert {path for path, _ in refused if not path.startswith(NOT_OURS)} <= {
        "/servers/{server_id}/diagnostics",  # the host of these tests cannot
        "/os-hypervisors/{id}/uptime",
    }
