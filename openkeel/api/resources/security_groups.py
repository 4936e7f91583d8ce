"""Security groups, a proxy to Neutron for old clients, and those that a server is in."""

from typing import Any, Final

from oslo_utils import uuidutils

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.server_metadata import locate
from openkeel.api.resources.servers.bodies import NOTHING
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Object, Param, Prop, Query
from openkeel.api.tables import Field, Operation, Rendering, View
from openkeel.api.versions import END, V
from openkeel.domain.errors import Invalid
from openkeel.policies import security_groups as rules
from openkeel.services.security_groups import RequestedRule

# Fields


def _remote(rule: Any, _: Rendering) -> dict[str, str]:
    group = rule.remote
    return {} if group is None else {"name": group.name, "tenant_id": group.project_id}


def _range(rule: Any, _: Rendering) -> dict[str, str]:
    return {} if rule.cidr is None else {"cidr": rule.cidr}


RULE: Final = View(
    Field("id"),
    Field("parent_group_id", get=lambda rule, _: rule.group_id),
    Field("ip_protocol", get=lambda rule, _: rule.protocol),
    Field("from_port"),
    Field("to_port"),
    Field("group", get=_remote, shape=(".name", ".tenant_id")),
    Field("ip_range", get=_range, shape=(".cidr",)),
)
GROUP: Final = View(
    Field("id"),
    Field("name"),
    Field("description"),
    Field("tenant_id", get=lambda group, _: group.project_id),
    Field("rules", view=RULE, many=True),
)

# Bodies and queries

_TEXT: Final = forms.string(minLength=0, maxLength=255)
_OPTIONAL_UUID: Final = forms.nullable(forms.UUID)
GROUP_BODY: Final = Body(
    Prop(
        "security_group",
        Object(Prop("name", _TEXT, required=True), Prop("description", _TEXT, required=True), extra=True),
        required=True,
    ),
    extra=True,
)
RULE_BODY: Final = Body(
    Prop(
        "security_group_rule",
        Object(
            Prop("parent_group_id", forms.UUID, required=True),
            Prop("group_id", _OPTIONAL_UUID),
            *(Prop(name, forms.ANY) for name in ("ip_protocol", "from_port", "to_port", "cidr")),
            extra=True,
        ),
        required=True,
    ),
    extra=True,
)
LIST: Final = Query(
    Param("limit", forms.NON_NEGATIVE),
    Param("offset", forms.NON_NEGATIVE),
    Param("all_tenants"),
    strict_since=END,
)
ANYTHING: Final = Query(strict_since=END)


def _membership(action: str) -> Body:
    name = forms.string(minLength=1)
    return Body(Prop(action, Object(Prop("name", name, required=True)), required=True), extra=True)


# Handlers


def _id(request: Request) -> str:
    given = request.params["id"]
    if not uuidutils.is_uuid_like(given):
        raise Invalid(f"{given} is no id of a security group or of a rule.")
    return given


def index(request: Request) -> Any:
    """The groups of the project."""
    query = request.query
    all_projects = forms.to_bool(query.last("all_tenants", "no"))
    groups = request.services.security_groups.of_project(request.ctx, all_projects=all_projects)
    start = int(query.last("offset") or 0)
    return groups[start : start + request.page().limit]


def show(request: Request) -> Any:
    """One group."""
    return request.services.security_groups.get(request.ctx, _id(request))


def create(request: Request) -> Any:
    """A new group."""
    asked = request.body["security_group"]
    return request.services.security_groups.create(request.ctx, asked["name"], asked["description"])


def update(request: Request) -> Any:
    """Another name and description."""
    asked = request.body["security_group"]
    return request.services.security_groups.update(
        request.ctx, _id(request), asked["name"], asked["description"]
    )


def delete(request: Request) -> None:
    """Delete a group that no server is in."""
    request.services.security_groups.delete(request.ctx, _id(request))


def create_rule(request: Request) -> Any:
    """Let more in."""
    asked = request.body["security_group_rule"]
    return request.services.security_groups.add_rule(
        request.ctx,
        RequestedRule(
            group_id=asked["parent_group_id"],
            protocol=asked.get("ip_protocol"),
            from_port=asked.get("from_port"),
            to_port=asked.get("to_port"),
            cidr=asked.get("cidr"),
            remote_group_id=asked.get("group_id"),
        ),
    )


def delete_rule(request: Request) -> None:
    """Let less in."""
    request.services.security_groups.remove_rule(request.ctx, _id(request))


def of_server(request: Request) -> Any:
    """The groups that a living server is in."""
    request.services.server_lists.find(request.ctx, request.target, frozenset())
    return request.services.security_groups.of_server(request.ctx, str(request.target.instance_uuid))


def _name(request: Request, action: str) -> str:
    name = str(request.body[action]["name"])
    if not name.strip():
        raise Invalid("The name of the security group is empty.")
    return name


def add_to_server(request: Request) -> None:
    """Put a server into a group."""
    name = _name(request, "addSecurityGroup")
    request.services.security_groups.put_in(request.ctx, request.target.uuid, name)


def remove_from_server(request: Request) -> None:
    """Take a server out of a group."""
    name = _name(request, "removeSecurityGroup")
    request.services.security_groups.take_out(request.ctx, request.target.uuid, name)


# Operations

_GROUPS: Final = "/os-security-groups"
_GROUP: Final = "/os-security-groups/{id}"
_RULES: Final = "/os-security-group-rules"
_ACTION: Final = "/servers/{id}/action"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        _GROUPS,
        index,
        until=_UNTIL,
        rule=rules.GET,
        query=LIST,
        view=GROUP.list("security_groups"),
    ),
    Operation(
        "GET", _GROUP, show, until=_UNTIL, rule=rules.SHOW, query=ANYTHING, view=GROUP.one("security_group")
    ),
    Operation(
        "POST",
        _GROUPS,
        create,
        until=_UNTIL,
        rule=rules.CREATE,
        body=GROUP_BODY,
        view=GROUP.one("security_group"),
    ),
    Operation(
        "PUT",
        _GROUP,
        update,
        until=_UNTIL,
        rule=rules.UPDATE,
        body=GROUP_BODY,
        view=GROUP.one("security_group"),
        faults=(409,),
    ),
    Operation("DELETE", _GROUP, delete, until=_UNTIL, rule=rules.DELETE, status=202),
    Operation(
        "POST",
        _RULES,
        create_rule,
        until=_UNTIL,
        rule=rules.RULE_CREATE,
        body=RULE_BODY,
        view=RULE.one("security_group_rule"),
        faults=(404,),
    ),
    Operation("DELETE", _RULES + "/{id}", delete_rule, until=_UNTIL, rule=rules.RULE_DELETE, status=202),
    Operation(
        "GET",
        "/servers/{server_id}/os-security-groups",
        of_server,
        rule=rules.LIST,
        target=locate,
        query=NOTHING,
        view=GROUP.list("security_groups"),
    ),
    Operation(
        "POST",
        _ACTION,
        add_to_server,
        action="addSecurityGroup",
        rule=rules.ADD,
        target=load_server,
        body=_membership("addSecurityGroup"),
        status=202,
        faults=(409,),
    ),
    Operation(
        "POST",
        _ACTION,
        remove_from_server,
        action="removeSecurityGroup",
        rule=rules.REMOVE,
        target=load_server,
        body=_membership("removeSecurityGroup"),
        status=202,
        faults=(409,),
    ),
)
