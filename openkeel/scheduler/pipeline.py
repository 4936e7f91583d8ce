"""From a snapshot of hosts to an order of them: filter, weigh, choose. Pure but for the dice."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Filter, Weigher
from openkeel.scheduler.request import Request

# Reasons that are no filter's.
IGNORED: Final = "the request excludes it"
TRIED: Final = "it was tried before"
OTHER_PLACE: Final = "the request names another host"


@dataclass(slots=True)
class Tally:
    """Which filter refused how many hosts, and why."""

    refusals: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, who: str, reason: str, *, count: int = 1) -> None:
        """Count a refusal of so many hosts."""
        self.refusals[who, reason] += count

    def __str__(self) -> str:
        by_filter: dict[str, list[str]] = {}
        for (who, reason), count in self.refusals.items():
            by_filter.setdefault(who, []).append(f"{count} because {reason}")
        return "; ".join(f"{who} refused {', '.join(reasons)}" for who, reasons in by_filter.items())


class Pipeline:
    """The enabled filters and weighers."""

    def __init__(
        self,
        filters: Sequence[Filter],
        weighers: Sequence[Weigher],
        *,
        host_subset_size: int = 1,
        shuffle_best_same_weighed_hosts: bool = False,
        dice: random.Random | None = None,
    ) -> None:
        self._filters = tuple(filters)
        self._weighers = tuple(weighers)
        self._subset_size = host_subset_size
        self._shuffles_best = shuffle_best_same_weighed_hosts
        self._dice = dice or random.Random()  # noqa: S311 no secret

    def ranked(self, hosts: Iterable[HostState], request: Request, tally: Tally) -> list[HostState]:
        """The hosts that may take a server, best first; refusals are counted in `tally`.

        A request with forced hosts is not filtered: an administrator knows what he does.
        """
        passing = [host for host in hosts if self._passes(host, request, tally)]
        return self._shuffled(self._weighed(passing, request))

    def _passes(self, host: HostState, request: Request, tally: Tally) -> bool:
        refusal = _placed_elsewhere(host, request)
        if refusal is not None:
            tally.add("The request", refusal)
            return False
        if request.is_forced:
            return True
        for each in self._filters:
            verdict = each.check(host, request)
            if not verdict.passes:
                tally.add(each.name, verdict.reason)
                return False
        return True

    def _weighed(self, hosts: Sequence[HostState], request: Request) -> list[tuple[float, HostState]]:
        totals = [0.0] * len(hosts)
        for weigher in self._weighers:
            multipliers = [_multiplier(weigher, host) for host in hosts]
            if not any(multipliers):
                continue
            scores = [weigher.score(host, request) for host in hosts]
            stretched = _stretched(scores, weigher.floor, weigher.ceiling)
            for number, (multiplier, score) in enumerate(zip(multipliers, stretched, strict=True)):
                totals[number] += multiplier * score
        # Stable: equal hosts keep Placement's order, which its own option may shuffle.
        return sorted(zip(totals, hosts, strict=True), key=lambda pair: -pair[0])

    def _shuffled(self, weighed: list[tuple[float, HostState]]) -> list[HostState]:
        if not weighed:
            return []
        hosts = [host for _, host in weighed]
        if self._shuffles_best:
            best = sum(total == weighed[0][0] for total, _ in weighed)
            head = hosts[:best]
            self._dice.shuffle(head)
            hosts[:best] = head
        if self._subset_size > 1:
            # One of the best few goes first, so that many schedulers do not all run to the same host.
            chosen = hosts.pop(self._dice.randrange(min(self._subset_size, len(hosts))))
            hosts.insert(0, chosen)
        return hosts


def _placed_elsewhere(host: HostState, request: Request) -> str | None:
    if host.host in request.ignore_hosts:
        return IGNORED
    if not request.is_forced and (host.host, host.node) in request.tried:
        return TRIED
    target = request.target
    wrong = (
        (request.force_hosts and host.host not in request.force_hosts)
        or (request.force_nodes and host.node not in request.force_nodes)
        or (target.host is not None and host.host != target.host)
        or (target.node is not None and host.node != target.node)
        or (
            target.cell_uuid is not None and not target.may_cross_cells and host.cell_uuid != target.cell_uuid
        )
    )
    return OTHER_PLACE if wrong else None


def _multiplier(weigher: Weigher, host: HostState) -> float:
    """The weigher's own, or the lowest that an aggregate of the host sets."""
    own: list[float] = []
    for text in host.aggregate_values(weigher.multiplier_key):
        try:
            own.append(float(text))
        except ValueError:
            continue  # an operator's slip must not stop scheduling
    return min(own) if own else weigher.multiplier


def _stretched(scores: Sequence[float], floor: float | None, ceiling: float | None) -> list[float]:
    """The scores on a scale of 0 to 1."""
    if not scores:
        return []
    low = min(scores) if floor is None else floor
    high = max(scores) if ceiling is None else ceiling
    if high <= low:
        return [0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
