"""One suite, two subjects: the SQL stores of a cell, and the remote stores that reach them by RPC."""

import shutil

import oslo_messaging
import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import Zones
from openkeel.db.cells import ApiStores, CellDirectory, CellStores
from openkeel.db.migrate import upgrade
from openkeel.db.session import Database, DatabaseSettings
from openkeel.domain.states import VMState
from openkeel.rpc.client import Timeouts
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.remote_stores.bundle import RemoteStores
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports
from openkeel.services.quota import QuotaService

UUID = "11111111-2222-3333-4444-555555555555"


@pytest.fixture(scope="module")
def transport():
    conf = cfg.ConfigOpts()
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf([], default_config_files=[])
    transports = Transports(conf)
    yield transports.get("fake://")
    transports.close()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Files with both schemas as the revisions make them, to be copied."""
    folder = tmp_path_factory.mktemp("schemas")
    for kind in ("main", "api"):
        database = Database(DatabaseSettings(url=f"sqlite:///{folder}/{kind}.sqlite"))
        upgrade(database, kind)
        database.dispose()
    return folder


@pytest.fixture
def sql(tmp_path, fresh):
    """The SQL stores of a cell in a file of its own."""
    shutil.copy(fresh / "main.sqlite", tmp_path)
    database = Database(DatabaseSettings(url=f"sqlite:///{tmp_path}/main.sqlite"))
    yield CellStores(database)
    database.dispose()


@pytest.fixture
def api(tmp_path, fresh):
    """The SQL stores of the API database."""
    shutil.copy(fresh / "api.sqlite", tmp_path)
    database = Database(DatabaseSettings(url=f"sqlite:///{tmp_path}/api.sqlite"))
    yield ApiStores(database)
    database.dispose()


class _Current:
    """An endpoint whose cell is exchanged from test to test, while its server goes on."""

    target = oslo_messaging.Target(version="3.0")

    def __init__(self) -> None:
        self.endpoint = None

    def object_action(self, ctx, **arguments):
        return self.endpoint.object_action(ctx, **arguments)

    def object_class_action_versions(self, ctx, **arguments):
        return self.endpoint.object_class_action_versions(ctx, **arguments)

    def object_backport_versions(self, ctx, **arguments):
        return self.endpoint.object_backport_versions(ctx, **arguments)


@pytest.fixture(scope="module")
def conductor(transport):
    current = _Current()
    server = RpcServer(transport, ["conductor"], "conductor-1", [current], WireSerializer())
    server.start()
    yield current
    server.stop()
    assert server.wait(10)


@pytest.fixture
def client(transport, conductor, sql, api):
    mapping = objects.CellMapping(
        uuid="0" * 8 + "-0000-0000-0000-" + "0" * 11 + "1",
        name="cell1",
        database_connection=sql.database.settings.url,
        transport_url="none:///",
        disabled=False,
    )
    api.cell_mappings.create(mapping)
    cells = CellDirectory(api.database, lambda url: Database(DatabaseSettings(url=url)))
    conductor.endpoint = ObjectEndpoint(sql, api, QuotaService(cells), Zones())
    yield ConductorClient(transport, timeouts=Timeouts(answer_s=20))
    cells.close()


@pytest.fixture(params=["sql", "remote"])
def stores(request, sql):
    """The subject of the suite."""
    if request.param == "sql":
        return sql
    return RemoteStores(request.getfixturevalue("client"))


@pytest.fixture
def ctx():
    return Context("user-1", "project-1", request_id="req-11111111-1111-1111-1111-111111111111")


@pytest.fixture
def instance(sql):
    """A server that is building on node-1, as the conductor made it."""
    row = objects.Instance(
        uuid=UUID,
        user_id="user-1",
        project_id="project-1",
        host="node-1",
        node="node-1",
        vm_state=VMState.BUILDING,
        task_state="scheduling",
        display_name="web",
        flavor=objects.Flavor(name="m1", flavorid="1", memory_mb=512, vcpus=1, root_gb=1, ephemeral_gb=0),
        metadata={"role": "web"},
        system_metadata={"image_base_image_ref": "x"},
    )
    sql.instances.create(row)
    return row
