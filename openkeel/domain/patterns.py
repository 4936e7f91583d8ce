"""Regular expressions that clients give: judged before anything searches, and searched with an end.

What the database searches has its limits there. What is searched here uses `regex`, since a search of
the standard library can neither be stopped nor lets another thread work meanwhile.
"""

import re
from functools import lru_cache
from typing import Final

import regex

from openkeel.domain.errors import Invalid

_MOST_S: Final = 0.25

# Repetitions beyond what the engine counts, and brackets within brackets within brackets.
_UNREADABLE: Final = (re.error, OverflowError, RecursionError)


def is_pattern(text: str) -> bool:
    """Whether it is a regular expression."""
    try:
        re.compile(text)
    except _UNREADABLE:
        return False
    return True


def check(text: str) -> str:
    """The pattern itself. Raises: Invalid."""
    if not is_pattern(text):
        raise Invalid(f"{text[:200]} is not a regular expression.")
    return text


def is_found(pattern: str, text: str) -> bool:
    """Whether the text holds the pattern, in whatever case. Raises: Invalid when it takes too long."""
    try:
        return _compiled(pattern).search(text, timeout=_MOST_S) is not None
    except TimeoutError:
        raise Invalid(f"It takes too long to search for {pattern[:200]}.") from None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
    except (regex.error, OverflowError, RecursionError):
        raise Invalid(f"{pattern[:200]} is not a regular expression.") from None
