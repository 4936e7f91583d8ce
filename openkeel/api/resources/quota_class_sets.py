"""Quotas of classes: /os-quota-class-sets."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources import quota_resources
from openkeel.api.resources.quota_sets import changes
from openkeel.api.schema import Body, Object, Prop, Query
from openkeel.api.tables import Answer, Field, Getter, Operation, View
from openkeel.api.versions import V
from openkeel.policies import quota_class_sets as rules
from openkeel.services.quota import UNLIMITED

# Fields

_SHOWN: Final = quota_resources.windows(
    networks_until=V.QUOTA_CLASS_SERVER_GROUPS, groups_since=V.QUOTA_CLASS_SERVER_GROUPS
)
# Compat: server groups could always be set, and were shown later.
_SETTABLE: Final = quota_resources.windows(networks_until=V.QUOTA_CLASS_SERVER_GROUPS, groups_since=V.LEGACY)


def _limit(name: str) -> Getter:
    return lambda limits, _: limits.get(name, UNLIMITED)


UPDATED: Final = View(*quota_resources.fields(_SHOWN, _limit))
SHOWN: Final = View(Field("id", get=lambda _, r: r.data), *UPDATED.fields)

# Bodies and queries

UPDATE: Final = Body(
    Prop(
        "quota_class_set",
        Object(*(Prop(name, forms.LIMIT, since=since, until=until) for name, since, until in _SETTABLE)),
        required=True,
    )
)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers


def show(request: Request) -> Answer:
    """Limits of a class; every name is one."""
    name = request.params["id"]
    return Answer(request.services.quota_sets.show_class(name), data=name)


def update(request: Request) -> Any:
    """Set limits of a class."""
    asked = changes(request.body["quota_class_set"])
    return request.services.quota_sets.update_class(request.params["id"], asked)


# Operations

_PATH: Final = "/os-quota-class-sets/{id}"

OPERATIONS: Final = (
    Operation("GET", _PATH, show, rule=rules.SHOW, query=NOTHING, view=SHOWN.one("quota_class_set")),
    Operation("PUT", _PATH, update, rule=rules.UPDATE, body=UPDATE, view=UPDATED.one("quota_class_set")),
)
