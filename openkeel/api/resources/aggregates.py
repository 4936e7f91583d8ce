"""Host aggregates: /os-aggregates."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.times import time_of
from openkeel.api.schema import Array, Body, Object, OneOf, Prop, Query
from openkeel.api.tables import Field, Operation, Rendering, View
from openkeel.api.versions import V
from openkeel.domain.errors import AggregateActionRefused, Invalid, KeelError, Unsupported
from openkeel.policies import aggregates as rules

# Fields


def _zone(aggregate: Any, _: Rendering) -> str | None:
    return (aggregate.metadata or {}).get("availability_zone")


def _never(_row: Any, _: Rendering) -> None:
    return None


def _hosts(aggregate: Any, _: Rendering) -> list[str]:
    return list(aggregate.hosts or ())


def _metadata(aggregate: Any, _: Rendering) -> dict[str, str]:
    return dict(aggregate.metadata or {})


CREATED: Final = View(
    Field("id", type=WHOLE),
    Field("uuid", since=V.AGGREGATE_UUID),
    Field("name"),
    Field("created_at", get=time_of("created_at")),
    Field("updated_at", get=time_of("updated_at")),
    # Compat: the table keeps no dead.
    Field("deleted_at", get=_never),
    Field("deleted", get=lambda _row, _r: False),
    Field("availability_zone", get=_zone),
)
AGGREGATE: Final = CREATED.plus(
    Field("hosts", get=_hosts, shape=("[]",)),
    Field("metadata", get=_metadata),
)

# Bodies and queries

_ZONE: Final = (
    Prop("availability_zone", OneOf(forms.PADDED_ZONE_NAME, forms.NULL), until=V.BASE),
    Prop("availability_zone", OneOf(forms.ZONE_NAME, forms.NULL), since=V.BASE),
)
CREATE: Final = Body(
    Prop(
        "aggregate",
        Object(
            Prop("name", forms.PADDED_NAME, required=True, until=V.BASE),
            Prop("name", forms.NAME, required=True, since=V.BASE),
            *_ZONE,
        ),
        required=True,
    )
)
UPDATE: Final = Body(
    Prop(
        "aggregate",
        Object(
            # Compat: blanks around the name have always been taken here.
            Prop("name", forms.PADDED_NAME),
            *_ZONE,
            minProperties=1,
        ),
        required=True,
    )
)


def _host_body(action: str) -> Body:
    return Body(Prop(action, Object(Prop("host", forms.HOST_NAME, required=True)), required=True))


SET_METADATA: Final = Body(
    Prop(
        "set_metadata",
        Object(
            Prop(
                "metadata",
                Object(patterns={forms.METADATA_KEY: forms.nullable(forms.METADATA_VALUE)}),
                required=True,
            )
        ),
        required=True,
    )
)
CACHE: Final = Body(
    Prop("cache", Array(Object(Prop("id", forms.UUID, required=True)), minItems=1), required=True)
)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers


def _id(request: Request) -> int:
    given = request.params["id"]
    try:
        return int(given)
    except ValueError:
        raise Invalid(f"The id of an aggregate is a whole number, not {given}.") from None


def list_aggregates(request: Request) -> Any:
    """All aggregates."""
    return request.services.aggregates.list()


def show(request: Request) -> Any:
    """One aggregate."""
    return request.services.aggregates.get(_id(request))


def create(request: Request) -> Any:
    """Make an aggregate without hosts."""
    asked = request.body["aggregate"]
    zone = asked.get("availability_zone")
    return request.services.aggregates.create(request.ctx, asked["name"].strip(), zone and zone.strip())


def update(request: Request) -> Any:
    """Change its name or its zone."""
    changes = {
        key: value.strip() if isinstance(value, str) else value
        for key, value in request.body["aggregate"].items()
    }
    return request.services.aggregates.update(request.ctx, _id(request), changes)


def delete(request: Request) -> None:
    """Forget an aggregate that has no hosts."""
    request.services.aggregates.delete(request.ctx, _id(request))


def add_host(request: Request) -> Any:
    """Put a host into it."""
    host = request.body["add_host"]["host"]
    return request.services.aggregates.add_host(request.ctx, _id(request), host)


def remove_host(request: Request) -> Any:
    """Take a host out of it."""
    host = request.body["remove_host"]["host"]
    return request.services.aggregates.remove_host(request.ctx, _id(request), host)


def set_metadata(request: Request) -> Any:
    """Change its metadata."""
    changes = request.body["set_metadata"]["metadata"]
    return request.services.aggregates.set_metadata(request.ctx, _id(request), changes)


def cache_images(request: Request) -> None:
    """Have its hosts fetch images."""
    images = [one["id"] for one in request.body["cache"]]
    request.services.image_cache.cache(request.ctx, _id(request), images)


# Operations

_ONE: Final = AGGREGATE.one("aggregate")
# Contract: where hosts come and go a refused zone is a conflict, elsewhere a bad request.
_CONFLICT: Final[dict[type[KeelError], int]] = {AggregateActionRefused: 409}

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-aggregates",
        list_aggregates,
        rule=rules.INDEX,
        query=NOTHING,
        view=AGGREGATE.list("aggregates"),
    ),
    Operation(
        "POST",
        "/os-aggregates",
        create,
        rule=rules.CREATE,
        body=CREATE,
        view=CREATED.one("aggregate"),
        faults=(409,),
    ),
    Operation("GET", "/os-aggregates/{id}", show, rule=rules.SHOW, query=NOTHING, view=_ONE),
    Operation("PUT", "/os-aggregates/{id}", update, rule=rules.UPDATE, body=UPDATE, view=_ONE, faults=(409,)),
    Operation("DELETE", "/os-aggregates/{id}", delete, rule=rules.DELETE),
    Operation(
        "POST",
        "/os-aggregates/{id}/action",
        add_host,
        action="add_host",
        rule=rules.ADD_HOST,
        body=_host_body("add_host"),
        view=_ONE,
        errors=_CONFLICT,
    ),
    Operation(
        "POST",
        "/os-aggregates/{id}/action",
        remove_host,
        action="remove_host",
        rule=rules.REMOVE_HOST,
        body=_host_body("remove_host"),
        view=_ONE,
        errors=_CONFLICT,
    ),
    Operation(
        "POST",
        "/os-aggregates/{id}/action",
        set_metadata,
        action="set_metadata",
        rule=rules.SET_METADATA,
        body=SET_METADATA,
        view=_ONE,
    ),
    Operation(
        "POST",
        "/os-aggregates/{id}/images",
        cache_images,
        since=V.IMAGE_PRECACHE,
        rule=rules.IMAGES,
        body=CACHE,
        status=202,
        # Contract: conductors that are too old for it are the client's mistake.
        errors={Unsupported: 400},
    ),
)
