"""Periods of usage audits: whole hours, days, months or years, shifted where operators want it.

Contract: option instance_usage_audit_period: "hour@30" begins at half past, "day@6" at six, "month@3"
on the third day, "year@2" with February.
"""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Self

from openkeel.domain.errors import Invalid

_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class AuditPeriod:
    """A length, and when it begins."""

    unit: str
    offset: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the option: hour, day, month or year, and perhaps "@N"."""
        unit, _, offset = text.partition("@")
        return cls(unit, int(offset or 0))

    def last_completed(self, moment: datetime) -> tuple[datetime, datetime]:
        """Begin and end of the last period that was over before a moment.

        Raises: Invalid, when that were before the year 1.
        """
        try:
            for end, begin in pairwise(self._begins(moment)):
                if end < moment:
                    return begin, end
        except (ValueError, OverflowError) as error:  # the calendar ends
            raise Invalid(f"No period can have ended before {moment}.") from error
        raise AssertionError("begins go back without end")

    def _begins(self, moment: datetime) -> Iterator[datetime]:
        """Begins of periods backwards; the second is surely not after the moment."""
        hour = moment.replace(minute=0, second=0, microsecond=0)
        day = hour.replace(hour=0)
        if self.unit == "hour":
            begin, step = hour + timedelta(minutes=self.offset % 60), timedelta(hours=1)
        else:
            begin, step = day + timedelta(hours=self.offset % 24), timedelta(days=1)
        if self.unit in {"hour", "day"}:
            while True:
                yield begin
                begin -= step
        month = day.year * _MONTHS + day.month - 1
        months = 1
        if self.unit == "year":
            month, months = day.year * _MONTHS + (max(self.offset, 1) - 1) % _MONTHS, _MONTHS
        while True:
            year, of_year = divmod(month, _MONTHS)
            last = calendar.monthrange(year, of_year + 1)[1]
            first = 1 if self.unit == "year" else min(max(self.offset, 1), last)
            yield day.replace(year=year, month=of_year + 1, day=first)
            month -= months
