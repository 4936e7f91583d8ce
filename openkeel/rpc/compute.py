"""What other daemons ask of a compute. Method and argument names are Nova's wire contract."""

from collections.abc import Mapping, Sequence
from typing import Any

import oslo_messaging

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain.errors import ComputeServiceUnavailable
from openkeel.rpc.client import ApiClient, Timeouts
from openkeel.rpc.methods import COMPUTE
from openkeel.rpc.serializer import WireSerializer


def host_of(instance: objects.Instance) -> str:
    """The host that must be asked about a server.

    Raises: ComputeServiceUnavailable when it is on none.
    """
    if not instance.host:
        raise ComputeServiceUnavailable(f"Instance {instance.uuid} is on no host", host=None)
    return str(instance.host)


class ComputeClient:
    """Calls to the computes of one cell: `transport` is the cell's.

    Methods about a server go to its own host unless `host` says otherwise.
    """

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        serializer: WireSerializer,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
    ) -> None:
        self._api = ApiClient(COMPUTE, transport, serializer, timeouts=timeouts, version_cap=version_cap)

    # boot, delete

    def build_and_run_instance(
        self,
        ctx: Context,
        *,
        host: str,
        instance: objects.Instance,
        image: Mapping[str, Any],
        request_spec: objects.RequestSpec,
        filter_properties: Mapping[str, Any],
        accel_uuids: Sequence[str] = (),
        admin_password: str | None = None,
        injected_files: Sequence[Any] | None = None,
        requested_networks: objects.NetworkRequestList | None = None,
        security_groups: Sequence[str] | None = None,
        block_device_mapping: objects.BlockDeviceMappingList | None = None,
        node: str | None = None,
        limits: objects.SchedulerLimits | None = None,
        host_list: Sequence[objects.Selection] | None = None,
    ) -> None:
        """Start a build; `host_list` are the alternates for when it fails there."""
        self._api.send(
            "build_and_run_instance",
            ctx,
            server=host,
            instance=instance,
            image=image,
            request_spec=request_spec,
            filter_properties=filter_properties,
            accel_uuids=accel_uuids,
            admin_password=admin_password,
            injected_files=injected_files,
            requested_networks=requested_networks,
            security_groups=security_groups,
            block_device_mapping=block_device_mapping,
            node=node,
            limits=limits,
            host_list=host_list,
        )

    def terminate_instance(
        self,
        ctx: Context,
        *,
        instance: objects.Instance,
        bdms: objects.BlockDeviceMappingList,
        host: str | None = None,
    ) -> None:
        self._api.send(
            "terminate_instance", ctx, server=host or host_of(instance), instance=instance, bdms=bdms
        )

    # power

    def start_instance(self, ctx: Context, *, instance: objects.Instance, host: str | None = None) -> None:
        self._api.send("start_instance", ctx, server=host or host_of(instance), instance=instance)

    def stop_instance(
        self,
        ctx: Context,
        *,
        instance: objects.Instance,
        clean_shutdown: bool = True,
        host: str | None = None,
    ) -> None:
        self._api.send(
            "stop_instance",
            ctx,
            server=host or host_of(instance),
            instance=instance,
            clean_shutdown=clean_shutdown,
        )

    def reboot_instance(
        self,
        ctx: Context,
        *,
        instance: objects.Instance,
        reboot_type: str,
        block_device_info: Mapping[str, Any] | None = None,
        host: str | None = None,
    ) -> None:
        """`reboot_type` is SOFT or HARD."""
        self._api.send(
            "reboot_instance",
            ctx,
            server=host or host_of(instance),
            instance=instance,
            block_device_info=block_device_info,
            reboot_type=reboot_type,
        )

    # console

    def get_console_output(
        self,
        ctx: Context,
        *,
        instance: objects.Instance,
        tail_length: int | None,
        host: str | None = None,
    ) -> str | None:
        """The last lines of the serial console; all that is kept when `tail_length` is None."""
        output: str | None = self._api.send(
            "get_console_output",
            ctx,
            server=host or host_of(instance),
            instance=instance,
            tail_length=tail_length,
        )
        return output

    # diagnostics

    def get_diagnostics(
        self, ctx: Context, *, instance: objects.Instance, host: str | None = None
    ) -> Mapping[str, Any]:
        """What the hypervisor measures of a guest, in its own words."""
        measured: Mapping[str, Any] = self._api.send(
            "get_diagnostics", ctx, server=host or host_of(instance), instance=instance
        )
        return measured

    def get_instance_diagnostics(
        self, ctx: Context, *, instance: objects.Instance, host: str | None = None
    ) -> Any:
        """The same in the words that all hypervisors share: a Diagnostics."""
        return self._api.send(
            "get_instance_diagnostics", ctx, server=host or host_of(instance), instance=instance
        )

    # events

    def external_instance_event(
        self,
        ctx: Context,
        *,
        instances: Sequence[objects.Instance],
        events: Sequence[objects.InstanceExternalEvent],
        host: str,
    ) -> None:
        """Hand on what another service reported about servers of one host."""
        self._api.send("external_instance_event", ctx, server=host, instances=instances, events=events)

    # host

    def get_host_uptime(self, ctx: Context, *, host: str) -> str:
        return str(self._api.send("get_host_uptime", ctx, server=host))

    def set_host_enabled(self, ctx: Context, *, host: str, enabled: bool) -> str:
        """Tell a host that its service was enabled or disabled, so that Placement knows it too."""
        return str(self._api.send("set_host_enabled", ctx, server=host, enabled=enabled))

    def host_maintenance_mode(self, ctx: Context, *, host: str, mode: bool) -> str:
        """Take a host into maintenance or out of it. Raises: Unsupported by most hypervisors."""
        # Compat: the method has an argument `host` too, of a time when it could name another one.
        arguments = {"host": host, "mode": mode}
        return str(self._api.send("host_maintenance_mode", ctx, server=host, **arguments))

    def host_power_action(self, ctx: Context, *, host: str, action: str) -> str:
        """Reboot, shut down or start the host itself. Raises: Unsupported by most hypervisors."""
        return str(self._api.send("host_power_action", ctx, server=host, action=action))

    # image_cache

    def cache_images(self, ctx: Context, *, host: str, image_ids: Sequence[str]) -> Mapping[str, str]:
        """Have a host fetch images. Returns: how it went with each (domain.image_caching.Cached)."""
        answer: Mapping[str, str] = self._api.send(
            "cache_images", ctx, server=host, image_ids=list(image_ids)
        )
        return answer
