"""The REST API of one worker process, from its configuration."""

import atexit

from oslo_config import cfg

from openkeel.api.app import Wrapper
from openkeel.api.middleware import Application
from openkeel.api.wiring import make_app
from openkeel.cmd.api_services import api_services
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.messaging import Messaging
from openkeel.cmd.surroundings import Surroundings
from openkeel.policies import Enforcer


def application(conf: cfg.ConfigOpts, policy: Enforcer | None = None) -> Application:
    """The WSGI application, with connections of its own: call it after the fork.

    `policy` are rules read before it; they are read now when not given.
    """
    worker = ApiWorker(conf, Surroundings(conf, policy))
    atexit.register(worker.close)  # no server of WSGI applications says when it ends
    return worker.application


class ApiWorker:
    """One worker. Its HTTP server calls `application`; nothing runs by itself."""

    def __init__(
        self, conf: cfg.ConfigOpts, outside: Surroundings, authenticate: Wrapper | None = None
    ) -> None:
        """`authenticate` stands where Keystone's tokens are checked, if not those."""
        self._notifications = outside.notifications("nova-api")
        self._cells = cells = cell_directory(conf, outside.database, self._notifications.witness)
        self._messaging = messaging = Messaging(conf, outside.transports(), self._minimum_compute)
        services = api_services(
            conf,
            cells=cells,
            outside=outside,
            conductor=messaging.tasks,
            scheduler=messaging.scheduler,
            compute_of=lambda cell: messaging.computes(cell.mapping.transport_url),
            notifications=self._notifications,
        )
        self.application = make_app(conf, services, outside.policy, authenticate)

    def close(self) -> None:
        """Close all connections."""
        self._notifications.close()
        self._messaging.close()
        self._cells.close()

    def _minimum_compute(self) -> int:
        versions = (
            cell.services.minimum_version("nova-compute") for cell in self._cells.cells(include_cell0=False)
        )
        return min((version for version in versions if version), default=0)
