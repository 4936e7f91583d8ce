"""Addresses of servers."""

from collections.abc import Iterator
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields
from openkeel.objects.network_info import NetworkInfo, fixed_ips


@payload
class IpPayload(Payload):
    VERSION = "1.0"
    fields = {
        "label": fields.StringField(),
        "mac": fields.MACAddressField(),
        "meta": fields.DictOfStringsField(),
        "port_uuid": fields.UUIDField(nullable=True),
        "version": fields.IntegerField(),
        "address": ovo_fields.IPV4AndV6AddressField(),
        "device_name": fields.StringField(nullable=True),
    }

    @classmethod
    def all_of(cls, network_info: NetworkInfo | None) -> list["IpPayload"]:
        """One per fixed address of each interface."""
        return [
            cls.of(
                None,
                label=(vif.get("network") or {}).get("label"),
                mac=vif["address"],
                meta=_texts(vif.get("meta")),
                port_uuid=vif["id"],
                version=ip["version"],
                address=ip["address"],
                device_name=vif.get("devname"),
            )
            for vif, ip in _addresses(network_info)
        ]


def _addresses(network_info: NetworkInfo | None) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for vif in network_info or ():
        for ip in fixed_ips(vif):
            yield vif, ip


def _texts(meta: dict[str, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (meta or {}).items()}
