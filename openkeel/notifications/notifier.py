"""All that a daemon can tell of, put together; see `docs/adding-a-notification.md`."""

from collections.abc import Callable

from openkeel.common.clock import Clock, SystemClock
from openkeel.common.context import Context
from openkeel.notifications.catalogue import Aggregates, Flavors, Keypairs, ServerGroups, Services
from openkeel.notifications.emitter import Emitter, Origin
from openkeel.notifications.servers import ServerNotifier, ServerSettings, Stores
from openkeel.notifications.witness import StoreWitness
from openkeel.notifications.workflows import ComputeTasks, ImageCaching, Scheduling


def _no_address(_ctx: Context, image_id: str) -> str:
    return image_id


class Notifications:
    """What one daemon tells. Without anything given, nothing."""

    def __init__(
        self,
        emitter: Emitter | None = None,
        settings: ServerSettings | None = None,
        clock: Clock | None = None,
        image_url: Callable[[Context, str], str] = _no_address,
    ) -> None:
        self.emitter = emitter = emitter or Emitter(Origin("", ""))
        self._settings = settings or ServerSettings()
        self._clock = clock or SystemClock()
        self._image_url = image_url
        self.aggregates = Aggregates(emitter)
        self.compute_tasks = ComputeTasks(emitter)
        self.flavors = Flavors(emitter)
        self.image_caching = ImageCaching(emitter)
        self.keypairs = Keypairs(emitter)
        self.scheduling = Scheduling(emitter)
        self.server_groups = ServerGroups(emitter)
        self.services = Services(emitter)

    def servers(self, stores: Stores) -> ServerNotifier:
        """Tells of the servers of a cell."""
        return ServerNotifier(self.emitter, stores, self._settings, self._clock, self._image_url)

    @property
    def tells_updates(self) -> bool:
        """Whether changes of servers are told of."""
        return self.emitter.is_on and self._settings.state_changes is not None

    @property
    def witness(self) -> StoreWitness:
        """Who is told what stores write (db.witness.Witness)."""
        return StoreWitness(self)

    @property
    def lost(self) -> int:
        """How many notifications could not be made, kept or sent since the start."""
        return self.emitter.outbox.lost

    def close(self) -> None:
        """Send what is left; a daemon's last thing but one."""
        self.emitter.close()
