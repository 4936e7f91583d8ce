"""Leaves that many bodies and queries share. Contract: rest_request_fields.json."""

from typing import Any, Final

from openkeel.api.schema import Leaf

BOOLEANS: Final = (
    [True, False]
    + [word for yes in ("true", "on", "yes") for word in (yes, yes.capitalize(), yes.upper())]
    + [word for no in ("false", "off", "no") for word in (no, no.capitalize(), no.upper())]
    + ["1", "0"]
)
MAX_INT: Final = 0x7FFFFFFF  # what an INTEGER column holds


def string(**keywords: Any) -> Leaf:
    """A text; keywords are JSON Schema's (minLength, pattern, format...)."""
    return Leaf({"type": "string", **keywords})


def enum(*values: Any, kind: str = "string") -> Leaf:
    """One of some values."""
    return Leaf({"type": kind, "enum": list(values)})


def integer(minimum: int, maximum: int = MAX_INT) -> Leaf:
    """A whole number, or its text."""
    return Leaf(
        {"type": ["integer", "string"], "pattern": "^[0-9]+$", "minimum": minimum, "maximum": maximum}
    )


def nullable(leaf: Leaf) -> Leaf:
    """The same, or null."""
    kind = leaf.keywords["type"]
    kinds = kind if isinstance(kind, list) else [kind]
    return Leaf({**leaf.keywords, "type": [*kinds, "null"]})


LIMIT: Final = Leaf(  # of a quota; -1 is none
    {"type": ["integer", "string"], "pattern": "^-?[0-9]+$", "minimum": -1, "maximum": MAX_INT}
)
ANY: Final = Leaf()
NULL: Final = Leaf({"type": "null"})
STRING: Final = string()
BOOLEAN: Final = Leaf({"type": ["boolean", "string"], "enum": BOOLEANS})
UUID: Final = string(format="uuid")
DATE_TIME: Final = string(format="date-time")
REGEX: Final = string(format="regex")
IPV4: Final = string(format="ipv4")
IPV6: Final = string(format="ipv6")

NAME: Final = string(minLength=1, maxLength=255, format="name")
PADDED_NAME: Final = string(minLength=1, maxLength=255, format="name_with_leading_trailing_spaces")
ZONE_NAME: Final = string(minLength=1, maxLength=255, format="az_name")
PADDED_ZONE_NAME: Final = string(minLength=1, maxLength=255, format="az_name_with_leading_trailing_spaces")
HOST_NAME: Final = string(minLength=1, maxLength=255, pattern="^[a-zA-Z0-9-._]*$")
PROJECT_ID: Final = string(minLength=1, maxLength=255, pattern="^[a-zA-Z0-9-]*$")
DEVICE_TAG: Final = string(minLength=1, maxLength=60, pattern="^[^,/]*$")

NON_NEGATIVE: Final = Leaf(
    {"type": ["integer", "string"], "pattern": "^[0-9]*$", "minimum": 0, "minLength": 1}
)
POSITIVE: Final = Leaf({"type": ["integer", "string"], "pattern": "^[0-9]*$", "minimum": 1, "minLength": 1})

METADATA_KEY: Final = "^[a-zA-Z0-9-_:. ]{1,255}$"
METADATA_VALUE: Final = string(maxLength=255)


def description(maximum: int) -> Leaf:
    """A free text of printable characters, or null."""
    return Leaf(
        {"type": ["string", "null"], "minLength": 0, "maxLength": maximum, "format": "printable_or_empty"}
    )


# Words for yes and no in queries, whatever their case; wider than what bodies take.
YES: Final = frozenset({"1", "t", "true", "on", "y", "yes"})
NO: Final = frozenset({"0", "f", "false", "off", "n", "no"})
TRUTHS: Final = YES | NO


def to_bool(value: Any) -> bool:
    """The truth of a value that passed BOOLEAN."""
    return value is True or str(value).lower() in YES
