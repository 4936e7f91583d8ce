"""Which microversion a request asks for.

Contract: `OpenStack-API-Version: compute X.Y` counts, the last of several entries; without an entry
for compute, `X-OpenStack-Nova-API-Version: X.Y` does; without either it is 2.1. Out of range is 406
and echoes what was asked; malformed is 400 and echoes nothing.
"""

import re
from collections.abc import MutableMapping
from typing import Final

import microversion_parse

from openkeel.api.errors import Fault
from openkeel.api.versions import LATEST, V, text

HEADER: Final = "OpenStack-API-Version"
OLD_HEADER: Final = "X-OpenStack-Nova-API-Version"
VARY: Final = f"{HEADER}, {OLD_HEADER}"

_VERSION: Final = re.compile(r"([1-9]\d*)\.(0|[1-9]\d*)")


def version_headers(version: str) -> dict[str, str]:
    """What tells clients and caches which version answered."""
    return {HEADER: f"compute {version}", OLD_HEADER: version, "Vary": VARY}


def negotiate(headers: MutableMapping[str, str]) -> int:
    """The asked minor version. Raises: Fault 400 or 406."""
    asked = microversion_parse.get_version(headers, "compute", legacy_headers=[OLD_HEADER])
    if not asked:
        if OLD_HEADER.lower() in headers and HEADER.lower() not in headers:
            raise Fault(400, f"The header {OLD_HEADER} holds no version.")
        return int(V.BASE)
    if asked == "latest":
        return int(LATEST)
    found = _VERSION.fullmatch(asked)
    if found is None:
        raise Fault(400, f"API version {asked!r} is not of the form MAJOR.MINOR.")
    major, minor = int(found[1]), int(found[2])
    if major != 2 or not V.BASE <= minor <= LATEST:  # noqa: PLR2004 - the only major there is
        raise Fault(
            406,
            f"Version {asked} is not available. The lowest is {text(V.BASE)}, the highest {text(LATEST)}.",
            headers=version_headers(asked),
        )
    return minor
