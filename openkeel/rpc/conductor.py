"""What other daemons ask of a conductor."""

from collections.abc import Mapping, Sequence
from typing import Any

import oslo_messaging

from openkeel import objects
from openkeel.common.context import Context
from openkeel.rpc.client import ApiClient, Timeouts
from openkeel.rpc.methods import COMPUTE_TASK, CONDUCTOR
from openkeel.rpc.patience import Patience
from openkeel.rpc.serializer import WireSerializer


class ConductorClient:
    """Data of the cell, as remotable methods of objects. `rpc.remote_stores` speaks through it."""

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
    ) -> None:
        # Objects too new for us are brought down by the conductor itself, so the serializer needs us.
        self.serializer = WireSerializer(self._brought_down)
        self._api = ApiClient(
            CONDUCTOR, transport, self.serializer, timeouts=timeouts, version_cap=version_cap
        )

    def object_action(
        self,
        ctx: Context,
        objinst: Any,
        objmethod: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], Any]:
        """Run a method of an object. Returns the fields it changed and its result."""
        updates, result = self._api.send(
            "object_action",
            ctx,
            objinst=objinst,
            objmethod=objmethod,
            args=list(args),
            kwargs=dict(kwargs or {}),
        )
        return updates, result

    def object_class_action_versions(
        self,
        ctx: Context,
        objname: str,
        objmethod: str,
        object_versions: Mapping[str, str],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a class method; objects come back in the versions named."""
        return self._api.send(
            "object_class_action_versions",
            ctx,
            objname=objname,
            objmethod=objmethod,
            object_versions=dict(object_versions),
            args=list(args),
            kwargs=dict(kwargs or {}),
        )

    def _brought_down(self, ctx: Context, objinst: Any, object_versions: Mapping[str, str]) -> Any:
        return Patience().outlast(lambda: self.object_backport_versions(ctx, objinst, object_versions))

    def object_backport_versions(self, ctx: Context, objinst: Any, object_versions: Mapping[str, str]) -> Any:
        """An object (or its primitive) in the versions named."""
        return self._api.send(
            "object_backport_versions", ctx, objinst=objinst, object_versions=dict(object_versions)
        )


class ComputeTaskClient:
    """Work across hosts. All of it is cast: the action log and faults tell how it went."""

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        serializer: WireSerializer,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
    ) -> None:
        self._api = ApiClient(COMPUTE_TASK, transport, serializer, timeouts=timeouts, version_cap=version_cap)

    def schedule_and_build_instances(
        self,
        ctx: Context,
        *,
        build_requests: Sequence[objects.BuildRequest],
        request_specs: Sequence[objects.RequestSpec],
        image: Mapping[str, Any],
        admin_password: str | None,
        injected_files: Sequence[Any] | None,
        requested_networks: objects.NetworkRequestList | None,
        block_device_mapping: objects.BlockDeviceMappingList,
        tags: objects.TagList | None = None,
    ) -> None:
        """Find hosts for new servers and start their builds, each with disks like these."""
        self._api.send(
            "schedule_and_build_instances",
            ctx,
            build_requests=build_requests,
            request_specs=request_specs,
            image=image,
            admin_password=admin_password,
            injected_files=injected_files,
            requested_networks=requested_networks,
            block_device_mapping=block_device_mapping,
            tags=tags,
        )

    def build_instances(
        self,
        ctx: Context,
        *,
        instances: Sequence[objects.Instance],
        image: Mapping[str, Any],
        filter_properties: Mapping[str, Any],
        admin_password: str | None,
        injected_files: Sequence[Any] | None,
        requested_networks: objects.NetworkRequestList | None,
        security_groups: Sequence[str] | None,
        request_spec: objects.RequestSpec,
        host_lists: Sequence[Sequence[objects.Selection]] | None = None,
    ) -> None:
        """Send failed builds to their next host."""
        self._api.send(
            "build_instances",
            ctx,
            instances=instances,
            image=image,
            filter_properties=filter_properties,
            admin_password=admin_password,
            injected_files=injected_files,
            requested_networks=requested_networks,
            security_groups=security_groups,
            request_spec=request_spec,
            host_lists=host_lists,
        )

    def cache_images(self, ctx: Context, *, aggregate: objects.Aggregate, image_ids: Sequence[str]) -> None:
        """Have the hosts of an aggregate fetch images."""
        self._api.send("cache_images", ctx, aggregate=aggregate, image_ids=list(image_ids))
