"""Checks JSON against compiled schemas, the way clients of the compute API know it.

Beyond JSON Schema: numbers may come as text and are held to the same bounds; formats are checked;
on /v2 unknown keys of closed objects are dropped instead of refused. Contract:
rest_request_fields.json (formats, validation_rules).
"""

import base64
import binascii
import ipaddress
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend
from oslo_utils import timeutils, uuidutils

from openkeel.domain.errors import Invalid
from openkeel.domain.patterns import is_pattern

FORMATS: Final = FormatChecker(formats=())

Predicate = Callable[[str], bool]

_BEYOND_BMP: Final = 0xFFFF
_MAX_TEXT: Final = 200  # a refused value is quoted up to this length


def is_printable(character: str) -> bool:
    """Whether a name or description may hold it: no control characters, no odd blanks, BMP only."""
    category = unicodedata.category(character)
    return ord(character) < _BEYOND_BMP and category[0] != "C" and (category[0] != "Z" or category == "Zs")


def _printable(text: str) -> bool:
    return all(map(is_printable, text))


def _check(name: str) -> Callable[[Predicate], Predicate]:
    """Register a predicate over texts as a format; other types are not its business."""

    def register(predicate: Predicate) -> Predicate:
        def check(value: object) -> bool:
            return not isinstance(value, str) or predicate(value)

        FORMATS.checks(name)(check)
        return predicate

    return register


@_check("name")
def _name(text: str) -> bool:
    return _printable(text) and text == text.strip()


@_check("name_with_leading_trailing_spaces")
def _padded_name(text: str) -> bool:
    return _printable(text) and bool(text.strip())


@_check("az_name")
def _zone_name(text: str) -> bool:
    return _name(text) and ":" not in text


@_check("az_name_with_leading_trailing_spaces")
def _padded_zone_name(text: str) -> bool:
    return _padded_name(text) and ":" not in text


@_check("printable_or_empty")
def _printable_or_empty(text: str) -> bool:
    return _printable(text)


@_check("regex")
def _regex(text: str) -> bool:
    return bool(text) and is_pattern(text)


@_check("date-time")
def _date_time(text: str) -> bool:
    try:
        timeutils.normalize_time(timeutils.parse_isotime(text))
    except (ValueError, OverflowError):  # before the first or after the last day there is
        return False
    return True


@_check("base64")
def _base64(text: str) -> bool:
    try:
        base64.decodebytes(text.encode("utf-8"))
    except (binascii.Error, ValueError):
        return False
    return True


@_check("cidr")
def _cidr(text: str) -> bool:
    if "/" not in text or re.search(r"\s", text):
        return False
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


@_check("uuid")
def _uuid(text: str) -> bool:
    return bool(uuidutils.is_uuid_like(text))


@_check("uri")
def _uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc)


@_check("ipv4")
def _ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


@_check("ipv6")
def _ipv6(text: str) -> bool:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not address.scope_id


def _number(value: Any) -> float | None:
    """The number a value stands for, be it given as text; None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _minimum(_validator: Any, bound: float, value: Any, _schema: Any) -> Iterator[ValidationError]:
    number = _number(value)
    if number is not None and number < bound:
        yield ValidationError(f"{_quote(value)} is less than {bound}")


def _maximum(_validator: Any, bound: float, value: Any, _schema: Any) -> Iterator[ValidationError]:
    number = _number(value)
    if number is not None and number > bound:
        yield ValidationError(f"{_quote(value)} is more than {bound}")


def _drop_unknown(
    validator: Any, allowed: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """On /v2 unknown keys vanish, except beside patterns, where they are refused."""
    if allowed is not False or not isinstance(value, dict) or "patternProperties" in schema:
        yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, allowed, value, schema)
        return
    for key in [key for key in value if key not in schema.get("properties", {})]:
        del value[key]


_Strict = extend(Draft202012Validator, {"minimum": _minimum, "maximum": _maximum})  # type: ignore[no-untyped-call]
_Relaxed = extend(_Strict, {"additionalProperties": _drop_unknown})  # type: ignore[no-untyped-call]


def _quote(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "..."


class Validator:
    """One schema, ready to check values."""

    def __init__(self, schema: Mapping[str, Any], *, relaxed: bool = False) -> None:
        self.schema = schema
        self._checker = (_Relaxed if relaxed else _Strict)(schema, format_checker=FORMATS)

    def check(self, value: Any) -> None:
        """Raises: Invalid, naming the first part that is wrong. A relaxed one may drop keys of `value`."""
        error = next(self._checker.iter_errors(value), None)
        if error is None:
            return
        where = ".".join(str(part) for part in error.absolute_path)
        message = (
            error.message if len(error.message) <= 2 * _MAX_TEXT else error.message[: 2 * _MAX_TEXT] + "..."
        )
        raise Invalid(f"Invalid input for {where}: {message}" if where else f"Invalid input: {message}")


@lru_cache(maxsize=256)
def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern of a query name."""
    return re.compile(text)
