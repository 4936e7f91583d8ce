"""From the bodies of requests to commands: where versions and spellings end.

Contract: behaviour that differs by microversion stands in the Behaviour rows; the rest is the same
for all versions once the schema has let it pass.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oslo_utils import uuidutils

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.tables import Behaviour
from openkeel.api.versions import V
from openkeel.clients.neutron.types import NicRequest, NicRequests
from openkeel.domain.errors import Invalid
from openkeel.services.boot_request import BootRequest, DiskRequest, InjectedFile
from openkeel.services.servers import UNSET, ServerChanges

DESCRIBED_BY_NAME: Final = Behaviour("described_by_name", until=V.SERVER_DESCRIPTION)
PORT_RESOURCES: Final = Behaviour("port_resources", since=V.PORT_RESOURCE_REQUESTS)
CREATE_BEHAVIOURS: Final = (DESCRIBED_BY_NAME, PORT_RESOURCES)


def boot_request(request: Request) -> BootRequest:
    """The command in a body of POST /servers. Raises: Invalid."""
    body: Mapping[str, Any] = request.body
    server: Mapping[str, Any] = body["server"]
    name = server["name"].strip()
    groups = server.get("security_groups")
    certificates = server.get("trusted_image_certificates")
    return BootRequest(
        name=name,
        flavor_id=_last_segment(str(server["flavorRef"])),
        image_id=server.get("imageRef") or None,
        networks=_networks(server.get("networks")),
        # Compat: before servers had descriptions the name was written there.
        description=name if request.has(DESCRIBED_BY_NAME) else server.get("description"),
        hostname=server.get("hostname"),
        metadata=server.get("metadata", {}),
        security_groups=None if groups is None else tuple(_group_name(group) for group in groups),
        key_name=_stripped(server.get("key_name")),
        user_data=server.get("user_data"),
        admin_password=server.get("adminPass"),
        injected_files=tuple(_file(file) for file in server.get("personality", ())),
        config_drive=forms.to_bool(server.get("config_drive", False)),
        auto_disk_config=_disk_config(server),
        access_ip_v4=server.get("accessIPv4"),
        access_ip_v6=server.get("accessIPv6"),
        availability_zone=_stripped(server.get("availability_zone")),
        host=server.get("host"),
        node=server.get("hypervisor_hostname"),
        min_count=_number(server.get("min_count")),
        max_count=_number(server.get("max_count")),
        tags=tuple(server.get("tags", ())),
        trusted_certificates=None if certificates is None else tuple(certificates),
        scheduler_hints=body.get("os:scheduler_hints", body.get("OS-SCH-HNT:scheduler_hints", {})),
        disks=_disks(server),
        may_request_port_resources=request.has(PORT_RESOURCES),
    )


def server_changes(request: Request) -> ServerChanges:
    """The command in a body of PUT /servers/{id}."""
    server: Mapping[str, Any] = request.body["server"]
    disk_config = _disk_config(server)
    return ServerChanges(
        name=server["name"].strip() if "name" in server else UNSET,
        description=server.get("description", UNSET),
        access_ip_v4=server.get("accessIPv4", UNSET),
        access_ip_v6=server.get("accessIPv6", UNSET),
        hostname=server.get("hostname", UNSET),
        auto_disk_config=UNSET if disk_config is None else disk_config,
        pinned_zone=server.get("pinned_availability_zone", UNSET),
    )


def _last_segment(reference: str) -> str:
    """A reference may be a URL, of which the last part is the id."""
    return reference.rstrip("/").rsplit("/", 1)[-1]


def _stripped(text: str | None) -> str | None:
    return None if text is None else text.strip()


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _disk_config(server: Mapping[str, Any]) -> bool | None:
    value = server.get("OS-DCF:diskConfig")
    return None if value is None else value == "AUTO"


def _group_name(group: Mapping[str, str]) -> str:
    if "name" not in group:
        raise Invalid("A security group needs a name.")
    return group["name"].strip()


def _file(file: Mapping[str, str]) -> InjectedFile:
    missing = [key for key in ("path", "contents") if key not in file]
    if missing:
        raise Invalid(f"A personality file needs its {missing[0]}.")
    return InjectedFile(file["path"], file["contents"])


def _networks(networks: Any) -> NicRequests:
    if not networks:
        return NicRequests.any()
    if isinstance(networks, str):
        return NicRequests.none() if networks == "none" else NicRequests.auto()
    return NicRequests.given(_nic(network) for network in networks)


def _nic(network: Mapping[str, Any]) -> NicRequest:
    fixed_ip, tag = network.get("fixed_ip"), network.get("tag")
    if network.get("port"):
        if fixed_ip:
            raise Invalid("A fixed IP address cannot be given for a port, which has its own.")
        return NicRequest(port_id=network["port"], tag=tag)
    network_id = network.get("uuid")
    if network_id is None:
        raise Invalid("A network needs a uuid or a port.")
    # Compat: the name of its bridge was once accepted as a network's id.
    if not uuidutils.is_uuid_like(network_id.removeprefix("br-")):
        raise Invalid(f"{network_id} is not the id of a network.")
    return NicRequest(network_id=network_id.removeprefix("br-"), fixed_ip=fixed_ip, tag=tag)


def _disks(server: Mapping[str, Any]) -> tuple[DiskRequest, ...]:
    legacy: Sequence[Mapping[str, Any]] = server.get("block_device_mapping", ())
    disks: Sequence[Mapping[str, Any]] = server.get("block_device_mapping_v2", ())
    if legacy and disks:
        raise Invalid("block_device_mapping and block_device_mapping_v2 cannot come together.")
    return (
        *(DiskRequest("volume", is_legacy=True) for _ in legacy),
        *(_disk(disk) for disk in disks),
    )


def _disk(disk: Mapping[str, Any]) -> DiskRequest:
    named = next((disk[key] for key in ("uuid", "image_id") if key in disk), None)
    return DiskRequest(
        source_type=disk.get("source_type"),
        destination_type=disk.get("destination_type"),
        uuid=named,
        boot_index=_number(disk.get("boot_index")),
        size=_number(disk.get("volume_size")),
        guest_format=disk.get("guest_format"),
        device_name=disk.get("device_name"),
        device_type=disk.get("device_type"),
        disk_bus=disk.get("disk_bus"),
        delete_on_termination=forms.to_bool(disk.get("delete_on_termination", False)),
        tag=disk.get("tag"),
        is_no_device="no_device" in disk and "source_type" not in disk,
    )
