"""Keypairs: /os-keypairs."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import NULL, WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
from openkeel.api.resources.times import time_of
from openkeel.api.schema import AllOf, Body, Object, Param, Prop, Query
from openkeel.api.tables import ABSENT, ALWAYS, Answer, Behaviour, Field, Operation, Rendering, Since, View
from openkeel.api.versions import V
from openkeel.policies import keypairs as rules
from openkeel.services.keypairs import SSH, X509

# Fields


def _private_key(_: Any, r: Rendering) -> Any:
    return ABSENT if r.data is None else r.data


def _constant(value: Any) -> Any:
    return lambda _row, _rendering: value


_TYPE: Final = Field("type", since=V.KEYPAIR_TYPE)

LISTED: Final = View(Field("name"), Field("public_key"), Field("fingerprint"), _TYPE)
CREATED: Final = View(
    Field("name"),
    Field("public_key"),
    Field("fingerprint"),
    Field("user_id"),
    Field("private_key", get=_private_key, until=V.KEYPAIR_IMPORT_ONLY, optional_since=ALWAYS),
    _TYPE,
)
# Compat: keypairs have always been shown with the columns of a table that soft-deleted its rows.
SHOWN: Final = View(
    Field("name"),
    Field("public_key"),
    Field("fingerprint"),
    Field("user_id"),
    Field("id", type=WHOLE),
    Field("created_at", get=time_of("created_at")),
    Field("updated_at", get=_constant(None), type=NULL),
    Field("deleted_at", get=_constant(None), type=NULL),
    Field("deleted", get=_constant(value=False)),
    _TYPE,
)

# Bodies and queries


def _name(pattern: str) -> AllOf:
    return AllOf(forms.NAME, forms.string(minLength=1, maxLength=255, pattern=pattern))


CREATE: Final = Body(
    Prop(
        "keypair",
        Object(
            Prop("name", forms.PADDED_NAME, required=True, until=V.BASE),
            Prop(
                "name",
                _name(r"^[_\- a-zA-Z0-9]+$"),
                required=True,
                since=V.BASE,
                until=V.KEYPAIR_IMPORT_ONLY,
            ),
            Prop("name", _name(r"^[_\-\@\. a-zA-Z0-9]+$"), required=True, since=V.KEYPAIR_IMPORT_ONLY),
            Prop("public_key", forms.STRING, until=V.KEYPAIR_IMPORT_ONLY),
            Prop("public_key", forms.STRING, required=True, since=V.KEYPAIR_IMPORT_ONLY),
            Prop("type", forms.enum(SSH, X509), since=V.KEYPAIR_TYPE),
            Prop("user_id", forms.STRING, since=V.KEYPAIRS_OF_OTHERS),
        ),
        required=True,
    )
)
_USER: Final = Param("user_id", since=V.KEYPAIRS_OF_OTHERS)
LIST: Final = Query(
    _USER,
    Param("limit", forms.NON_NEGATIVE, since=V.KEYPAIR_PAGING),
    Param("marker", since=V.KEYPAIR_PAGING),
    strict_since=V.STRICT_QUERIES,
)
ONE: Final = Query(_USER, strict_since=V.STRICT_QUERIES)

PAGED: Final = Behaviour("keypairs are paged", since=V.KEYPAIR_PAGING)

# Handlers


def asked_user(request: Request) -> dict[str, Any]:
    """Whose keypairs the query asks for: the rules compare it with the caller."""
    return {"user_id": request.query.last("user_id") or request.ctx.user_id}


def new_owner(request: Request) -> dict[str, Any]:
    """Whose a new keypair will be."""
    return {"user_id": request.body["keypair"].get("user_id") or request.ctx.user_id}


def list_keypairs(request: Request) -> Answer:
    """Keypairs of a user by name."""
    user_id = request.target["user_id"]
    if not request.has(PAGED):
        return Answer(request.services.keypairs.page(user_id, None, None))
    page = request.page()
    found = request.services.keypairs.page(user_id, page.limit, page.marker)
    return Answer(found, links=request.next_links(found, page, lambda last: last.name))


def show(request: Request) -> Any:
    """One keypair."""
    return request.services.keypairs.get(request.target["user_id"], request.params["id"])


def create(request: Request) -> Answer:
    """Import a key, or make a pair."""
    asked = request.body["keypair"]
    created = request.services.keypairs.create(
        request.ctx,
        request.target["user_id"],
        asked["name"].strip(),
        asked.get("type", SSH),
        asked.get("public_key"),
    )
    return Answer(created.keypair, data=created.private_key)


def delete(request: Request) -> None:
    """Forget a keypair."""
    request.services.keypairs.delete(request.target["user_id"], request.params["id"])


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-keypairs",
        list_keypairs,
        rule=rules.INDEX,
        target=asked_user,
        query=LIST,
        view=LISTED.list("keypairs", next_links("keypairs_links", since=V.KEYPAIR_PAGING), each="keypair"),
        behaviours=(PAGED,),
    ),
    Operation(
        "GET",
        "/os-keypairs/{id}",
        show,
        rule=rules.SHOW,
        target=asked_user,
        query=ONE,
        view=SHOWN.one("keypair"),
    ),
    Operation(
        "POST",
        "/os-keypairs",
        create,
        rule=rules.CREATE,
        target=new_owner,
        body=CREATE,
        view=CREATED.one("keypair"),
        status=Since({V.LEGACY: 200, V.KEYPAIR_TYPE: 201}),
        faults=(409,),
    ),
    Operation(
        "DELETE",
        "/os-keypairs/{id}",
        delete,
        rule=rules.DELETE,
        target=asked_user,
        query=ONE,
        status=Since({V.LEGACY: 202, V.KEYPAIR_TYPE: 204}),
    ),
)
