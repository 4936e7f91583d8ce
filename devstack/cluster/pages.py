"""Paged lists: a continue token names a list taken once, so that all pages show the same moment."""

import base64
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import orjson

from devstack.cluster import errors
from devstack.cluster.store import Record

KEPT_LISTS: Final = 64
_TOO_OLD: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without the continue parameter."
)


@dataclass(frozen=True, slots=True)
class Page:
    records: list[Record]
    version: int
    token: str
    remaining: int


class Pages:
    """Remembers the last lists that were cut; older ones answer 410, as after an etcd compaction."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, tuple[int, list[Record]]] = OrderedDict()

    def first(self, records: list[Record], version: int, limit: int | None) -> Page:
        if not limit or len(records) <= limit:
            return Page(records, version, "", 0)
        name = secrets.token_hex(8)
        self._lists[name] = (version, records)
        while len(self._lists) > KEPT_LISTS:
            self._lists.popitem(last=False)
        return self._page(name, 0, limit)

    def following(self, token: str, limit: int | None) -> Page:
        """Raises: ApiError 410 when the list is forgotten, 400 when the token is none."""
        try:
            name, offset = orjson.loads(base64.urlsafe_b64decode(token))
        except ValueError:
            raise errors.bad_request("continue key is not valid") from None
        if name not in self._lists:
            raise errors.expired(_TOO_OLD)
        return self._page(name, offset, limit or len(self._lists[name][1]))

    def forget(self) -> None:
        self._lists.clear()

    def _page(self, name: str, offset: int, limit: int) -> Page:
        version, records = self._lists[name]
        remaining = max(0, len(records) - offset - limit)
        token = base64.urlsafe_b64encode(orjson.dumps([name, offset + limit])).decode() if remaining else ""
        return Page(records[offset : offset + limit], version, token, remaining)
