"""One module or folder per resource, each with its OPERATIONS.

A module has four sections in this order: fields (views), bodies and queries, handlers, OPERATIONS.
"""

from importlib import import_module
from typing import Final

from openkeel.api.tables import Operation

RESOURCES: Final[tuple[str, ...]] = (
    "versions",
    "extensions",
    "flavors",
    "flavor_extra_specs",
    "keypairs",
    "limits",
    "quota_sets",
    "quota_class_sets",
    "usage",
    "usage_audit_log",
    "aggregates",
    "server_groups",
    "services",
    "hosts",
    "hypervisors",
    "availability_zones",
    "instance_actions",
    "migrations",
    "servers",
    "server_actions",
    "server_metadata",
    "server_tags",
    "server_password",
    "server_topology",
    "server_diagnostics",
    "console_auth_tokens",
    "server_ips",
    "server_external_events",
    "images",
    "image_metadata",
    "networks",
    "security_groups",
    "floating_ips",
    "volumes",
    "volume_snapshots",
    "volumes_boot",
    "baremetal_nodes",
    "removed",
)


def operations() -> tuple[Operation, ...]:
    """Every operation of the API."""
    rows: list[Operation] = []
    for name in RESOURCES:
        rows.extend(import_module(f"{__name__}.{name}").OPERATIONS)
    return tuple(rows)
