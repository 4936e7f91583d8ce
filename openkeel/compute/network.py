"""The ports of a server on this host, and what the info cache says of them.

The user's own ports outlive the server. Which they are stands in the info cache once the ports are
bound; until then a build that is cut off by a kill would not know, so their ids are noted in the
server's system metadata before anything is done.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import tenacity

from openkeel import objects
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import BoundPort, NicRequests, PortOwner
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.common.locks import NamedLocks
from openkeel.compute.records import project_of
from openkeel.domain.errors import InstanceNotFound, KeelError, NotFound
from openkeel.objects.network_info import NetworkInfo
from openkeel.objects.stores import CellStores

LOG = logging.getLogger(__name__)

_USER_PORT: Final = "user_port_"  # prefix of the system metadata keys, the port's id follows
_LONGEST_PAUSE_S: Final = 30.0  # between two tries to get the ports of a server; the first is of 1 s


def note_user_ports(instance: objects.Instance, requests: NicRequests) -> None:
    """Write the user's ports into the server's record; the caller saves it."""
    if requests.port_ids:
        marks = {f"{_USER_PORT}{port_id}": "1" for port_id in requests.port_ids}
        instance.system_metadata = {**instance.system_metadata, **marks}


def user_ports(instance: objects.Instance) -> frozenset[str]:
    """Ports that must survive the server."""
    noted = {key.removeprefix(_USER_PORT) for key in instance.system_metadata if key.startswith(_USER_PORT)}
    return frozenset(noted | {vif["id"] for vif in cached(instance) if vif.get("preserve_on_delete")})


def cached(instance: objects.Instance) -> NetworkInfo:
    """The NICs as last seen."""
    cache = instance.info_cache if instance.obj_attr_is_set("info_cache") else None
    return (cache.network_info if cache is not None else None) or NetworkInfo()


def access_addresses(network_info: NetworkInfo, network_name: str) -> dict[str, str]:
    """The first address of each IP version on a network, by the field that keeps a server's access address.

    Contract: the option default_access_ip_network_name.
    """
    found: dict[str, str] = {}
    for vif in network_info:
        if vif["network"]["label"] == network_name:
            for subnet in vif["network"]["subnets"]:
                for address in subnet["ips"]:
                    found.setdefault(f"access_ip_v{address['version']}", address["address"])
    return found


class Allocator:
    """Ports of this host's servers. `retries` say how often more it is tried to get those of a new one."""

    def __init__(
        self,
        host: str,
        neutron: Neutron,
        stores: CellStores,
        locks: NamedLocks,
        clock: Clock,
        retries: int = 0,
    ) -> None:
        self._clock = clock
        self._retries = retries
        self._host = host
        self._locks = locks
        self._neutron = neutron
        self._stores = stores

    def allocate(
        self,
        ctx: Context,
        instance: objects.Instance,
        requests: NicRequests,
        security_groups: Sequence[str],
        *,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> NetworkInfo:
        """Make or take over the ports, bind them here and remember them. Raises: as Neutron.bind_ports.

        What fails is tried again as long as the server `is_wanted`.
        """
        owner = PortOwner(
            instance_uuid=instance.uuid,
            project_id=project_of(instance),
            host=self._host,
            availability_zone=instance.availability_zone,
            hostname=instance.hostname,
        )
        bound = self._bound(ctx, owner, requests, security_groups, is_wanted)
        for each in bound:
            # Compat: the address column of virtual_interfaces is unique, so the port's id is part of it.
            address = f"{each.port.mac_address}/{each.port.id}"
            self._stores.vifs.create(
                objects.VirtualInterface(
                    instance_uuid=instance.uuid, uuid=each.port.id, address=address, tag=each.tag
                )
            )
        return self._remember(
            ctx,
            instance,
            order=[each.port.id for each in bound],
            keep=[each.port.id for each in bound if not each.is_ours],
        )

    def _bound(
        self,
        ctx: Context,
        owner: PortOwner,
        requests: NicRequests,
        security_groups: Sequence[str],
        is_wanted: Callable[[], bool],
    ) -> Sequence[BoundPort]:
        def shall_go_on(error: BaseException) -> bool:
            return isinstance(error, KeelError) and is_wanted()

        def tell(state: tenacity.RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            left = self._retries + 1 - state.attempt_number
            LOG.warning("instance %s got no ports, %d more tries: %s", owner.instance_uuid, left, error)

        tries = tenacity.Retrying(
            retry=tenacity.retry_if_exception(shall_go_on),
            stop=tenacity.stop_after_attempt(self._retries + 1),
            wait=tenacity.wait_exponential(max=_LONGEST_PAUSE_S),
            before_sleep=tell,
            sleep=self._clock.sleep,
            reraise=True,
        )
        return tries(self._neutron.bind_ports, ctx, owner, requests, security_groups)

    def release(self, ctx: Context, instance: objects.Instance) -> None:
        """Delete the server's ports and let go of the user's. Idempotent."""
        self._neutron.release_ports(ctx, instance.uuid, keep=user_ports(instance))
        for vif in self._stores.vifs.list(instance.uuid):
            with suppress(NotFound):
                self._stores.vifs.destroy(vif)

    def forget(self, instance: objects.Instance) -> None:
        """Empty the info cache after the ports are gone; fine when the server is gone as well."""
        try:
            cache = self._stores.info_caches.get(instance.uuid)
            cache.network_info = NetworkInfo()
            self._stores.info_caches.save(cache)
        except NotFound:
            LOG.debug("instance %s has no info cache any more", instance.uuid)

    def refresh(self, ctx: Context, instance: objects.Instance) -> NetworkInfo:
        """Ask Neutron how the NICs are and remember it."""
        return self._remember(ctx, instance)

    def active_ports(self, ctx: Context, instance_uuid: str) -> Collection[str]:
        """Ports that Neutron calls active; none when it does not answer."""
        try:
            return [port.id for port in self._neutron.list_ports(ctx, instance_uuid) if port.is_active]
        except KeelError as error:
            LOG.warning("ports of instance %s unknown: %s", instance_uuid, error)
            return ()

    def drop_nic(self, instance: objects.Instance, port_id: str) -> None:
        """The port was deleted in Neutron: forget its NIC."""
        with self._one_writer(instance):
            cache = self._stores.info_caches.get(instance.uuid)
            left = NetworkInfo(vif for vif in cache.network_info or () if vif["id"] != port_id)
            cache.network_info = left
            self._stores.info_caches.save(cache)
        for vif in self._stores.vifs.list(instance.uuid):
            if vif.uuid == port_id:
                self._stores.vifs.destroy(vif)

    def _one_writer(self, instance: objects.Instance) -> AbstractContextManager[None]:
        """The cache is read, changed and written: one at a time."""
        return self._locks.hold(f"info-cache-{instance.uuid}")

    def _remember(
        self,
        ctx: Context,
        instance: objects.Instance,
        *,
        order: Sequence[str] = (),
        keep: Sequence[str] = (),
    ) -> NetworkInfo:
        with self._one_writer(instance):
            try:
                cache = self._stores.info_caches.get(instance.uuid)
            except NotFound as error:
                raise InstanceNotFound(instance_id=instance.uuid) from error
            fresh = self._neutron.network_info(
                ctx,
                instance.uuid,
                project_of(instance),
                previous=cache.network_info or (),
                order=order,
                keep=keep,
            )
            cache.network_info = NetworkInfo(fresh)
            self._stores.info_caches.save(cache)
            return NetworkInfo(fresh)
