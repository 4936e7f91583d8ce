"""From the query of a list to what is read: filters, order, page.

Which filters count depends on who asks: what a member may not filter by is silently left out, and an
administrator may name any column. Contract: the recorded answers of GET /servers with filters.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from oslo_utils import strutils, timeutils

from openkeel.api.request import Request, Values
from openkeel.api.resources.servers.bodies import IGNORED_SORT_KEYS, SORT_KEYS
from openkeel.api.tables import Behaviour
from openkeel.api.versions import V
from openkeel.db.stores.server_filters import Lifetime, Order, ServerFilter
from openkeel.db.stores.server_rows import Need
from openkeel.domain.errors import Forbidden, Invalid, NotFound
from openkeel.domain.patterns import check as check_pattern
from openkeel.domain.server_status import DELETED, states_of
from openkeel.domain.states import VMState
from openkeel.policies import servers as rules
from openkeel.services.server_lists import Listing

IP6_FOR_ALL: Final = Behaviour("ip6_filter", since=V.IP6_FILTER_FOR_ALL)
TAG_FILTERS: Final = Behaviour("tag_filters", since=V.SERVER_TAGS)
UNKNOWN_STATUS_REFUSED: Final = Behaviour("unknown_status_refused", since=V.INVALID_STATUS_REFUSED)
CHANGES_BEFORE: Final = Behaviour("changes_before", since=V.CHANGES_BEFORE)
DOWN_CELLS: Final = Behaviour("down_cells", since=V.DOWN_CELLS)
LOCKED_FILTER: Final = Behaviour("locked_filter", since=V.LOCK_REASON)
MORE_FOR_ALL: Final = Behaviour("more_filters", since=V.LIST_FILTERS_FOR_ALL)
HOSTNAME_FOR_ALL: Final = Behaviour("hostname_filter", since=V.HOSTNAME)
BEHAVIOURS: Final = (
    IP6_FOR_ALL,
    TAG_FILTERS,
    UNKNOWN_STATUS_REFUSED,
    CHANGES_BEFORE,
    DOWN_CELLS,
    LOCKED_FILTER,
    MORE_FOR_ALL,
    HOSTNAME_FOR_ALL,
)

# Filters of everybody, and those that came with a version.
_FOR_ALL: Final = frozenset({"reservation_id", "name", "status", "image", "flavor", "ip", "changes-since"})
_MORE_FOR_ALL: Final = frozenset(
    {
        "availability_zone",
        "config_drive",
        "created_at",
        "key_name",
        "launched_at",
        "power_state",
        "progress",
        "task_state",
        "terminated_at",
        "user_id",
        "vm_state",
    }
)
_TAG_FILTERS: Final = {
    "tags": "tags",
    "tags-any": "any_tag",
    "not-tags": "not_all_tags",
    "not-tags-any": "not_any_tag",
}
# Query name -> column. The first compare whole values, the others search a pattern.
_EXACT: Final = {
    "host": "host",
    "image": "image_ref",
    "image_ref": "image_ref",
    "task_state": "task_state",
    "user_id": "user_id",
    "uuid": "uuid",
    "vm_state": "vm_state",
}
_PATTERNS: Final = {
    "access_ip_v4": "access_ip_v4",
    "access_ip_v6": "access_ip_v6",
    "auto_disk_config": "auto_disk_config",
    "availability_zone": "availability_zone",
    "config_drive": "config_drive",
    "created_at": "created_at",
    "display_description": "display_description",
    "display_name": "display_name",
    "hostname": "hostname",
    "kernel_id": "kernel_id",
    "key_name": "key_name",
    "launch_index": "launch_index",
    "launched_at": "launched_at",
    "locked_by": "locked_by",
    "name": "display_name",
    "node": "node",
    "power_state": "power_state",
    "progress": "progress",
    "ramdisk_id": "ramdisk_id",
    "reservation_id": "reservation_id",
    "root_device_name": "root_device_name",
    "terminated_at": "terminated_at",
}
# Columns that only administrators may sort by: they tell of the infrastructure.
_SORTED_BY_ADMINS: Final = frozenset({"host", "node"})


class NothingMatches(Exception):
    """The filters contradict each other or name what does not exist: the list is empty."""


def listing(request: Request, *, needs: frozenset[Need], all_projects_rule: str) -> Listing:
    """What the query asks for.

    Raises: Invalid, Forbidden; NothingMatches.
    """
    query = request.query
    sees_all = request.allows(rules.ALLOW_ALL_FILTERS)
    all_projects = _strict_bool("all_tenants", query.last("all_tenants"), empty=True)
    if all_projects:
        request.enforce(all_projects_rule)
    page = request.page()
    project_id: str | None = request.ctx.project_id
    if all_projects:
        project_id = query.last("project_id") or query.last("tenant_id")
    allowed = _allowed(request, sees_all=sees_all)
    wanted = _filter(request, allowed, sees_all=sees_all, project_id=project_id)
    return Listing(
        wanted=wanted,
        order=_order(request, sees_all=sees_all),
        limit=page.limit,
        marker=page.marker,
        needs=needs,
        project_id=project_id,
        # What a cell that is down holds can be neither filtered nor sorted.
        shows_down_cells=(
            request.has(DOWN_CELLS)
            and page.marker is None
            and not (allowed - {"deleted", "soft_deleted"}) & set(query)
        ),
    )


def _allowed(request: Request, *, sees_all: bool) -> frozenset[str]:
    """Filters that count for this user in this version."""
    tags = frozenset(_TAG_FILTERS) if request.has(TAG_FILTERS) else frozenset()
    newer = {
        *(["changes-before"] if request.has(CHANGES_BEFORE) else []),
        *(["locked"] if request.has(LOCKED_FILTER) else []),
    }
    if sees_all:
        rest = {*_EXACT, *_PATTERNS, "ip6", "deleted", "soft_deleted", "metadata", "system_metadata"}
        return _FOR_ALL | tags | newer | rest
    return (
        _FOR_ALL
        | tags
        | newer
        | (_MORE_FOR_ALL if request.has(MORE_FOR_ALL) else frozenset())
        | {
            *(["ip6"] if request.has(IP6_FOR_ALL) else []),
            *(["hostname"] if request.has(HOSTNAME_FOR_ALL) else []),
        }
    )


def _filter(
    request: Request, allowed: frozenset[str], *, sees_all: bool, project_id: str | None
) -> ServerFilter:
    query = Values({name: given for name, given in request.query.items() if name in allowed})
    for name in ("metadata", "system_metadata"):
        if name in query:
            raise Invalid(f"Servers cannot be filtered by {name}.")
    equal: dict[str, frozenset[Any]] = {
        column: frozenset(query.all(name)) for name, column in _EXACT.items() if name in query
    }
    if project_id is not None:
        equal["project_id"] = frozenset({project_id})
    if "flavor" in query:
        equal["instance_type_id"] = frozenset({_flavor_id(request, str(query.last("flavor")))})
    if "locked" in query:
        equal["locked"] = _truth(_strict_bool("locked", query.last("locked")))
    is_deleted = strutils.bool_from_string(query.last("deleted", "false"))
    if "status" in query:
        is_deleted |= _add_status(request, query.all("status"), equal, sees_all=sees_all)
    since, before = _moment(query.last("changes-since")), _moment(query.last("changes-before"))
    if since is not None and before is not None and since > before:
        raise Invalid("changes-since must not be later than changes-before.")
    lifetime = Lifetime.DELETED if is_deleted else Lifetime.LIVING
    if "deleted" not in query and not is_deleted and (since is not None or before is not None):
        lifetime = Lifetime.BOTH
    tags = {
        field: frozenset(tag for given in query.all(name) for tag in given.split(","))
        for name, field in _TAG_FILTERS.items()
        if name in query
    }
    return ServerFilter(
        lifetime=lifetime,
        with_soft_deleted=strutils.bool_from_string(query.last("soft_deleted", "false")),
        equal=equal,
        patterns=dict(_patterns(query)),
        address_patterns={
            version: check_pattern(str(query.last(name)))
            for name, version in (("ip", 4), ("ip6", 6))
            if name in query
        },
        changed_since=since,
        changed_before=before,
        **tags,
    )


def _patterns(query: Values) -> Iterator[tuple[str, str]]:
    for name, column in _PATTERNS.items():
        if name in query:
            yield column, check_pattern(str(query.last(name)))


def _add_status(
    request: Request, statuses: Iterable[str], equal: dict[str, frozenset[Any]], *, sees_all: bool
) -> bool:
    """Turn statuses into states; whether deleted servers are asked for."""
    states = states_of(statuses)
    if not states.vm:
        if request.has(UNKNOWN_STATUS_REFUSED):
            raise Invalid("There is no such status.")
        raise NothingMatches
    if VMState.DELETED in states.vm and not sees_all:
        raise Forbidden(f"Only administrators may list servers of status {DELETED}.")
    equal["vm_state"] = states.vm
    if states.task is not None:
        equal["task_state"] = states.task
    return VMState.DELETED in states.vm


def _truth(wanted: bool) -> frozenset[Any]:
    return frozenset({True}) if wanted else frozenset({False, None})


def _flavor_id(request: Request, flavor_id: str) -> int:
    """Servers know their flavor by its number. Raises: NothingMatches."""
    try:
        return int(request.services.flavors.get(request.ctx, flavor_id).id)
    except NotFound:
        raise NothingMatches from None


def _strict_bool(name: str, value: str | None, *, empty: bool = False) -> bool:
    if value is None:
        return False
    if value == "":
        return empty
    try:
        return bool(strutils.bool_from_string(value, strict=True))
    except ValueError as error:
        raise Invalid(f"{name} must be true or false: {error}") from error


def _moment(text: str | None) -> datetime | None:
    """A time as databases keep it. Raises: Invalid."""
    if text is None:
        return None
    try:
        return timeutils.normalize_time(timeutils.parse_isotime(text))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{text} is not a time: {error}") from error


def _order(request: Request, *, sees_all: bool) -> Order:
    """Raises: Invalid for unknown keys and directions; Forbidden."""
    keys, directions = request.query.all("sort_key"), request.query.all("sort_dir")
    if len(directions) > len(keys) and (keys or len(directions) > 1):
        raise Invalid("There are more sort directions than sort keys.")
    unknown = [one for one in directions if one not in {"asc", "desc"}]
    if unknown:
        raise Invalid(f"Unknown sort direction {unknown[0]}: use asc or desc.")
    if not keys:
        return Order.by([("created_at", directions != ["asc"])])
    ignored = IGNORED_SORT_KEYS | (frozenset() if request.has(LOCKED_FILTER) else {"locked"})
    chosen: list[tuple[str, bool]] = []
    for position, key in enumerate(keys):
        descending = position >= len(directions) or directions[position] == "desc"
        if key in ignored or key in dict(chosen):
            continue
        if key not in SORT_KEYS:
            raise Invalid(f"Servers cannot be sorted by {key}.")
        if key in _SORTED_BY_ADMINS and not sees_all:
            raise Forbidden(f"Only administrators may sort servers by {key}.")
        chosen.append((key, descending))
    return Order.by(chosen or [("created_at", True)])
