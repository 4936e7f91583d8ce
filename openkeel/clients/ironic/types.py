"""A node of bare metal, as we need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """Ironic's node; `properties` are its operator's words (cpus, memory_mb, local_gb, ...)."""

    id: str
    provision_state: str
    instance_uuid: str | None
    properties: Mapping[str, object] = field(default_factory=dict)
