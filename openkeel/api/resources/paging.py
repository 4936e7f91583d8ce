"""The link to the next page, as a field beside the rows of a list."""

from typing import Any

from openkeel.api.links import LINK_SHAPE
from openkeel.api.tables import ABSENT, ALWAYS, Field, Rendering
from openkeel.api.versions import END


def _links(_: Any, r: Rendering) -> Any:
    return ABSENT if r.links is None else r.links


def next_links(name: str, since: int = 0, until: int = END) -> Field:
    """The field `name`: there only when the handler's Answer has links."""
    return Field(name, get=_links, since=since, until=until, shape=LINK_SHAPE, optional_since=ALWAYS)
