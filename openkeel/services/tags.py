"""Tags of servers: words by which users find them again."""

from collections.abc import Sequence
from typing import Final

from openkeel.db.cells import CellStores
from openkeel.domain.errors import Invalid
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.services import guards
from openkeel.services.lookup import Located

MAX_TAGS: Final = 50  # of a server
_RULE: Final = LIFECYCLE[Action.UPDATE_METADATA]


class TagService:
    """The use cases of tags. All raise InstanceInvalidState; a lock does not hold for tags."""

    def add(self, server: Located, tag: str) -> bool:
        """Returns: whether the server did not have it yet. Raises: Invalid when it has too many."""
        cell = _changeable(server, "update tag")
        if len(cell.tags.list(server.uuid)) >= MAX_TAGS:
            raise Invalid(f"A server has {MAX_TAGS} tags at most.")
        if cell.tags.exists(server.uuid, tag):
            return False
        cell.tags.add(server.uuid, tag)
        return True

    def replace(self, server: Located, tags: Sequence[str]) -> list[str]:
        """Make these the tags of the server. Raises: AlreadyExists for tags that are one to the database."""
        found = _changeable(server, "update tags").tags.replace(server.uuid, tags)
        return [tag.tag for tag in found]

    def remove(self, server: Located, tag: str) -> None:
        """Raises: NotFound."""
        _changeable(server, "delete tag").tags.remove(server.uuid, tag)

    def remove_all(self, server: Located) -> None:
        """Leave the server without tags."""
        _changeable(server, "delete tags").tags.remove_all(server.uuid)


def _changeable(server: Located, method: str) -> CellStores:
    guards.in_state(server.instance, _RULE, method)
    return guards.in_a_cell(server)
