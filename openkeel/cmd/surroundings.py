"""What lies around a daemon: the services it talks to, its databases and buses, its hypervisor, time.

Daemons are built from a configuration and this. Here everything is the real thing, made when it is
first asked for; tests of the whole hand in surroundings of their own.
"""

from functools import cached_property

from oslo_config import cfg

from openkeel.clients.cinder.client import make_client as make_cinder
from openkeel.clients.cinder.interface import Cinder
from openkeel.clients.glance.client import make_client as make_glance
from openkeel.clients.glance.interface import Glance
from openkeel.clients.ironic.client import make_client as make_ironic
from openkeel.clients.ironic.interface import Ironic
from openkeel.clients.keystone.client import make_client as make_keystone
from openkeel.clients.keystone.interface import Keystone
from openkeel.clients.neutron.client import make_client as make_neutron
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.clients.placement.interface import Placement
from openkeel.cmd.notifying import notifications
from openkeel.common.clock import Clock, SystemClock
from openkeel.common.context import Context
from openkeel.db.session import Database, DatabaseSettings
from openkeel.notifications.notifier import Notifications
from openkeel.policies import Enforcer
from openkeel.rpc.transports import Transports
from openkeel.virt.driver import Driver


class Surroundings:
    """As the configuration describes them."""

    def __init__(self, conf: cfg.ConfigOpts, policy: Enforcer | None = None) -> None:
        """`policy` are rules that were read already."""
        self._conf = conf
        self._policy = policy

    @cached_property
    def clock(self) -> Clock:
        return SystemClock()

    @cached_property
    def cinder(self) -> Cinder:
        return make_cinder(self._conf)

    @cached_property
    def glance(self) -> Glance:
        return make_glance(self._conf)

    @cached_property
    def ironic(self) -> Ironic:
        return make_ironic(self._conf)

    @cached_property
    def keystone(self) -> Keystone:
        return make_keystone(self._conf)

    @cached_property
    def neutron(self) -> Neutron:
        return make_neutron(self._conf)

    @cached_property
    def placement(self) -> Placement:
        return make_placement(self._conf)

    @cached_property
    def policy(self) -> Enforcer:
        return self._policy or Enforcer(self._conf)

    def database(self, settings: DatabaseSettings) -> Database:
        """One database. Whoever asks closes it."""
        return Database(settings)

    def transports(self) -> Transports:
        """Connections to the message buses. Whoever asks closes them."""
        return Transports(self._conf)

    def notifications(self, source: str) -> Notifications:
        """What the daemon, by the name Nova has for it, tells others. Whoever asks closes it."""
        return notifications(self._conf, source, self.clock, self._image_url)

    def _image_url(self, ctx: Context, image_id: str) -> str:
        return self.glance.address(ctx, image_id)  # most daemons make their client of Glance only now

    def driver(self) -> Driver:
        """The hypervisor of this host."""
        from openkeel.cmd.hypervisor import kubevirt_driver  # only computes load the Kubernetes client

        return kubevirt_driver(self._conf, self.glance)
