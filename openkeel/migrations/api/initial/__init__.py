"""The schema of the initial revision, by noun."""

from openkeel.migrations.api.initial import aggregates, boot, flavors, placement, quotas
from openkeel.migrations.api.initial.metadata import METADATA

__all__ = ["METADATA", "aggregates", "boot", "flavors", "placement", "quotas"]
