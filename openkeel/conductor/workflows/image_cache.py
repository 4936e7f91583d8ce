"""Having the hosts of an aggregate fetch images, a few hosts at a time.

Nothing is kept of it: a conductor that is killed meanwhile leaves the hosts it did not come to without
the images, and asking again is harmless.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Protocol

from openkeel import objects
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain import liveness
from openkeel.domain.errors import KeelError
from openkeel.domain.image_caching import Cached
from openkeel.notifications.notifier import Notifications

LOG = logging.getLogger(__name__)


class Fetching(Protocol):
    """The part of a compute's client that images are asked through."""

    def cache_images(self, ctx: Context, *, host: str, image_ids: Sequence[str]) -> Mapping[str, str]: ...


class ImageCacheWorkflow:
    """Asks every host of an aggregate that is up."""

    def __init__(
        self,
        *,
        cells: CellDirectory,
        compute_of: Callable[[CellStores], Fetching],
        clock: Clock,
        hosts_at_once: int = 1,
        down_time_s: int = 60,
        notifications: Notifications | None = None,
    ) -> None:
        self._cells = cells
        self._compute_of = compute_of
        self._clock = clock
        self._hosts_at_once = hosts_at_once
        self._down_time_s = down_time_s
        self._told = (notifications or Notifications()).image_caching

    def run(self, ctx: Context, aggregate: objects.Aggregate, image_ids: Sequence[str]) -> None:
        """Have the images fetched, and say of each host how it went."""
        hosts = list(aggregate.hosts or ())
        self._told.begins(ctx, aggregate)
        with ThreadPoolExecutor(self._hosts_at_once, thread_name_prefix="cache-images") as pool:
            asked = {pool.submit(self._ask, ctx, host, image_ids): host for host in hosts}
            for number, done in enumerate(as_completed(asked), start=1):
                self._told.came_to(ctx, aggregate, asked[done], done.result(), (number, len(hosts)))
        self._told.ends(ctx, aggregate)

    def _ask(self, ctx: Context, host: str, image_ids: Sequence[str]) -> Mapping[str, str]:
        """What came of it. Hosts that are down are told of, too, as hosts without the images."""
        try:
            cell = self._cells.for_host(host)
            if not self._is_up(cell, host):
                LOG.info("host %s is down and fetches no images", host)
                return dict.fromkeys(image_ids, str(Cached.SKIPPED))
            return self._compute_of(cell).cache_images(ctx, host=host, image_ids=image_ids)
        except KeelError as error:
            LOG.warning("host %s could not be asked to fetch images: %r", host, error)
            return dict.fromkeys(image_ids, str(Cached.FAILED))

    def _is_up(self, cell: CellStores, host: str) -> bool:
        service = cell.services.find_compute(host)
        return service is not None and liveness.is_up(
            service.last_seen_up,
            service.updated_at,
            service.created_at,
            forced_down=bool(service.forced_down),
            now=self._clock.now(),
            down_time_s=self._down_time_s,
        )
