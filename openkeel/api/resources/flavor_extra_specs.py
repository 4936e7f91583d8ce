"""Extra specs of flavors: /flavors/{id}/os-extra_specs."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Body, Leaf, Object, Prop, Query
from openkeel.api.tables import Behaviour, Field, Operation, RawView, View, itself
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid, NotFound
from openkeel.policies import flavors as rules

# Fields

# Numbers are answered as they came, and kept as texts.
_AS_GIVEN: Final = Object(extra=Leaf({"type": ["string", "number"]}))

ALL: Final = View(Field("extra_specs", get=itself, shape=(".*",)))
ONE: Final = RawView(".*")
ALL_SET: Final = View(Field("extra_specs", get=itself, shape=(".*",), type=_AS_GIVEN))
ONE_SET: Final = RawView(".*", type=_AS_GIVEN)

# Bodies and queries

_VALUE: Final = Leaf({"type": ["string", "number"], "maxLength": 255})
_SPECS: Final = {forms.METADATA_KEY: _VALUE}

CREATE: Final = Body(Prop("extra_specs", Object(patterns=_SPECS), required=True))
UPDATE: Final = Body(patterns=_SPECS, minProperties=1, maxProperties=1)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

VALIDATED: Final = Behaviour("known extra specs are validated", since=V.EXTRA_SPEC_VALIDATION)

# Handlers


def list_specs(request: Request) -> Mapping[str, str]:
    """All extra specs of a flavor."""
    flavor = request.services.flavors.get(request.ctx, request.params["flavor_id"])
    specs: Mapping[str, str] = request.services.flavors.extra_specs([flavor])[flavor.id]
    return specs


def show(request: Request) -> Mapping[str, str]:
    """One extra spec."""
    name = request.params["id"]
    specs = list_specs(request)
    if name not in specs:
        raise NotFound(f"Flavor {request.params['flavor_id']} has no extra spec {name}.")
    return {name: specs[name]}


def create(request: Request) -> Mapping[str, Any]:
    """Add or replace extra specs. Contract: numbers are answered as they came."""
    specs: Mapping[str, Any] = request.body["extra_specs"]
    _set(request, specs)
    return specs


def update(request: Request) -> Mapping[str, Any]:
    """Add or replace one extra spec."""
    specs: Mapping[str, Any] = request.body
    if request.params["id"] not in specs:
        raise Invalid("The body must hold the extra spec that the URL names.")
    _set(request, specs)
    return specs


def _set(request: Request, specs: Mapping[str, Any]) -> None:
    texts = {name: str(value) for name, value in specs.items()}
    request.services.flavors.set_extra_specs(
        request.params["flavor_id"], texts, validate=request.has(VALIDATED)
    )


def delete(request: Request) -> None:
    """Remove one extra spec."""
    request.services.flavors.delete_extra_spec(request.params["flavor_id"], request.params["id"])


# Operations

_ALL_PATH: Final = "/flavors/{flavor_id}/os-extra_specs"
_ONE_PATH: Final = "/flavors/{flavor_id}/os-extra_specs/{id}"

OPERATIONS: Final = (
    Operation("GET", _ALL_PATH, list_specs, rule=rules.EXTRA_SPECS_INDEX, query=NOTHING, view=ALL),
    Operation("GET", _ONE_PATH, show, rule=rules.EXTRA_SPECS_SHOW, query=NOTHING, view=ONE),
    Operation(
        "POST",
        _ALL_PATH,
        create,
        rule=rules.EXTRA_SPECS_CREATE,
        body=CREATE,
        view=ALL_SET,
        faults=(409,),
        behaviours=(VALIDATED,),
    ),
    Operation(
        "PUT",
        _ONE_PATH,
        update,
        rule=rules.EXTRA_SPECS_UPDATE,
        body=UPDATE,
        view=ONE_SET,
        faults=(409,),
        behaviours=(VALIDATED,),
    ),
    Operation("DELETE", _ONE_PATH, delete, rule=rules.EXTRA_SPECS_DELETE),
)
