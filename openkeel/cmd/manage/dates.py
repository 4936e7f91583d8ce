"""Dates as operators and the `date` command write them."""

from datetime import UTC, datetime

from dateutil import parser


def moment(text: str) -> datetime:
    """A time, in UTC unless it says otherwise.

    Contract: `--before` takes the output of `date` and anything else that contains a date.

    Raises: ValueError.
    """
    try:
        found: datetime = parser.parse(text, fuzzy=True)
    except OverflowError as error:
        raise ValueError(f"{text} is no date") from error
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
