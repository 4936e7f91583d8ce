"""Label and field selectors."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from devstack.cluster import errors

Labels = Mapping[str, str]
Test = Callable[[Labels], bool]

_SET: Final = re.compile(r"(?P<key>[^\s!=,()]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)")
_PAIR: Final = re.compile(r"(?P<key>[^\s!=,()]+)\s*(?P<op>==|!=|=)\s*(?P<value>[^\s!=,()]*)")
_EXISTS: Final = re.compile(r"(?P<not>!?)\s*(?P<key>[^\s!=,()]+)")
_COMMA: Final = re.compile(r",(?![^()]*\))")


@dataclass(frozen=True, slots=True)
class Selector:
    """All of the tests must hold; no tests select everything."""

    tests: tuple[Test, ...] = ()

    def matches(self, labels: Labels) -> bool:
        return all(test(labels) for test in self.tests)

    def __bool__(self) -> bool:
        return bool(self.tests)


EVERYTHING: Final = Selector()


def parse_labels(text: str) -> Selector:
    """Read a labelSelector.

    Raises: ApiError 400 when it is none.
    """
    return Selector(tuple(_label_test(part.strip(), text) for part in _COMMA.split(text) if part.strip()))


def _label_test(part: str, whole: str) -> Test:
    if match := _SET.fullmatch(part):
        values = {value.strip() for value in match["values"].split(",")}
        return _among(match["key"], values, wanted=match["op"] == "in")
    if match := _PAIR.fullmatch(part):
        return _among(match["key"], {match["value"]}, wanted=match["op"] != "!=")
    if match := _EXISTS.fullmatch(part):
        key, wanted = match["key"], not match["not"]
        return lambda labels: (key in labels) is wanted
    raise errors.bad_request(f"unable to parse requirement: {part!r} in {whole!r}")


def _among(key: str, values: set[str], *, wanted: bool) -> Test:
    if wanted:
        return lambda labels: key in labels and labels[key] in values
    return lambda labels: key not in labels or labels[key] not in values


def parse_fields(text: str, known: Mapping[str, str]) -> Selector:
    """Read a fieldSelector; only equality exists, and only for the fields a kind names.

    Raises: ApiError 400 for anything else.
    """
    tests: list[Test] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _PAIR.fullmatch(part)
        if match is None:
            raise errors.bad_request(f'invalid field selector: "{text}"; can\'t understand "{part}"')
        key = match["key"]
        if key not in known and key not in {"metadata.name", "metadata.namespace"}:
            raise errors.bad_request(f"field label not supported: {key}")
        tests.append(_equals(key, match["value"], wanted=match["op"] != "!="))
    return Selector(tuple(tests))


def _equals(key: str, value: str, *, wanted: bool) -> Test:
    # An absent field reads as the empty string.
    return lambda fields: (fields.get(key, "") == value) is wanted


def requirements(selector: Mapping[str, object] | None) -> Selector:
    """A LabelSelector object (matchLabels only, which is all that is used here)."""
    labels = (selector or {}).get("matchLabels") or {}
    if not isinstance(labels, Mapping):
        return EVERYTHING
    return Selector(tuple(_among(key, {str(value)}, wanted=True) for key, value in labels.items()))
