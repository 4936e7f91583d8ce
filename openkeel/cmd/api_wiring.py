"""The REST API of one worker process, from its configuration."""

from oslo_config import cfg

from openkeel.api.middleware import Application
from openkeel.api.wiring import make_app
from openkeel.clients.glance.client import make_client as make_glance
from openkeel.clients.keystone.client import make_client as make_keystone
from openkeel.clients.neutron.client import make_client as make_neutron
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.cmd.api_services import Outside, api_services
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.messaging import Messaging
from openkeel.common.clock import SystemClock
from openkeel.policies import Enforcer


def application(conf: cfg.ConfigOpts) -> Application:
    """The WSGI application, with connections of its own: call it after the fork."""
    cells = cell_directory(conf)
    enforcer = Enforcer(conf)
    messaging = Messaging(
        conf,
        lambda: min(
            (
                found
                for cell in cells.cells(include_cell0=False)
                if (found := cell.services.minimum_version("nova-compute"))
            ),
            default=0,
        ),
    )
    services = api_services(
        conf,
        cells=cells,
        outside=Outside(make_glance(conf), make_keystone(conf), make_neutron(conf), make_placement(conf)),
        conductor=messaging.tasks,
        compute_of=lambda cell: messaging.computes(cell.mapping.transport_url),
        enforcer=enforcer,
        clock=SystemClock(),
    )
    return make_app(conf, services, enforcer)
