"""Periods of usage audits."""

from datetime import datetime

import pytest

from openkeel.domain.audit_periods import AuditPeriod
from openkeel.domain.errors import Invalid

AT = datetime(2026, 3, 10, 12, 20)  # noqa: DTZ001 - naive UTC, as the audit counts


@pytest.mark.parametrize(
    ("option", "begin", "end"),
    [
        ("hour", "2026-03-10 11:00:00", "2026-03-10 12:00:00"),
        ("hour@30", "2026-03-10 10:30:00", "2026-03-10 11:30:00"),
        ("hour@10", "2026-03-10 11:10:00", "2026-03-10 12:10:00"),
        ("day", "2026-03-09 00:00:00", "2026-03-10 00:00:00"),
        ("day@6", "2026-03-09 06:00:00", "2026-03-10 06:00:00"),
        ("day@18", "2026-03-08 18:00:00", "2026-03-09 18:00:00"),
        ("month", "2026-02-01 00:00:00", "2026-03-01 00:00:00"),
        ("month@3", "2026-02-03 00:00:00", "2026-03-03 00:00:00"),
        ("month@15", "2026-01-15 00:00:00", "2026-02-15 00:00:00"),
        ("month@31", "2026-01-31 00:00:00", "2026-02-28 00:00:00"),
        ("year", "2025-01-01 00:00:00", "2026-01-01 00:00:00"),
        ("year@2", "2025-02-01 00:00:00", "2026-02-01 00:00:00"),
        ("year@6", "2024-06-01 00:00:00", "2025-06-01 00:00:00"),
    ],
)
def test_the_last_period_that_is_over(option, begin, end):
    found = AuditPeriod.parse(option).last_completed(AT)
    assert (str(found[0]), str(found[1])) == (begin, end)


def test_a_period_that_ends_now_is_not_over_yet():
    end = datetime(2026, 3, 1)  # noqa: DTZ001
    assert AuditPeriod("month").last_completed(end)[1] == datetime(2026, 2, 1)  # noqa: DTZ001


@pytest.mark.parametrize("option", ["hour", "day@6", "month", "year@2"])
def test_before_the_calendar_begins_no_period_has_ended(option):
    with pytest.raises(Invalid):
        AuditPeriod.parse(option).last_completed(datetime(1, 1, 1))  # noqa: DTZ001
