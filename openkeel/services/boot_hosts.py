"""Where a new server may go: zones, forced hosts ("zone:host:node") and requested destinations."""

from dataclasses import dataclass

from openkeel.domain.errors import Invalid


@dataclass(frozen=True, slots=True)
class Place:
    """A wish for a zone, and for admins a host or node that the scheduler takes without filters."""

    zone: str | None = None
    forced_host: str | None = None
    forced_node: str | None = None

    @property
    def is_forced(self) -> bool:
        """Whether it names more than a zone."""
        return bool(self.forced_host or self.forced_node)


def parse_zone(text: str | None) -> Place:
    """Read "zone", "zone:host" or "zone:host:node"; parts may be empty. Raises: Invalid."""
    if text is None:
        return Place()
    parts = text.split(":")
    if len(parts) > 3:  # noqa: PLR2004
        raise Invalid("An availability zone is written zone, zone:host or zone:host:node.")
    zone, host, node = (*(part or None for part in parts), None, None)[:3]
    return Place(zone, host, node)
