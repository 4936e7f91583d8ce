"""Pages of lists: the link to the next one, as a field beside the rows, and parts by number."""

from collections.abc import Sequence
from typing import Any

from openkeel.api.links import LINK_SHAPE
from openkeel.api.request import Request
from openkeel.api.tables import ABSENT, ALWAYS, Field, Rendering
from openkeel.api.versions import END


def _links(_: Any, r: Rendering) -> Any:
    return ABSENT if r.links is None else r.links


def next_links(name: str, since: int = 0, until: int = END) -> Field:
    """The field `name`: there only when the handler's Answer has links."""
    return Field(name, get=_links, since=since, until=until, shape=LINK_SHAPE, optional_since=ALWAYS)


def part_of(request: Request, rows: Sequence[Any]) -> Sequence[Any]:
    """The rows from `offset` on, `limit` at most, of a list that is here as a whole.

    Compat: here a limit of 0 is none.
    """
    start = int(request.query.last("offset") or 0)
    return rows[start : start + (request.page().limit or request.max_limit)]
