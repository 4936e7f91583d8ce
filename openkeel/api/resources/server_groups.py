"""Server groups: /os-server-groups."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Array, Body, Object, Param, Prop, Query
from openkeel.api.tables import Field, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid
from openkeel.policies import server_groups as rules

# Fields


def _policies(group: Any, _: Rendering) -> list[str]:
    return [] if group.policy is None else [group.policy]


def _nothing(_row: Any, _: Rendering) -> dict[str, str]:
    return {}


SERVER_GROUP: Final = View(
    Field("id", get=a("uuid")),
    Field("name"),
    Field("policies", get=_policies, until=V.GROUP_POLICY_AND_RULES, shape=("[]",)),
    # Compat: groups once had metadata; nobody could ever set any.
    Field("metadata", get=_nothing, until=V.GROUP_POLICY_AND_RULES),
    Field("policy", since=V.GROUP_POLICY_AND_RULES),
    Field("rules", since=V.GROUP_POLICY_AND_RULES, shape=(".max_server_per_host",)),
    Field("members", shape=("[]",)),
    Field("project_id", since=V.SERVER_GROUP_OWNER),
    Field("user_id", since=V.SERVER_GROUP_OWNER),
)

# Bodies and queries

ANTI_AFFINITY: Final = "anti-affinity"
_HARD: Final = ("affinity", ANTI_AFFINITY)
_SOFT: Final = ("soft-affinity", "soft-anti-affinity")


def _one_of(*policies: str) -> Array:
    return Array(forms.enum(*policies), minItems=1, maxItems=1)


CREATE: Final = Body(
    Prop(
        "server_group",
        Object(
            Prop("name", forms.NAME, required=True),
            Prop("policies", _one_of(*_HARD), required=True, until=V.SOFT_GROUP_POLICIES),
            Prop(
                "policies",
                _one_of(*_HARD, *_SOFT),
                required=True,
                since=V.SOFT_GROUP_POLICIES,
                until=V.GROUP_POLICY_AND_RULES,
            ),
            Prop("policy", forms.enum(*_HARD, *_SOFT), required=True, since=V.GROUP_POLICY_AND_RULES),
            Prop(
                "rules",
                Object(Prop("max_server_per_host", forms.POSITIVE)),
                since=V.GROUP_POLICY_AND_RULES,
            ),
        ),
        required=True,
    )
)
LIST: Final = Query(
    Param("all_projects"),
    Param("limit", forms.NON_NEGATIVE),
    Param("offset", forms.NON_NEGATIVE),
    strict_since=V.STRICT_QUERIES,
)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers


def load_group(request: Request) -> Any:
    """The group that is asked for."""
    return request.services.server_groups.get(request.ctx, request.params["id"])


def list_groups(request: Request) -> Any:
    """Groups of the project; administrators may ask for all."""
    all_projects = request.ctx.is_admin and "all_projects" in request.query
    if all_projects:
        request.enforce(rules.INDEX_ALL_PROJECTS)
    # Compat: no limit at all is what 0 means here.
    limit = request.page().limit or request.max_limit
    offset = int(request.query.last("offset") or 0)
    return request.services.server_groups.page(
        request.ctx, all_projects=all_projects, limit=limit, offset=offset
    )


def show(request: Request) -> Any:
    """One group."""
    return request.target


def create(request: Request) -> Any:
    """Make a group."""
    asked = request.body["server_group"]
    policy = asked["policy"] if "policy" in asked else asked["policies"][0]
    wanted = {name: int(value) for name, value in asked.get("rules", {}).items()}
    if wanted and policy != ANTI_AFFINITY:
        raise Invalid(f"Policy {policy} has no rules: only {ANTI_AFFINITY} has.")
    return request.services.server_groups.create(request.ctx, asked["name"], policy, wanted)


def delete(request: Request) -> None:
    """Forget a group."""
    request.services.server_groups.delete(request.ctx, request.target.uuid)


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-server-groups",
        list_groups,
        rule=rules.INDEX,
        more_rules=(rules.INDEX_ALL_PROJECTS,),
        query=LIST,
        view=SERVER_GROUP.list("server_groups"),
    ),
    Operation(
        "POST",
        "/os-server-groups",
        create,
        rule=rules.CREATE,
        body=CREATE,
        view=SERVER_GROUP.one("server_group"),
        faults=(409,),
    ),
    Operation(
        "GET",
        "/os-server-groups/{id}",
        show,
        rule=rules.SHOW,
        target=load_group,
        query=NOTHING,
        view=SERVER_GROUP.one("server_group"),
    ),
    Operation(
        "DELETE",
        "/os-server-groups/{id}",
        delete,
        rule=rules.DELETE,
        target=load_group,
        status=204,
    ),
)
