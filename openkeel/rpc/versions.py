"""Which RPC version each release and each service version speaks (contract: rpc.json, objects.json)."""

import re
from collections.abc import Callable
from typing import Final

from openkeel.domain.errors import Invalid

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

# What the name of a release means as a level. Old ones are known so that they are refused for what they are.
_BY_RELEASE: Final = {
    "compute": {
        "icehouse": "3.23",
        "juno": "3.35",
        "kilo": "4.0",
        "liberty": "4.5",
        "mitaka": "4.11",
        "newton": "4.13",
        "ocata": "4.13",
        "pike": "4.17",
        "queens": "5.0",
        "rocky": "5.0",
        "stein": "5.1",
        "train": "5.3",
        "ussuri": "5.11",
        "victoria": "5.12",
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
    "conductor": {
        "grizzly": "1.48",
        "havana": "1.58",
        "icehouse": "2.0",
        "juno": "2.0",
        "kilo": "2.1",
        "liberty": "3.0",
        "mitaka": "3.0",
        "newton": "3.0",
        "ocata": "3.0",
    },
    "scheduler": {
        "grizzly": "2.6",
        "havana": "2.9",
        "icehouse": "3.0",
        "juno": "3.0",
        "kilo": "4.2",
        "liberty": "4.2",
        "mitaka": "4.3",
        "newton": "4.3",
        "ocata": "4.3",
        "pike": "4.4",
    },
    "baseapi": {},
}
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+")


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

    Raises: Invalid when the level is none of these.
    """
    if level is None:
        return None
    if level == "auto" and service == "compute":
        lowest = minimum_version() if minimum_version else 0
        # No compute runs yet: whatever comes up is at least as new as we are.
        return compute_version(lowest) if lowest else None
    version = _BY_RELEASE[service].get(level, level)
    if not _VERSION.fullmatch(version):
        raise Invalid(f"[upgrade_levels] {service} = {level} is neither a version nor a release.")
    return version
