"""Metadata as a collection of items, whatever they are kept with: what servers and images share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Body, Object, Prop
from openkeel.api.tables import Field, View
from openkeel.domain.errors import Invalid, NotFound

# Fields

ALL: Final = View(Field("metadata", get=lambda items, _: dict(items), shape=(".*",)))
ONE: Final = View(Field("meta", get=lambda items, _: dict(items), shape=(".*",)))

# Bodies

_ITEMS: Final = {forms.METADATA_KEY: forms.METADATA_VALUE}
SET_ALL: Final = Body(Prop("metadata", Object(patterns=_ITEMS), required=True))
SET_ONE: Final = Body(Prop("meta", Object(patterns=_ITEMS, minProperties=1, maxProperties=1), required=True))


class Write(Protocol):
    """Adds items, or has only these; what there is then."""

    def __call__(self, request: Request, items: Mapping[str, str], *, replace: bool) -> Any: ...


@dataclass(frozen=True, slots=True)
class MetadataItems:
    """Handlers.

    Args:
        owner: what keeps the items, for the texts of refusals.
        read: all items of the owner that a request names.
    """

    owner: str
    read: Callable[[Request], Any]
    write: Write

    def index(self, request: Request) -> Any:
        """All items."""
        return self.read(request)

    def show(self, request: Request) -> Mapping[str, str]:
        """One item."""
        key = request.params["id"]
        items = self.read(request)
        if key not in items:
            raise NotFound(f"The {self.owner} has no metadata item {key}.")
        return {key: items[key]}

    def create(self, request: Request) -> Any:
        """Add items."""
        return self.write(request, request.body["metadata"], replace=False)

    def update_all(self, request: Request) -> Any:
        """Have only these items."""
        return self.write(request, request.body["metadata"], replace=True)

    def update(self, request: Request) -> Any:
        """Set one item."""
        items = request.body["meta"]
        if request.params["id"] not in items:
            raise Invalid("The body and the URL name different metadata items.")
        self.write(request, items, replace=False)
        return items
