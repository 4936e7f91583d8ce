"""The hostname a server gets when its owner names none. Contract: findings on microversion 2.90."""

import re
import unicodedata
from typing import Final

MAX_LENGTH: Final = 63  # a label of DNS
_NOT_IN_A_LABEL: Final = re.compile(r"[^a-z0-9-]+")


def hostname_for(name: str, uuid: str) -> str:
    """Make a DNS label of a display name; when nothing is left of it, name the server by its uuid."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    label = _NOT_IN_A_LABEL.sub("", re.sub(r"[\s_.]", "-", plain))[:MAX_LENGTH].strip("-")
    return label or f"Server-{uuid}"
