"""What the stores of most nouns have."""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from openkeel.domain.errors import NotFound
from openkeel.rpc.remote_stores.wire import Wire


class Store:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire


class Rows(Store, ABC):
    """What most nouns have: objects that are created, saved and destroyed."""

    def create(self, item: Any) -> None:
        self._wire.create(item, lambda: self._made(item))

    def save(self, item: Any) -> None:
        self._wire.tell(item, "save")

    def destroy(self, item: Any) -> None:
        self._wire.destroy(item)

    @abstractmethod
    def _made(self, item: Any) -> Any | None:
        """The row of an object that may have been made."""


def named(item: Any) -> str:
    """The uuid of an object that is to be made: one is given to it if it has none."""
    if not item.obj_attr_is_set("uuid"):
        item.uuid = str(uuid.uuid4())
    return str(item.uuid)


def or_none(ask: Callable[[], Any]) -> Any | None:
    """The answer, or None where it is that there is none."""
    try:
        return ask()
    except NotFound:
        return None
