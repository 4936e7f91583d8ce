"""New compute hosts are mapped to their cells now and then, by one scheduler for all."""

import logging
from collections.abc import Callable, Collection
from typing import Any, Final

from openkeel.common.clock import Clock
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import AlreadyExists, CellUnreachable
from openkeel.domain.liveness import is_up

LOG = logging.getLogger(__name__)

BINARY: Final = "nova-scheduler"


class HostDiscovery:
    """Runs the discovery if this scheduler is the first by name of those that are up.

    Contract: option [scheduler] discover_hosts_in_cells_interval.
    """

    def __init__(
        self,
        host: str,
        cells: CellDirectory,
        discover: Callable[[CellDirectory], Collection[Any]],
        *,
        clock: Clock,
        service_down_time_s: int = 60,
    ) -> None:
        self._host = host
        self._cells = cells
        self._discover = discover
        self._clock = clock
        self._down_time_s = service_down_time_s
        self._has_warned = False

    def run(self) -> None:
        """One look for new hosts."""
        if not self._is_first():
            return
        try:
            made = self._discover(self._cells)
        except AlreadyExists as error:
            if not self._has_warned:
                LOG.warning("somebody else maps hosts at the same time (cron?), which is needless: %s", error)
                self._has_warned = True
            return
        if made:
            LOG.info("mapped %d new compute hosts", len(made))

    def _is_first(self) -> bool:
        answers = self._cells.scatter(
            lambda cell: [one for one in cell.services.list_by_binary(BINARY) if self._is_up(one)]
        )
        hosts = {
            one.host
            for services in answers.values()
            if not isinstance(services, CellUnreachable)
            for one in services
        }
        # One whose own record is not written yet counts all the same.
        return min(hosts | {self._host}) == self._host

    def _is_up(self, service: Any) -> bool:
        return is_up(
            service.last_seen_up,
            service.updated_at,
            service.created_at,
            forced_down=bool(service.forced_down),
            now=self._clock.now(),
            down_time_s=self._down_time_s,
        )
