"""`placement sync_aggregates`: which host fails for which reason, and that the others are done."""

import uuid

import pytest

from openkeel import objects
from openkeel.clients.placement.fake import FakePlacement
from openkeel.cmd.manage import placement as module
from openkeel.db.cells import ApiStores
from openkeel.db.session import Database, DatabaseSettings
from tests.unit.db.test_cell_stores import new_node, new_service

AGGREGATE = "abababab-1111-2222-3333-444444444444"


@pytest.fixture
def placement(monkeypatch):
    fake = FakePlacement()
    monkeypatch.setattr(module, "make_client", lambda _conf: fake)
    return fake


@pytest.fixture
def host(manage, deployment, cell, placement):
    """Makes hosts, mapped and known to Placement unless it is said otherwise."""

    def host(name, *, nodes=1, has_provider=True):
        cell.services.create(new_service(name))
        found = []
        for number in range(nodes):
            node = new_node(name, str(uuid.uuid4()), hypervisor_hostname=f"{name}-{number}")
            cell.compute_nodes.create(node)
            found.append(node.uuid)
            if has_provider:
                placement.ensure_provider(node.uuid, f"{name}-{number}")
        assert manage("cell_v2", "discover_hosts", "--by-service")[0] == 0
        return found

    return host


@pytest.fixture
def aggregate(deployment, tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/api.sqlite"))
    stores = ApiStores(database).aggregates

    def aggregate(*hosts):
        item = objects.Aggregate(name="fast", uuid=AGGREGATE, metadata={})
        stores.create(item)
        for name in hosts:
            stores.add_host(item, name)

    yield aggregate
    database.dispose()


def test_hosts_are_put_into_their_aggregates(manage, host, aggregate, placement):
    first, second = host("one"), host("two")
    aggregate("one", "two")
    code, out = manage("placement", "sync_aggregates", "--verbose")
    assert code == 0
    assert out.count(AGGREGATE) == 2
    for node in (*first, *second):
        assert placement.find_provider(node).aggregates == {AGGREGATE}
    assert manage("placement", "sync_aggregates") == (0, "")


@pytest.mark.parametrize(
    ("spoiled", "code"), [({"nodes": 2}, 1), ({"nodes": 0}, 5), ({"has_provider": False}, 6), (None, 4)]
)
def test_a_host_that_fails_is_told_by_the_code_and_stops_no_other(
    manage, host, aggregate, placement, spoiled, code
):
    if spoiled is not None:
        host("bad", **spoiled)
    good = host("good")
    aggregate("bad", "good")
    assert manage("placement", "sync_aggregates")[0] == code
    assert placement.find_provider(good[0]).aggregates == {AGGREGATE}
