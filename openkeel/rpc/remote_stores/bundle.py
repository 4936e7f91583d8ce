"""All of them together, as a daemon holds them."""

from collections.abc import Callable

from openkeel.common.context import Context, admin_context
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.patience import ONCE, Patience
from openkeel.rpc.remote_stores.actions import RemoteActions
from openkeel.rpc.remote_stores.block_devices import RemoteBlockDevices
from openkeel.rpc.remote_stores.compute_nodes import RemoteComputeNodes
from openkeel.rpc.remote_stores.faults import RemoteFaults
from openkeel.rpc.remote_stores.groups import RemoteServerGroups
from openkeel.rpc.remote_stores.info_caches import RemoteInfoCaches
from openkeel.rpc.remote_stores.instances import RemoteInstances
from openkeel.rpc.remote_stores.migrations import RemoteMigrations
from openkeel.rpc.remote_stores.services import RemoteServices
from openkeel.rpc.remote_stores.shares import RemoteShares
from openkeel.rpc.remote_stores.task_logs import RemoteTaskLogs
from openkeel.rpc.remote_stores.virtual_interfaces import RemoteVirtualInterfaces
from openkeel.rpc.remote_stores.wire import Wire


class RemoteStores:
    """The bundle.

    Args:
        context: The context for what the daemon does on its own account.
        patience: With what gets no answer.
        pulse: The client for heartbeats; by default the one for everything.
    """

    def __init__(
        self,
        client: ConductorClient,
        context: Callable[[], Context] = admin_context,
        patience: Patience | None = None,
        *,
        pulse: ConductorClient | None = None,
    ) -> None:
        wire = Wire(client, context, patience or Patience())
        self.instances = RemoteInstances(wire)
        self.info_caches = RemoteInfoCaches(wire)
        self.bdms = RemoteBlockDevices(wire)
        self.actions = RemoteActions(wire)
        self.faults = RemoteFaults(wire)
        self.services = RemoteServices(wire, Wire(pulse or client, context, ONCE))
        self.compute_nodes = RemoteComputeNodes(wire)
        self.migrations = RemoteMigrations(wire)
        self.groups = RemoteServerGroups(wire)
        self.shares = RemoteShares(wire)
        self.task_logs = RemoteTaskLogs(Wire(client, context, ONCE))
        self.vifs = RemoteVirtualInterfaces(wire)
