"""A compute host whose data comes through a conductor from a real database."""

import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import Zones
from openkeel.rpc.client import Timeouts
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.remote_stores.bundle import RemoteStores
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports
from openkeel.services.quota import QuotaService
from tests.fixtures.compute_world import World
from tests.fixtures.db import (  # noqa: F401 - fixtures of this folder
    api_database,
    cell,
    cell_database,
    cells,
    database_templates,
)

ATTRS = ("flavor", "info_cache", "metadata", "system_metadata")


class Records:
    """The servers' rows as the API and the conductor see them."""

    def __init__(self, stores):
        self._cell = stores

    def create(self, instance):
        self._cell.instances.create(instance)

    def row(self, uuid):
        return self._cell.instances.get(uuid, ATTRS, deleted=None)

    def change(self, uuid, **values):
        row = self._cell.instances.get(uuid)
        for name, value in values.items():
            setattr(row, name, value)
        self._cell.instances.save(row)


@pytest.fixture
def conductor(cell, cells):  # noqa: F811
    """The conductor of the cell, on a bus in memory."""
    conf = cfg.ConfigOpts()
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf([], default_config_files=[], default_config_dirs=[])
    transports = Transports(conf)
    transport = transports.get("fake://")
    endpoint = ObjectEndpoint(cell, cells.api, QuotaService(cells), Zones())
    server = RpcServer(transport, ["conductor"], "conductor-1", [endpoint], WireSerializer())
    server.start()
    yield ConductorClient(transport, timeouts=Timeouts(answer_s=20))
    server.stop()
    server.wait(10)
    transports.close()


@pytest.fixture
def world(conductor, cell):  # noqa: F811
    return World(stores=RemoteStores(conductor), records=Records(cell))
