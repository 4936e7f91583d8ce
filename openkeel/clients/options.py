"""Options of all outside services, under Nova's names (contract: config_options.json)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.clients.cinder import options as cinder
from openkeel.clients.cyborg import options as cyborg
from openkeel.clients.glance import options as glance
from openkeel.clients.ironic import options as ironic
from openkeel.clients.keystone import options as keystone
from openkeel.clients.manila import options as manila
from openkeel.clients.neutron import options as neutron
from openkeel.clients.placement import options as placement
from openkeel.clients.service_options import SERVICE_USER, auth_options, session_options

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    cinder.GROUP: cinder.OPTS,
    cyborg.GROUP: cyborg.OPTS,
    glance.GROUP: glance.OPTS,
    ironic.GROUP: ironic.OPTS,
    keystone.GROUP: keystone.OPTS,
    manila.GROUP: manila.OPTS,
    neutron.GROUP: neutron.OPTS,
    placement.GROUP: placement.OPTS,
    "service_user": SERVICE_USER,
    "vendordata_dynamic_auth": (*session_options(), *auth_options()),  # towards vendordata_dynamic_targets
}
