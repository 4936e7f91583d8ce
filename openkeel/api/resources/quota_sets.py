"""Quotas of projects and of users in them: /os-quota-sets."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources import quota_resources
from openkeel.api.schema import Body, Object, Param, Prop, Query
from openkeel.api.tables import Answer, Field, Getter, Operation, Rendering, View
from openkeel.api.versions import V
from openkeel.policies import quota_sets as rules
from openkeel.services.quota import UNLIMITED

# Fields

_NAMES: Final = quota_resources.windows(networks_until=V.PROXIES_GONE, groups_since=V.LEGACY)


def _limit(name: str) -> Getter:
    return lambda limits, _: limits.get(name, UNLIMITED)


def _limit_and_use(name: str) -> Getter:
    def get(found: Any, _: Rendering) -> dict[str, int]:
        one = found.get(name)
        return {
            "limit": UNLIMITED if one is None else one.limit,
            "in_use": 0 if one is None else one.in_use,
            "reserved": 0,  # Compat: nothing is reserved any more
        }

    return get


_ID: Final = Field("id", get=lambda _, r: r.data)

UPDATED: Final = View(*quota_resources.fields(_NAMES, _limit))
SHOWN: Final = View(_ID, *UPDATED.fields)
DETAILED: Final = View(
    _ID, *quota_resources.fields(_NAMES, _limit_and_use, shape=(".limit", ".in_use", ".reserved"))
)

# Bodies and queries

UPDATE: Final = Body(
    Prop(
        "quota_set",
        Object(
            *(Prop(name, forms.LIMIT, since=since, until=until) for name, since, until in _NAMES),
            Prop("force", forms.BOOLEAN),
        ),
        required=True,
    )
)
OF_USER: Final = Query(Param("user_id"), strict_since=V.STRICT_QUERIES)

# Handlers


def asked_project(request: Request) -> dict[str, Any]:
    """Whose quotas are asked for: the rules compare it with the caller."""
    return {"project_id": request.params["id"], "user_id": request.ctx.user_id}


def _answer(request: Request, found: Any) -> Answer:
    return Answer(found, data=request.params["id"])


def show(request: Request) -> Answer:
    """Limits."""
    service, user_id = request.services.quota_sets, request.query.last("user_id")
    return _answer(request, service.show(request.ctx, request.params["id"], user_id))


def detail(request: Request) -> Answer:
    """Limits and usage."""
    service, user_id = request.services.quota_sets, request.query.last("user_id")
    return _answer(request, service.detail(request.ctx, request.params["id"], user_id))


def defaults(request: Request) -> Answer:
    """Limits where none are set."""
    return _answer(request, request.services.quota_sets.defaults(request.ctx, request.params["id"]))


def changes(asked: dict[str, Any]) -> dict[str, int]:
    """The limits a body sets."""
    return {name: int(asked[name]) for name in sorted(asked.keys() - {"force"})}


def update(request: Request) -> Any:
    """Set limits."""
    asked = request.body["quota_set"]
    return request.services.quota_sets.update(
        request.ctx,
        request.params["id"],
        request.query.last("user_id"),
        changes(asked),
        force=forms.to_bool(asked.get("force", False)),
    )


def delete(request: Request) -> None:
    """Back to the defaults."""
    request.services.quota_sets.delete(request.params["id"], request.query.last("user_id"))


# Operations

_PATH: Final = "/os-quota-sets/{id}"

OPERATIONS: Final = (
    Operation(
        "GET",
        _PATH,
        show,
        rule=rules.SHOW,
        target=asked_project,
        query=OF_USER,
        view=SHOWN.one("quota_set"),
    ),
    Operation(
        "GET",
        _PATH + "/detail",
        detail,
        rule=rules.DETAIL,
        target=asked_project,
        query=OF_USER,
        view=DETAILED.one("quota_set"),
    ),
    Operation(
        "GET",
        _PATH + "/defaults",
        defaults,
        rule=rules.DEFAULTS,
        target=asked_project,
        view=SHOWN.one("quota_set"),
    ),
    Operation(
        "PUT",
        _PATH,
        update,
        rule=rules.UPDATE,
        target=asked_project,
        body=UPDATE,
        query=OF_USER,
        view=UPDATED.one("quota_set"),
    ),
    Operation("DELETE", _PATH, delete, rule=rules.DELETE, target=asked_project, query=OF_USER, status=202),
)
