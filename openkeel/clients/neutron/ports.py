"""Making, binding and releasing the ports of a server.

A port belongs to a server by its `device_id`: that is how a repeated bind finds what is there and a
release finds what to remove, whatever was lost on the way.
"""

import logging
from collections.abc import Collection, Sequence
from typing import Any, Final

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron import wire
from openkeel.clients.neutron.choice import DNS, Chooser, Extensions
from openkeel.clients.neutron.types import (
    BINDING_FAILED,
    BoundPort,
    Network,
    NetworkChoice,
    NicRequest,
    NicRequests,
    Port,
    PortOwner,
)
from openkeel.clients.session import Connection
from openkeel.common.context import Context
from openkeel.domain import errors

LOG = logging.getLogger(__name__)

DEFAULT_GROUP: Final = "default"

# Neutron's error types -> ours, for a new port. Facts that Neutron does not repeat are ours.
_PORT_ERRORS: Final[dict[str, type[errors.KeelError]]] = {
    "OverQuota": errors.PortLimitExceeded,
    "IpAddressGenerationFailure": errors.NoMoreFixedIps,
    "ExternalIpAddressExhausted": errors.NoMoreFixedIps,
    "IpAddressInUse": errors.FixedIpAlreadyInUse,
    "IpAddressAlreadyAllocated": errors.FixedIpAlreadyInUse,
    "InvalidIpForNetwork": errors.FixedIpInvalid,
    "InvalidIpForSubnet": errors.FixedIpInvalid,
    "NetworkNotFound": errors.NetworkNotFound,
}


