"""What a filter and a weigher are.

Both are pure: they look at one frozen host and the request. A filter answers with a verdict whose
reason is counted, never shown with the host's name: it ends in the fault of the server's owner.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the host may take the server and, if not, why."""

    passes: bool
    reason: str = ""


PASS: Final = Verdict(passes=True)


def refuse(reason: str) -> Verdict:
    """The host may not."""
    return Verdict(passes=False, reason=reason)


class Filter(Protocol):
    """One rule a host must meet."""

    name: ClassVar[str]

    def check(self, host: HostState, request: Request) -> Verdict:
        """Judge one host."""


class Weigher(Protocol):
    """One wish about hosts.

    The scores of all hosts are stretched to 0..1 (between `floor` and `ceiling` where these are set,
    else between the lowest and the highest score), multiplied and added up over all weighers. Host
    aggregates may set the multiplier for their hosts by the metadata key `multiplier_key`.
    """

    name: ClassVar[str]
    multiplier_key: ClassVar[str]
    floor: ClassVar[float | None]
    ceiling: ClassVar[float | None]

    @property
    def multiplier(self) -> float:
        """How much it counts; negative turns it round."""

    def score(self, host: HostState, request: Request) -> float:
        """The higher the better."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The plain form of a weigher: a multiplier and, in the subclass, a score."""

    multiplier: float
    floor: ClassVar[float | None] = None
    ceiling: ClassVar[float | None] = None
