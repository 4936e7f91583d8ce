"""Is a daemon up? Judged by its last heartbeat (contract: options service_down_time, report_interval)."""

from datetime import UTC, datetime, timedelta


def is_up(
    last_seen_up: datetime | None,
    updated_at: datetime | None,
    created_at: datetime | None,
    *,
    forced_down: bool,
    now: datetime,
    down_time_s: int,
) -> bool:
    """Whether a service counts as up. Naive times are UTC, as databases keep them."""
    if forced_down:
        return False
    seen = last_seen_up or updated_at or created_at
    if seen is None:
        return False
    if seen.tzinfo is None:
        seen = seen.replace(tzinfo=UTC)
    # A clock ahead of ours is no reason to call its daemon dead.
    return abs(now - seen) <= timedelta(seconds=down_time_s)
