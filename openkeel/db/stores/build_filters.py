"""Which build requests a peer's list shows, and in which order: their servers are text in one column.

Contract: the keys that `BuildRequestList.get_by_filters` takes on the wire. They are few enough to be
looked at one by one.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from openkeel.domain.errors import NotFound

_RENAMED: Final[Mapping[str, str]] = {"tenant_id": "project_id", "image": "image_ref"}
_PATTERNS: Final = frozenset({"display_name", "display_description", "name", "hostname"})


def is_wanted(instance: Any, filters: Mapping[str, Any]) -> bool:
    """Whether a server fits all filters. What a server without a cell does not have is not asked of it."""
    if filters.get("deleted"):
        return False
    for key, wanted in filters.items():
        field = _RENAMED.get(key, key)
        is_known = field in instance.fields and instance.obj_attr_is_set(field)
        if is_known and not _fits(getattr(instance, field), wanted, is_pattern=field in _PATTERNS):
            return False
    return True


def _fits(value: Any, wanted: Any, *, is_pattern: bool) -> bool:
    if isinstance(wanted, Mapping):
        return dict(wanted).items() <= dict(value or {}).items()
    if isinstance(wanted, list | tuple | set | frozenset):
        return value in wanted
    if is_pattern and isinstance(wanted, str):
        return re.search(wanted, value or "") is not None
    return bool(value == wanted)


def in_order(requests: Collection[Any], sort_keys: Sequence[str], sort_dirs: Sequence[str]) -> list[Any]:
    """By fields of the servers, the first key weighing most; nothing sorts before something."""
    found = list(requests)
    directions = [*sort_dirs[: len(sort_keys)], *["desc"] * (len(sort_keys) - len(sort_dirs))]
    for key, direction in reversed(list(zip(sort_keys, directions, strict=True))):

        def weight(request: Any, key: str = key) -> tuple[bool, Any]:
            known = key in request.instance.fields and request.instance.obj_attr_is_set(key)
            value = getattr(request.instance, key) if known else None
            return (value is not None, 0 if value is None else value)

        found.sort(key=weight, reverse=direction == "desc")
    return found


def page_of(requests: list[Any], limit: int | None, marker: str | None) -> list[Any]:
    """Raises: NotFound (marker)."""
    begin = 0
    if marker is not None:
        uuids = [request.instance_uuid for request in requests]
        if marker not in uuids:
            raise NotFound(f"Marker {marker} could not be found.", marker=marker)
        begin = uuids.index(marker) + 1
    return requests[begin:] if limit is None else requests[begin : begin + limit]
