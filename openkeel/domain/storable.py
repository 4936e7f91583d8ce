"""Which texts the databases keep.

Contract: tables are utf8mb3 on MySQL, whatever the database's own character set, and refuse what is
beyond the basic plane (emoji). Whoever writes texts of users asks first: a server must not fail in a
cell over what its request said.
"""

from collections.abc import Iterable
from typing import Final

from openkeel.domain.errors import Invalid

_LAST: Final = 0xFFFF


def check(what: str, texts: Iterable[str]) -> None:
    """Raises: Invalid."""
    for text in texts:
        if any(ord(character) > _LAST for character in text):
            raise Invalid(f"{what} hold a character that cannot be stored: {text[:200]!r}")
