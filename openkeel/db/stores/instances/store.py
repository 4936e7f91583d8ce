"""Servers of one cell: all that can be done with them."""

from openkeel.db.stores.instances.counts import InstanceCounts
from openkeel.db.stores.instances.ends import InstanceEnds
from openkeel.db.stores.instances.extras import InstanceExtras
from openkeel.db.stores.instances.reads import InstanceReads
from openkeel.db.stores.instances.saves import InstanceSaves


class InstanceStore(InstanceReads, InstanceCounts, InstanceExtras, InstanceSaves, InstanceEnds):
    """One by one what the modules beside this have."""
