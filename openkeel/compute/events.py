"""What other services report about servers (contract: external_event_names of states.json).

Events are hints: they come twice, late and in any order. So each only makes us look, or marks a
port for a build that waits for it.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.compute.operation import EXPECTED_ATTRS, cast
from openkeel.domain.errors import KeelError, NotFound

LOG = logging.getLogger(__name__)

_Handler = Callable[[Host, Context, objects.Instance, objects.InstanceExternalEvent], None]


class Events:
    """External events."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def periodics(self) -> tuple[Periodic, ...]:
        """None."""
        return ()

    @cast
    def external_instance_event(
        self,
        ctx: Context,
        instances: Sequence[objects.Instance],
        events: Sequence[objects.InstanceExternalEvent],
    ) -> None:
        """Handle each event for its server; a failing one does not stop the others."""
        by_uuid = {instance.uuid: instance for instance in instances}
        for event in events:
            instance = by_uuid.get(event.instance_uuid)
            handle = _HANDLERS.get(event.name)
            if instance is None or handle is None:
                LOG.info("event %s of instance %s is not for us", event.name, event.instance_uuid)
                continue
            try:
                handle(self._host, ctx, instance, event)
            except NotFound as error:
                LOG.info("event %s came too late: %s", event.name, error)
            except KeelError as error:
                LOG.warning(
                    "event %s of instance %s was not handled: %s", event.name, event.instance_uuid, error
                )


def _plugged(
    host: Host, _ctx: Context, instance: objects.Instance, event: objects.InstanceExternalEvent
) -> None:
    port_id = _tag(event)
    if port_id is not None:
        failed = event.status == "failed"
        host.waiters.mark(instance.uuid, port_id, plugged=not failed, failed=failed)


def _unplugged(
    host: Host, _ctx: Context, instance: objects.Instance, event: objects.InstanceExternalEvent
) -> None:
    port_id = _tag(event)
    if port_id is not None:
        host.waiters.mark(instance.uuid, port_id, plugged=False)


def _changed(
    host: Host, ctx: Context, instance: objects.Instance, _event: objects.InstanceExternalEvent
) -> None:
    row = host.stores.instances.get(instance.uuid, EXPECTED_ATTRS)
    host.network.refresh(ctx, row)


def _deleted(
    host: Host, _ctx: Context, instance: objects.Instance, event: objects.InstanceExternalEvent
) -> None:
    port_id = _tag(event)
    if port_id is not None:
        host.network.drop_nic(instance, port_id)


def _tag(event: objects.InstanceExternalEvent) -> str | None:
    return event.tag if event.obj_attr_is_set("tag") else None


_HANDLERS: Final[dict[str, _Handler]] = {
    "network-vif-plugged": _plugged,
    "network-vif-unplugged": _unplugged,
    "network-changed": _changed,
    "network-vif-deleted": _deleted,
}
