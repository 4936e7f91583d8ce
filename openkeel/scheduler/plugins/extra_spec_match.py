"""The little language in which extra specs compare a host's facts. Contract: extra_spec_operators."""

import operator
from collections.abc import Callable
from typing import Final

Comparison = Callable[[str, list[str]], bool]


def _numbers(compare: Callable[[float, float], bool]) -> Comparison:
    def compared(fact: str, rest: list[str]) -> bool:
        try:
            return compare(float(fact), float(rest[0]))
        except (ValueError, IndexError):
            return False

    return compared


def _texts(compare: Callable[[str, str], bool]) -> Comparison:
    return lambda fact, rest: compare(fact, " ".join(rest))


_COMPARISONS: Final[dict[str, Comparison]] = {
    "=": _numbers(operator.ge),  # Compat: "=" has always meant "at least"
    "==": _numbers(operator.eq),
    "!=": _numbers(operator.ne),
    ">=": _numbers(operator.ge),
    "<=": _numbers(operator.le),
    "s==": _texts(operator.eq),
    "s!=": _texts(operator.ne),
    "s<": _texts(operator.lt),
    "s<=": _texts(operator.le),
    "s>": _texts(operator.gt),
    "s>=": _texts(operator.ge),
    "<in>": lambda fact, rest: " ".join(rest) in fact,
    "<all-in>": lambda fact, rest: all(word in fact for word in rest),
    "<or>": lambda fact, rest: fact in [word for word in rest if word != "<or>"],
}


def matches(fact: str, wanted: str) -> bool:
    """Whether the fact meets the wish, e.g. ">= 4", "<in> avx", "<or> kvm <or> qemu", "x86_64"."""
    sign, *rest = wanted.split() or [""]
    comparison = _COMPARISONS.get(sign)
    return fact == wanted if comparison is None else comparison(fact, rest)
