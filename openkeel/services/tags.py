"""Tags of servers: words by which users find them again."""

from collections.abc import Sequence
from typing import Final

from openkeel.db.cells import CellStores
from openkeel.domain import storable
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.notifications.notifier import Notifications
from openkeel.services import guards
from openkeel.services.lookup import Located

MAX_TAGS: Final = 50  # of a server
_RULE: Final = LIFECYCLE[Action.UPDATE_METADATA]


class TagService:
    """The use cases of tags. All raise InstanceInvalidState; a lock does not hold for tags."""

    def __init__(self, notifications: Notifications | None = None) -> None:
        self._notifications = notifications or Notifications()

    def add(self, server: Located, tag: str) -> bool:
        """Returns: whether the server did not have it yet. Raises: Invalid when it has too many."""
        storable.check("Tags", [tag])
        cell = _changeable(server, "update tag")
        is_new = cell.tags.add(server.uuid, tag, most=MAX_TAGS)
        if is_new:
            self._tell(server, cell)
        return is_new

    def replace(self, server: Located, tags: Sequence[str]) -> list[str]:
        """Make these the tags of the server. Raises: AlreadyExists for tags that are one to the database."""
        storable.check("Tags", tags)
        cell = _changeable(server, "update tags")
        found = cell.tags.replace(server.uuid, tags)
        self._tell(server, cell)
        return [tag.tag for tag in found]

    def remove(self, server: Located, tag: str) -> None:
        """Raises: NotFound."""
        cell = _changeable(server, "delete tag")
        cell.tags.remove(server.uuid, tag)
        self._tell(server, cell)

    def remove_all(self, server: Located) -> None:
        """Leave the server without tags."""
        cell = _changeable(server, "delete tags")
        cell.tags.remove_all(server.uuid)
        self._tell(server, cell)

    def _tell(self, server: Located, cell: CellStores) -> None:
        told = self._notifications.servers(cell)
        if told.wants_updates:
            told.retagged(cell.instances.get(server.uuid))


def _changeable(server: Located, method: str) -> CellStores:
    guards.in_state(server.instance, _RULE, method)
    return guards.in_a_cell(server)
