"""Which RPC version each release and each service version speaks (contract: rpc.json, objects.json)."""

from collections.abc import Callable
from typing import Final

# What our daemons write into services.version, and the oldest they work with.
SERVICE_VERSION: Final = 74
OLDEST_SUPPORTED_SERVICE_VERSION: Final = 72

# Compute RPC versions by the first service version that spoke them, oldest first.
_COMPUTE_BY_SERVICE: Final = (
    (56, "6.0"),
    (64, "6.1"),
    (66, "6.2"),
    (67, "6.3"),
    (68, "6.4"),
    (71, "6.5"),
)

_BY_RELEASE: Final = {
    "compute": {
        "wallaby": "6.0",
        "xena": "6.0",
        "yoga": "6.0",
        "zed": "6.1",
        "antelope": "6.2",
        "bobcat": "6.2",
        "caracal": "6.3",
        "dalmatian": "6.3",
        "epoxy": "6.4",
        "flamingo": "6.4",
        "gazpacho": "6.5",
        "hibiscus": "6.5",
    },
    "conductor": {"liberty": "3.0", "mitaka": "3.0", "newton": "3.0", "ocata": "3.0"},
    "scheduler": {
        "kilo": "4.2",
        "liberty": "4.2",
        "mitaka": "4.3",
        "newton": "4.3",
        "ocata": "4.3",
        "pike": "4.4",
    },
    "baseapi": {},
}


def compute_version(service_version: int) -> str:
    """The compute RPC version that daemons of this service version understand."""
    found = _COMPUTE_BY_SERVICE[0][1]
    for first, version in _COMPUTE_BY_SERVICE:
        if service_version >= first:
            found = version
    return found


def resolve_cap(
    service: str, level: str | None, minimum_version: Callable[[], int] | None = None
) -> str | None:
    """The version cap that an `upgrade_levels` option means; None for no cap.

    Args:
        service: compute, conductor, scheduler or baseapi.
        level: The option's value: None, "auto", a release name, or a version.
        minimum_version: Asked for "auto": the lowest services.version of running computes, 0 if none.
    """
    if level is None:
        return None
    if level == "auto":
        lowest = minimum_version() if minimum_version else 0
        # No compute runs yet: whatever comes up is at least as new as we are.
        return compute_version(lowest) if lowest else None
    return _BY_RELEASE[service].get(level, level)
