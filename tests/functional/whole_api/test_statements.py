"""Reading costs the same number of SQL statements, however many rows there are."""

import pytest

from openkeel.api.resources import operations
from openkeel.api.versions import LATEST, text
from tests.fixtures.cloud import Cloud
from tests.fixtures.multiply import multiply
from tests.fixtures.sql import statements
from tests.functional.whole_api.conftest import NOT_OURS, done

MORE = 199
READS = [one for one in operations() if one.method == "GET" and not one.is_removed]


@pytest.fixture
def cloud(cells, bus, tmp_path, cloud_policy):
    """One that is left as it is at the end: nobody waits for hundreds of deletes."""
    whole = Cloud(cells, bus, tmp_path, cloud_policy)
    try:
        whole.start()
        yield whole
    finally:
        whole.close()
        cells.close()


def counted(cloud, paths):
    """The statements of each read at both ends of its life, when it is not the first of its kind."""
    found = {}
    directory = cloud.api.daemon._cells  # other daemons work meanwhile
    databases = [directory.api.database, *(cell.database for cell in directory.cells())]
    with statements(*databases) as seen:
        for operation in READS:
            for minor in sorted({max(operation.since, 1), min(operation.until - 1, LATEST)}):
                for _ in range(2):
                    seen.clear()
                    answer = cloud.admin("GET", paths(operation, minor), version=text(minor))
                is_there = answer.status_code in {200, 204} or operation.path.startswith(NOT_OURS)
                found[operation.name, text(minor)] = answer.status_code if not is_there else list(seen)
    return found


def different(few, many):
    return {
        name: (few[name], many[name])
        for name in few
        if isinstance(few[name], int) or isinstance(many[name], int) or len(few[name]) != len(many[name])
    }


def test_a_read_costs_the_same_however_many_there_are_of_everything(cloud, paths):
    few = counted(cloud, paths)
    assert 3 < len(few["GET /servers/detail", "2.104"]) < 30
    multiply(cloud.cells.api.database, MORE)
    multiply(cloud.cell1.database, MORE)
    assert len(done(cloud.admin("GET", "/v2.1/servers/detail?all_tenants=1"))["servers"]) == MORE + 1
    assert different(few, counted(cloud, paths)) == {}


def test_a_read_costs_the_same_however_much_belongs_to_one_thing(cloud, paths):
    few = counted(cloud, paths)
    own = {
        "instance_actions": {"instance_uuid"},
        "instance_actions_events": {"action_id"},
        "instance_metadata": {"instance_uuid"},
        "migrations": {"instance_uuid"},
        "tags": {"resource_id"},
        "block_device_mapping": {"instance_uuid"},
        "flavor_extra_specs": {"flavor_id"},
        "flavor_projects": {"flavor_id"},
        "aggregate_hosts": {"aggregate_id"},
        "aggregate_metadata": {"aggregate_id"},
        "instance_group_member": {"group_id"},
    }
    multiply(cloud.cells.api.database, MORE, only=own)
    multiply(cloud.cell1.database, MORE, only=own)
    server = next(iter(cloud.servers()))
    assert len(done(cloud.admin("GET", f"/v2.1/servers/{server}"))["server"]["metadata"]) == MORE + 1
    assert different(few, counted(cloud, paths)) == {}
