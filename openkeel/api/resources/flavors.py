"""Flavors: /flavors, and the access of projects to private ones."""

from dataclasses import dataclass
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import WHOLE
from openkeel.api.links import LINK_SHAPE
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
from openkeel.api.schema import Body, Leaf, Object, Param, Prop, Query
from openkeel.api.tables import ANYONE, Answer, Behaviour, Field, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid
from openkeel.policies import flavors as rules
from openkeel.services.flavors import FlavorQuery, NewFlavor

# Fields

_EXTRA_SPECS: Final = "extra_specs"


@dataclass(frozen=True)
class _Loaded:
    """What a page brings beside its rows."""

    extra_specs: Any


def _links(flavor: Any, r: Rendering) -> Any:
    return r.request.links.self_and_bookmark("flavors", flavor.flavorid)


def _swap(flavor: Any, _: Rendering) -> Any:
    return flavor.swap or ""


def _extra_specs(flavor: Any, r: Rendering) -> Any:
    return r.data.extra_specs[flavor.id]


def _disk(flavor: Any, _: Rendering) -> Any:
    return flavor.root_gb or 0


def _ephemeral(flavor: Any, _: Rendering) -> Any:
    return flavor.ephemeral_gb or 0


FLAVOR: Final = View(
    Field("id", get=a("flavorid")),
    Field("name"),
    Field("ram", get=a("memory_mb")),
    Field("disk", get=_disk),
    # Compat: no swap was an empty text.
    Field("swap", get=_swap, until=V.STRICT_QUERIES),
    Field("swap", since=V.STRICT_QUERIES, type=WHOLE),
    Field("OS-FLV-EXT-DATA:ephemeral", get=_ephemeral),
    Field("OS-FLV-DISABLED:disabled", get=a("disabled"), until=V.FLAVOR_NAME_FILTER),
    Field("vcpus"),
    Field("os-flavor-access:is_public", get=a("is_public")),
    Field("rxtx_factor", until=V.FLAVOR_NAME_FILTER),
    Field("links", get=_links, shape=LINK_SHAPE),
    Field("description", since=V.FLAVOR_DESCRIPTION),
    Field(
        "extra_specs",
        get=_extra_specs,
        since=V.FLAVOR_EXTRA_SPECS_SHOWN,
        needs=(_EXTRA_SPECS,),
        rule=rules.EXTRA_SPECS_INDEX,
        shape=(".*",),
    ),
)


BRIEF_FLAVOR: Final = View(
    Field("id", get=a("flavorid")),
    Field("name"),
    Field("links", get=_links, shape=LINK_SHAPE),
    Field("description", since=V.FLAVOR_DESCRIPTION),
)
ACCESS: Final = View(Field("flavor_id"), Field("tenant_id"))

# Bodies and queries

_NOT_NEGATIVE: Final = forms.integer(0)
_POSITIVE: Final = forms.integer(1)
_DESCRIPTION: Final = forms.description(65535)
_FACTOR: Final = Leaf(
    {
        "type": ["number", "string"],
        "pattern": r"^[0-9]+(\.[0-9]+)?$",
        "exclusiveMinimum": 0,
        "maximum": 3.40282e38,
    }
)
_ID: Final = Leaf(
    {
        "type": ["string", "number", "null"],
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^(?! )[a-zA-Z0-9. _-]+(?<! )$",
    }
)

CREATE: Final = Body(
    Prop(
        "flavor",
        Object(
            Prop("name", forms.PADDED_NAME, required=True, until=V.BASE),
            Prop("name", forms.NAME, required=True, since=V.BASE),
            Prop("id", _ID),
            Prop("ram", _POSITIVE, required=True),
            Prop("vcpus", _POSITIVE, required=True),
            Prop("disk", _NOT_NEGATIVE, required=True),
            Prop("OS-FLV-EXT-DATA:ephemeral", _NOT_NEGATIVE),
            Prop("swap", _NOT_NEGATIVE),
            Prop("rxtx_factor", _FACTOR, until=V.FLAVOR_NAME_FILTER),
            Prop("os-flavor-access:is_public", forms.BOOLEAN),
            Prop("description", _DESCRIPTION, since=V.FLAVOR_DESCRIPTION),
        ),
        required=True,
    )
)
UPDATE: Final = Body(
    Prop("flavor", Object(Prop("description", _DESCRIPTION, required=True)), required=True),
    since=V.FLAVOR_DESCRIPTION,
)


