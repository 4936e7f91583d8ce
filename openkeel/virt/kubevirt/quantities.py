"""Kubernetes quantities as numbers: 1500m, 2, 7Gi, 128M."""

from typing import Final

_FACTORS: Final = {
    "m": 1e-3, "": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50,
}  # fmt: skip


def cores_of(text: str | int) -> float:
    """Processors."""
    return _number(str(text))


def bytes_of(text: str | int) -> int:
    """Bytes, rounded down."""
    return int(_number(str(text)))


def _number(text: str) -> float:
    digits = text.rstrip("KMGTPikm")
    return float(digits or 0) * _FACTORS[text[len(digits) :]]
