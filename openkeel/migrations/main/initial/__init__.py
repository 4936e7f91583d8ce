"""The schema of the initial revision, by noun."""

from openkeel.migrations.main.initial import (
    devices,
    hosts,
    legacy,
    legacy_catalog,
    legacy_networks,
    quotas,
    security_groups,
    servers,
)
from openkeel.migrations.main.initial.metadata import METADATA

__all__ = [
    "METADATA",
    "devices",
    "hosts",
    "legacy",
    "legacy_catalog",
    "legacy_networks",
    "quotas",
    "security_groups",
    "servers",
]