def _tenant(action: str) -> Body:
    tenant = forms.string(minLength=1, maxLength=255)
    return Body(Prop(action, Object(Prop("tenant", tenant, required=True)), required=True))


_SORT_KEYS: Final = (
    "created_at",
    "description",
    "disabled",
    "ephemeral_gb",
    "flavorid",
    "id",
    "is_public",
    "memory_mb",
    "name",
    "root_gb",
    "swap",
    "updated_at",
    "vcpu_weight",
    "vcpus",
)
LIST: Final = Query(
    Param("limit", forms.NON_NEGATIVE),
    Param("marker"),
    Param("is_public"),
    Param("minRam"),
    Param("minDisk"),
    Param("name", since=V.FLAVOR_NAME_FILTER),
    Param("sort_key", forms.enum(*_SORT_KEYS, "rxtx_factor"), until=V.FLAVOR_NAME_FILTER),
    Param("sort_key", forms.enum(*_SORT_KEYS), since=V.FLAVOR_NAME_FILTER),
    Param("sort_dir", forms.enum("asc", "desc")),
    strict_since=V.STRICT_QUERIES,
)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER)
NOTHING_AT_ALL: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers


def _number(request: Request, name: str) -> int | None:
    given = request.query.last(name)
    if given is None:
        return None
    try:
        return int(given)
    except ValueError:
        raise Invalid(f"{name} must be a whole number, not {given!r}.") from None


def _is_public(request: Request) -> bool | None:
    """Only administrators choose; what others say does not count."""
    given = request.query.last("is_public")
    if given is None or not request.ctx.is_admin:
        return True
    if given.lower() == "none":
        return None
    if given.lower() not in forms.TRUTHS:
        raise Invalid(f"is_public must be true, false or none, not {given!r}.")
    return forms.to_bool(given)


def list_flavors(request: Request) -> Answer:
    """Flavors of the project, a page at a time."""
    page = request.page()
    flavors = request.services.flavors.page(
        request.ctx,
        FlavorQuery(
            is_public=_is_public(request),
            min_memory_mib=_number(request, "minRam"),
            min_root_gib=_number(request, "minDisk"),
            name_pattern=request.query.last("name"),
            sort_key=request.query.last("sort_key", "flavorid") or "flavorid",
            ascending=request.query.last("sort_dir", "asc") == "asc",
        ),
        page.limit,
        page.marker,
    )
    return _answer(request, flavors, links=request.next_links(flavors, page, lambda last: last.flavorid))


def _answer(request: Request, flavors: Any, links: Any = None) -> Answer:
    """Flavors with their extra specs where the view wants them."""
    many = flavors if isinstance(flavors, list) else [flavors]
    specs = request.services.flavors.extra_specs(many) if _EXTRA_SPECS in request.needs else None
    return Answer(flavors, data=_Loaded(specs), links=links)


def show(request: Request) -> Answer:
    """One flavor."""
    return _answer(request, request.services.flavors.get(request.ctx, request.params["id"]))


def create(request: Request) -> Answer:
    """A new flavor."""
    asked = request.body["flavor"]
    given = asked.get("id")
    flavor = request.services.flavors.create(
        NewFlavor(
            name=asked["name"],
            id=None if given is None or given == "auto" else str(given),
            memory_mib=int(asked["ram"]),
            vcpus=int(asked["vcpus"]),
            root_gib=int(asked["disk"]),
            ephemeral_gib=int(asked.get("OS-FLV-EXT-DATA:ephemeral", 0)),
            swap_mib=int(asked.get("swap", 0)),
            rxtx_factor=float(asked.get("rxtx_factor", 1.0)),
            is_public=forms.to_bool(asked.get("os-flavor-access:is_public", True)),
            description=asked.get("description"),
        ),
    )
    return _answer(request, flavor)


