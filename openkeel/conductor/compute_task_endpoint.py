"""The conductor's task endpoint: namespace compute_task, version 1.26 (contract: rpc.json)."""

from collections.abc import Sequence
from typing import Any

import oslo_messaging

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.workflows.boot import BootWorkflow
from openkeel.conductor.workflows.image_cache import ImageCacheWorkflow
from openkeel.conductor.workflows.plan import GuestInput, orders
from openkeel.conductor.workflows.reschedule import RescheduleWorkflow


class ComputeTaskEndpoint:
    """One-line adapters from the wire to the workflows."""

    target = oslo_messaging.Target(namespace="compute_task", version="1.26")

    def __init__(
        self, boot: BootWorkflow, reschedule: RescheduleWorkflow, image_cache: ImageCacheWorkflow
    ) -> None:
        self._boot = boot
        self._reschedule = reschedule
        self._image_cache = image_cache

    def schedule_and_build_instances(
        self,
        ctx: Context,
        build_requests: Sequence[objects.BuildRequest],
        request_specs: Sequence[objects.RequestSpec],
        image: Any,
        admin_password: str | None,
        injected_files: Sequence[Any],
        requested_networks: Any,
        block_device_mapping: Sequence[objects.BlockDeviceMapping],
        tags: objects.TagList | None = None,
    ) -> None:
        """Find hosts for new servers and start their builds."""
        given = GuestInput(image, admin_password, injected_files, requested_networks)
        self._boot.run(ctx, orders(build_requests, request_specs, block_device_mapping, tags), given)

    def build_instances(
        self,
        ctx: Context,
        instances: Sequence[objects.Instance],
        image: Any,
        filter_properties: dict[str, Any],
        admin_password: str | None,
        injected_files: Sequence[Any],
        requested_networks: Any,
        security_groups: Any,  # noqa: ARG002 - the request spec carries them
        block_device_mapping: Any = None,  # noqa: ARG002 - the cell's database has them
        legacy_bdm: bool = True,  # noqa: ARG002 - as above
        request_spec: objects.RequestSpec | None = None,
        host_lists: Sequence[Sequence[objects.Selection]] | None = None,
    ) -> None:
        """Send failed builds to their next host."""
        given = GuestInput(image, admin_password, injected_files, requested_networks)
        for number, instance in enumerate(instances):
            alternates = host_lists[number] if host_lists is not None else None
            self._reschedule.run(ctx, instance.uuid, given, filter_properties, alternates, request_spec)

    def cache_images(self, ctx: Context, aggregate: objects.Aggregate, image_ids: Sequence[str]) -> None:
        """Have the hosts of an aggregate fetch images."""
        self._image_cache.run(ctx, aggregate, image_ids)
