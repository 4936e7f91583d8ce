"""Availability zones: where hosts are, as aggregates say, and which of them are in service."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from openkeel.services.hosts import HostService, ServiceEntry


@dataclass(slots=True)
class Zone:
    """A zone with its services by host."""

    name: str
    is_available: bool
    hosts: dict[str, list[ServiceEntry]] = field(default_factory=dict)


class AvailabilityZoneService:
    """The use case of availability zones."""

    def __init__(self, hosts: HostService, internal_zone: str) -> None:
        self._hosts = hosts
        self._internal_zone = internal_zone

    def list(self, *, internal: bool) -> list[Zone]:
        """Zones with an enabled service, then those with none.

        `internal` also brings the zone of the services that run no servers. Order: as services came.
        """
        available: dict[str, Zone] = {}
        others: dict[str, Zone] = {}
        for service in self._hosts.services():
            if service.zone == self._internal_zone and not internal:
                continue
            enabled = service.row is not None and not service.row.disabled
            zones = available if enabled else others
            zone = zones.setdefault(service.zone, Zone(service.zone, is_available=enabled))
            zone.hosts.setdefault(service.host, []).append(service)
        missing = [zone for name, zone in others.items() if name not in available]
        return [*_sorted(available), *_sorted({zone.name: zone for zone in missing})]


def _sorted(zones: Mapping[str, Zone]) -> "list[Zone]":
    return [zones[name] for name in sorted(zones)]
