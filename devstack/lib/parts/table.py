"""Every part, group by group in the order they come up. A new part is a row here and a module beside it."""

from devstack.lib.part import Part
from devstack.lib.parts import (
    cinder,
    cluster,
    environments,
    glance,
    keystone,
    mariadb,
    memcached,
    neutron,
    nodes,
    openkeel,
    ovn,
    packages,
    placement,
    rabbitmq,
    resources,
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
    resources.IMAGE_AND_NETWORKS,
    *cinder.PARTS,
    *cluster.PARTS,
    *openkeel.PARTS,
    resources.FLAVORS,
    resources.FIRST_SERVER,
)
