"""A move stays in its cell if it can."""

from dataclasses import dataclass
from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Weighing
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class CrossCellWeigher(Weighing):
    """Hosts of the cell the server comes from before all others. Contract: CrossCellWeigher."""

    name: ClassVar[str] = "CrossCellWeigher"
    multiplier_key: ClassVar[str] = "cross_cell_move_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:
        source = request.target.cell_uuid
        return 0.0 if source is None or source == host.cell_uuid else -1.0