def update(request: Request) -> Answer:
    """Another description."""
    description = request.body["flavor"]["description"]
    return _answer(request, request.services.flavors.describe(request.params["id"], description))


def delete(request: Request) -> None:
    """Servers keep their copy of it."""
    request.services.flavors.delete(request.params["id"])


def list_access(request: Request) -> list[dict[str, str]]:
    """Projects that may use a private flavor. Contract: a public one answers 404."""
    return _access(request, request.params["flavor_id"])


def _access(request: Request, flavor_id: str) -> list[dict[str, str]]:
    projects = request.services.flavors.projects(flavor_id)
    return [{"flavor_id": flavor_id, "tenant_id": project} for project in projects]


PUBLIC_REFUSED: Final = Behaviour("a public flavor takes no access", since=V.PUBLIC_FLAVOR_ACCESS_CONFLICT)


def add_access(request: Request) -> list[dict[str, str]]:
    """Let a project use a private flavor."""
    flavor_id = request.params["id"]
    projects = request.services.flavors.add_access(
        request.ctx,
        flavor_id,
        request.body["addTenantAccess"]["tenant"],
        refuse_public=request.has(PUBLIC_REFUSED),
    )
    return [{"flavor_id": flavor_id, "tenant_id": project} for project in projects]


def remove_access(request: Request) -> list[dict[str, str]]:
    """Take a private flavor from a project."""
    flavor_id = request.params["id"]
    tenant = request.body["removeTenantAccess"]["tenant"]
    projects = request.services.flavors.remove_access(request.ctx, flavor_id, tenant)
    return [{"flavor_id": flavor_id, "tenant_id": project} for project in projects]


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/flavors",
        list_flavors,
        rule=ANYONE,
        query=LIST,
        view=BRIEF_FLAVOR.list("flavors", next_links("flavors_links")),
    ),
    Operation(
        "GET",
        "/flavors/detail",
        list_flavors,
        rule=ANYONE,
        query=LIST,
        view=FLAVOR.list("flavors", next_links("flavors_links")),
    ),
    Operation("GET", "/flavors/{id}", show, rule=ANYONE, query=NOTHING, view=FLAVOR.one("flavor")),
    Operation(
        "POST", "/flavors", create, rule=rules.CREATE, body=CREATE, view=FLAVOR.one("flavor"), faults=(409,)
    ),
    Operation(
        "PUT",
        "/flavors/{id}",
        update,
        since=V.FLAVOR_DESCRIPTION,
        rule=rules.UPDATE,
        body=UPDATE,
        view=FLAVOR.one("flavor"),
    ),
    Operation("DELETE", "/flavors/{id}", delete, rule=rules.DELETE, status=202),
    Operation(
        "GET",
        "/flavors/{flavor_id}/os-flavor-access",
        list_access,
        rule=rules.ACCESS,
        query=NOTHING_AT_ALL,
        view=ACCESS.list("flavor_access"),
    ),
    Operation(
        "POST",
        "/flavors/{id}/action",
        add_access,
        action="addTenantAccess",
        rule=rules.ACCESS_ADD_TENANT_ACCESS,
        body=_tenant("addTenantAccess"),
        view=ACCESS.list("flavor_access"),
        behaviours=(PUBLIC_REFUSED,),
        faults=(409,),
    ),
    Operation(
        "POST",
        "/flavors/{id}/action",
        remove_access,
        action="removeTenantAccess",
        rule=rules.ACCESS_REMOVE_TENANT_ACCESS,
        body=_tenant("removeTenantAccess"),
        view=ACCESS.list("flavor_access"),
    ),
)
