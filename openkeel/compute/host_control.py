"""The host as a whole: its resources, whether new servers may come, its uptime."""

import logging
from typing import NoReturn

from openkeel.common.context import Context, admin_context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.domain.errors import Unsupported

LOG = logging.getLogger(__name__)


class HostControl:
    """Uptime, enabling, resources."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def periodics(self) -> tuple[Periodic, ...]:
        """Resources to the database and Placement; servers to the schedulers."""
        intervals = self._host.settings.intervals
        return (
            Periodic(
                "update_available_resource", self._host.tracker.update, every_s=intervals.update_resources_s
            ),
            Periodic(
                "sync_scheduler_instance_info", self.sync_schedulers, every_s=intervals.scheduler_sync_s
            ),
        )

    def get_host_uptime(self, ctx: Context) -> str:  # noqa: ARG002 - part of every remote method
        """The node's uptime line. Raises: Unsupported where it cannot be known."""
        uptime = self._host.driver.host.uptime()
        if uptime is None:
            raise Unsupported("This hypervisor does not tell its uptime.")
        return uptime

    def set_host_enabled(self, ctx: Context, enabled: bool) -> str:  # noqa: ARG002 - as above
        """The service was enabled or disabled: say so in Placement."""
        self._host.tracker.show_disabled(is_disabled=not enabled)
        return "enabled" if enabled else "disabled"

    def host_maintenance_mode(self, ctx: Context, host: str, mode: bool) -> NoReturn:  # noqa: ARG002 - as above
        """Nodes are taken out of service by the cluster's own means. Raises: Unsupported."""
        raise Unsupported("Maintenance is the cluster's business: cordon and drain the node there.")

    def host_power_action(self, ctx: Context, action: str) -> NoReturn:  # noqa: ARG002 - as above
        """Nobody but the cluster's administrator turns nodes off. Raises: Unsupported."""
        raise Unsupported(f"The cluster's nodes do not {action} from here.")

    def sync_schedulers(self) -> None:
        """Tell the schedulers which servers are here."""
        if not self._host.settings.tracks_scheduler:
            return
        uuids = list(self._host.stores.instances.uuids_by_host(self._host.name))
        self._host.scheduler.sync_instance_info(
            admin_context(), host_name=self._host.name, instance_uuids=uuids
        )