class PortBinder:
    """The ports of servers on one Neutron."""

    def __init__(self, http: Connection, chooser: Chooser, extensions: Extensions) -> None:
        self._http = http
        self._chooser = chooser
        self._extensions = extensions

    def ports_of(self, instance_uuid: str) -> list[Port]:
        """The server's ports, oldest first."""
        body = self._http.json("GET", "/ports", params={"device_id": instance_uuid})
        ports = [wire.port(entry) for entry in body["ports"]]
        return sorted(ports, key=lambda port: (port.created_at or "", port.id))

    def find(self, port_id: str) -> Port | None:
        """One port, on the service account."""
        try:
            return wire.port(self._http.json("GET", f"/ports/{port_id}")["port"])
        except service_errors.NotFound:
            return None

    def bind(
        self, ctx: Context, owner: PortOwner, requests: NicRequests, security_groups: Sequence[str]
    ) -> list[BoundPort]:
        """See `Neutron.bind_ports`."""
        nics = self._resolved(ctx, owner, requests)
        if not nics:
            return []
        group_ids = self._group_ids(ctx, owner, security_groups)
        wanted = {nic.network_id for nic in nics if nic.port_id is None and nic.network_id}
        # Whether external networks are allowed was checked with the request: here they only must exist.
        networks = self._chooser.check_networks(ctx, wanted, may_attach_external=True)
        present = {port.id: port for port in self.ports_of(owner.instance_uuid)}
        spare = [port for port in present.values() if port.id not in requests.port_ids]
        made: list[str] = []
        taken: list[str] = []
        bound: list[BoundPort] = []
        try:
            for nic in nics:
                if nic.port_id is not None:
                    port = self._users_port(ctx, owner, nic.port_id)
                    taken.append(port.id)
                else:
                    port_or_none = _pick(spare, nic)
                    if port_or_none is None:
                        network = networks[str(nic.network_id)]
                        port_or_none = self._create(ctx, owner, network, nic, group_ids, present)
                        made.append(port_or_none.id)
                    port = port_or_none
                bound.append(
                    BoundPort(port=self._update(owner, port), is_ours=nic.port_id is None, tag=nic.tag)
                )
        except Exception as error:
            self._undo(error, made, [port_id for port_id in taken if port_id not in present])
            raise
        return bound

    def release(self, instance_uuid: str, keep: Collection[str]) -> list[str]:
        """See `Neutron.release_ports`. One failing port does not keep the others."""
        failures: list[Exception] = []
        released: list[str] = []
        for port in self.ports_of(instance_uuid):
            try:
                if port.id in keep:
                    self._let_go(port.id)
                else:
                    self._delete(port.id)
            except service_errors.ServiceError as error:
                LOG.warning("port %s of instance %s stays: %s", port.id, instance_uuid, error)
                failures.append(error)
            else:
                released.append(port.id)
        if failures:
            raise failures[0]
        return released

    def _resolved(self, ctx: Context, owner: PortOwner, requests: NicRequests) -> tuple[NicRequest, ...]:
        if requests.choice is NetworkChoice.GIVEN:
            return requests.nics
        if requests.choice is NetworkChoice.NONE:
            return ()
        network_id = self._chooser.chosen_network(ctx, requests.choice, owner.project_id, make=True)
        return () if network_id is None else (NicRequest(network_id=network_id),)

    def _group_ids(self, ctx: Context, owner: PortOwner, names: Sequence[str]) -> list[str]:
        if set(names) <= {DEFAULT_GROUP}:
            return []  # Neutron's own choice for a port without groups
        return [group.id for group in self._chooser.security_groups(ctx, owner.project_id, names)]

    def _users_port(self, ctx: Context, owner: PortOwner, port_id: str) -> Port:
        port = self._chooser.users_port(ctx, port_id)
        if port.device_id not in {"", owner.instance_uuid}:
            raise errors.PortInUse(port_id=port_id)
        if port.project_id != owner.project_id:
            raise errors.PortNotUsable(port_id=port_id, instance=owner.instance_uuid)
        return port

    def _create(
        self,
        ctx: Context,
        owner: PortOwner,
        network: Network,
        nic: NicRequest,
        group_ids: Sequence[str],
        present: dict[str, Port],
    ) -> Port:
        """A new port, made as the user so that his policy and quota count."""
        body: dict[str, Any] = {
            "network_id": network.id,
            "device_id": owner.instance_uuid,
            "admin_state_up": True,
            "project_id": owner.project_id,
        }
        if nic.fixed_ip:
            body["fixed_ips"] = [{"ip_address": nic.fixed_ip}]
        if group_ids:
            if not network.port_security:
                raise errors.SecurityGroupCannotBeApplied
            body["security_groups"] = list(group_ids)
        facts = {"network_id": network.id, "address": nic.fixed_ip, "overs": "ports"}
        try:
            port = self._posted(ctx, owner, body, present)
        except service_errors.ServiceError as error:
            kind = _PORT_ERRORS.get(error.code)
            if kind is None:
                raise
            raise kind(**facts) from error
        present[port.id] = port
        return port

    def _posted(self, ctx: Context, owner: PortOwner, body: dict[str, Any], present: dict[str, Port]) -> Port:
        """POST once; when the answer is lost, look whether the port was made before asking again."""
        try:
            return wire.port(self._http.json("POST", "/ports", ctx=ctx, body={"port": body})["port"])
        except service_errors.Unavailable as lost:
            if lost.facts.get("status") is not None:
                raise
            LOG.info("the answer about a new port of instance %s was lost", owner.instance_uuid)
            for port in self.ports_of(owner.instance_uuid):
                if port.id not in present and port.network_id == body["network_id"]:
                    return port
            return wire.port(self._http.json("POST", "/ports", ctx=ctx, body={"port": body})["port"])

    def _update(self, owner: PortOwner, port: Port) -> Port:
        """Bind it on the host: what Neutron wants a service for."""
        body: dict[str, Any] = {
            "device_id": owner.instance_uuid,
            # Compat: Neutron sends events only for owners that start so.
            "device_owner": f"compute:{owner.availability_zone or 'nova'}",
            "binding:host_id": owner.host,
        }
        if owner.hostname and self._extensions.has(DNS):
            body["dns_name"] = owner.hostname
        answer = self._http.json("PUT", f"/ports/{port.id}", body={"port": body})
        updated = wire.port(answer["port"])
        if updated.vif_type == BINDING_FAILED:
            raise errors.PortBindingFailed(port_id=port.id)
        return updated

    def _undo(self, error: Exception, made: Sequence[str], taken: Sequence[str]) -> None:
        for undo, port_ids in ((self._delete, made), (self._let_go, taken)):
            for port_id in port_ids:
                try:
                    undo(port_id)
                except service_errors.ServiceError as failure:
                    LOG.warning("port %s stays behind: %s", port_id, failure)
                    error.add_note(f"port {port_id} stays behind: {failure}")

    def _delete(self, port_id: str) -> None:
        try:
            self._http.request("DELETE", f"/ports/{port_id}")
        except service_errors.NotFound:
            LOG.debug("port %s is gone already", port_id)

    def _let_go(self, port_id: str) -> None:
        body: dict[str, Any] = {"device_id": "", "device_owner": "", "binding:host_id": ""}
        if self._extensions.has(DNS):
            body["dns_name"] = ""
        try:
            self._http.request("PUT", f"/ports/{port_id}", body={"port": body})
        except service_errors.NotFound:
            LOG.debug("port %s is gone already", port_id)


def _pick(spare: list[Port], nic: NicRequest) -> Port | None:
    """A port of an earlier attempt that fits the wish; taken out of `spare`."""
    for port in spare:
        fits = nic.fixed_ip is None or any(fixed.address == nic.fixed_ip for fixed in port.fixed_ips)
        if port.network_id == nic.network_id and fits:
            spare.remove(port)
            return port
    return None
