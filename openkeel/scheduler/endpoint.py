"""The scheduler's remote methods. Contract: rpc.json, topic scheduler, version 4.5."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

import oslo_messaging

from openkeel import objects
from openkeel.clients.placement.types import MICROVERSION
from openkeel.common.context import Context
from openkeel.domain.errors import Invalid
from openkeel.scheduler.aggregates import AggregateCache
from openkeel.scheduler.occupancy import Occupancy
from openkeel.scheduler.selector import Choice, Selector

LOG = logging.getLogger(__name__)


class Announcer(Protocol):
    """Who is told of choices (notifications.workflows.Scheduling). Raises nothing."""

    def choosing(self, ctx: Context, spec: objects.RequestSpec) -> None:
        """Hosts with room are being compared."""

    def chosen(self, ctx: Context, spec: objects.RequestSpec) -> None: ...


class Silence:
    """Nobody listens."""

    def choosing(self, ctx: Context, spec: objects.RequestSpec) -> None:
        """Say nothing."""

    def chosen(self, ctx: Context, spec: objects.RequestSpec) -> None:
        """Say nothing."""


class SchedulerEndpoint:
    """One-line adapters from the wire to the selector and the caches."""

    target = oslo_messaging.Target(version="4.5")

    def __init__(
        self,
        selector: Selector,
        aggregates: AggregateCache,
        occupancy: Occupancy,
        announcer: Announcer | None = None,
    ) -> None:
        self._announcer = announcer or Silence()
        self._selector = selector
        self._aggregates = aggregates
        self._occupancy = occupancy

    def select_destinations(
        self,
        ctx: Context,
        request_spec: Any = None,  # noqa: ARG002 wire, of callers before 4.0
        filter_properties: Any = None,  # noqa: ARG002 as above
        spec_obj: objects.RequestSpec | None = None,
        instance_uuids: Sequence[str] | None = None,
        return_objects: bool = False,
        return_alternates: bool = False,
    ) -> list[Any]:
        """Per server a list of Selections: the host, claimed, then its alternates.

        Without `return_objects` (callers before 4.5) per server one dictionary of the host.

        Raises: NoValidHost.
        """
        if spec_obj is None:
            raise Invalid("A request spec object is needed.")
        uuids = list(instance_uuids or [spec_obj.instance_uuid])
        chosen = self._selector.select(
            spec_obj,
            uuids,
            with_alternates=return_objects and return_alternates,
            on_candidates=lambda: self._announcer.choosing(ctx, spec_obj),
        )
        self._announcer.chosen(ctx, spec_obj)
        for uuid, (first, *alternates) in zip(uuids, chosen, strict=True):
            LOG.info(
                "instance %s goes to %s, alternates: %s",
                uuid,
                first.host.host,
                ", ".join(one.host.host for one in alternates) or "none",
            )
        if return_objects:
            return [[to_selection(choice) for choice in choices] for choices in chosen]
        return [{"host": first.host.host, "nodename": first.host.node, "limits": {}} for first, *_ in chosen]

    def update_aggregates(self, ctx: Context, aggregates: Sequence[objects.Aggregate]) -> None:  # noqa: ARG002 wire
        """Aggregates were made or changed."""
        self._aggregates.update(aggregates)

    def delete_aggregate(self, ctx: Context, aggregate: objects.Aggregate) -> None:  # noqa: ARG002 wire
        """An aggregate is gone."""
        self._aggregates.delete(aggregate)

    def update_instance_info(self, ctx: Context, host_name: str, instance_info: Any) -> None:  # noqa: ARG002 wire
        """A server, or a list of them, is on the host."""
        servers = [instance_info] if isinstance(instance_info, objects.Instance) else instance_info
        self._occupancy.put(host_name, [one.uuid for one in servers])

    def delete_instance_info(self, ctx: Context, host_name: str, instance_uuid: str) -> None:  # noqa: ARG002 wire
        """A server has left the host."""
        self._occupancy.remove(host_name, instance_uuid)

    def sync_instance_info(self, ctx: Context, host_name: str, instance_uuids: Sequence[str]) -> None:  # noqa: ARG002 wire
        """These are all the servers of the host."""
        self._occupancy.sync(host_name, instance_uuids)


def to_selection(choice: Choice) -> objects.Selection:
    """The choice as it travels."""
    limits = objects.SchedulerLimits()
    limits.obj_set_defaults()
    return objects.Selection(
        compute_node_uuid=choice.host.uuid,
        service_host=choice.host.host,
        nodename=choice.host.node,
        cell_uuid=choice.host.cell_uuid,
        limits=limits,
        allocation_request=choice.allocation.to_json(),
        allocation_request_version=MICROVERSION,
        availability_zone=choice.availability_zone,
    )
