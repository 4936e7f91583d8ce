"""Times in answers."""

from datetime import UTC, datetime
from typing import Any

from openkeel.api.tables import Getter, Rendering


def with_microseconds(moment: datetime | None) -> str | None:
    """Naive UTC as older parts of the API show it: 2026-01-31T12:00:00.000000."""
    if moment is None:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="microseconds")


def time_of(name: str) -> Getter:
    """Read a time of the row."""

    def get(row: Any, _: Rendering) -> str | None:
        return with_microseconds(getattr(row, name))

    return get
