"""What other daemons ask of, and tell, the schedulers."""

from collections.abc import Sequence

import oslo_messaging

from openkeel import objects
from openkeel.common.context import Context
from openkeel.rpc.client import ApiClient, Timeouts
from openkeel.rpc.methods import SCHEDULER
from openkeel.rpc.serializer import WireSerializer


class SchedulerClient:
    """Scheduling, and news of hosts for the schedulers' caches."""

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        serializer: WireSerializer,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
    ) -> None:
        self._api = ApiClient(SCHEDULER, transport, serializer, timeouts=timeouts, version_cap=version_cap)

    def select_destinations(
        self,
        ctx: Context,
        *,
        spec_obj: objects.RequestSpec,
        instance_uuids: Sequence[str],
        return_objects: bool = True,
        return_alternates: bool = False,
    ) -> list[list[objects.Selection]]:
        """One list a server: the chosen host first, already claimed, then its alternates.

        Raises: NoValidHost.
        """
        selections: list[list[objects.Selection]] = self._api.send(
            "select_destinations",
            ctx,
            spec_obj=spec_obj,
            instance_uuids=list(instance_uuids),
            return_objects=return_objects,
            return_alternates=return_alternates,
        )
        return selections

    def update_aggregates(self, ctx: Context, *, aggregates: Sequence[objects.Aggregate]) -> None:
        self._api.send("update_aggregates", ctx, aggregates=aggregates)

    def delete_aggregate(self, ctx: Context, *, aggregate: objects.Aggregate) -> None:
        self._api.send("delete_aggregate", ctx, aggregate=aggregate)

    def update_instance_info(
        self, ctx: Context, *, host_name: str, instance_info: objects.InstanceList
    ) -> None:
        """These servers are on the host."""
        self._api.send("update_instance_info", ctx, host_name=host_name, instance_info=instance_info)

    def delete_instance_info(self, ctx: Context, *, host_name: str, instance_uuid: str) -> None:
        """This server has left the host."""
        self._api.send("delete_instance_info", ctx, host_name=host_name, instance_uuid=instance_uuid)

    def sync_instance_info(self, ctx: Context, *, host_name: str, instance_uuids: Sequence[str]) -> None:
        """All servers of the host, to check a scheduler's cache against."""
        self._api.send("sync_instance_info", ctx, host_name=host_name, instance_uuids=instance_uuids)
