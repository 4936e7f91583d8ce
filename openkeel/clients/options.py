"""Options of all outside services, under Nova's names (contract: config_options.json)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.clients.glance import options as glance
from openkeel.clients.keystone import options as keystone
from openkeel.clients.neutron import options as neutron
from openkeel.clients.placement import options as placement
from openkeel.clients.service_options import SERVICE_USER

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    glance.GROUP: glance.OPTS,
    keystone.GROUP: keystone.OPTS,
    neutron.GROUP: neutron.OPTS,
    placement.GROUP: placement.OPTS,
    "service_user": SERVICE_USER,
}
