"""Every part, group by group in the order they come up. A new part is a row here and a module beside it."""

from devstack.lib.part import Part
from devstack.lib.parts import (
    environments,
    glance,
    keystone,
    mariadb,
    memcached,
    neutron,
    nodes,
    ovn,
    packages,
    placement,
    rabbitmq,
)

PARTS: tuple[Part, ...] = (
    *packages.PARTS,
    *environments.PARTS,
    *mariadb.PARTS,
    *rabbitmq.PARTS,
    *memcached.PARTS,
    *ovn.PARTS,
    *nodes.PARTS,
    *keystone.PARTS,
    *placement.PARTS,
    *glance.PARTS,
    *neutron.PARTS,
)
