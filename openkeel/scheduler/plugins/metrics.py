"""Weighing by what the monitors of hosts measure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Weighing
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class MetricsWeigher(Weighing):
    """The sum of metrics times their ratios. Contract: MetricsWeigher, group [metrics].

    `ratios` is metric -> ratio. A host without one of them weighs `weight_of_unavailable`; where the
    metrics are `required` the request fails instead, so that nobody is placed by accident.
    """

    ratios: Mapping[str, float]
    required: bool
    weight_of_unavailable: float
    name: ClassVar[str] = "MetricsWeigher"
    multiplier_key: ClassVar[str] = "metrics_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        missing = [name for name in self.ratios if name not in host.metrics]
        if not missing:
            return sum(host.metrics[name] * ratio for name, ratio in self.ratios.items())
        if self.required:
            raise NoValidHost(reason=f"A host does not report the metric {missing[0]}.")
        return self.weight_of_unavailable
