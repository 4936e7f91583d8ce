"""Running remotable methods through a conductor, and asking again what got no answer."""

from collections.abc import Callable, Mapping
from typing import Any

from openkeel.common.context import Context
from openkeel.domain.errors import NotFound
from openkeel.objects.base import NovaObject, version_manifest
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.patience import Patience

# Given the failure of a repetition: whether the first time had worked.
Settled = Callable[[Exception], bool | None]
# Asked before a repetition: whether the first time had worked.
Made = Callable[[], bool | None]


class Wire:
    """Runs remotable methods as somebody: the context given, else the daemon's own."""

    def __init__(self, client: ConductorClient, context: Callable[[], Context], patience: Patience) -> None:
        self._client = client
        self._context = context
        self._patience = patience

    def ask(self, kind: str, method: str, *, ctx: Context | None = None, **arguments: Any) -> Any:
        """A class method of an object that may be run twice."""

        def call() -> Any:
            return self._client.object_class_action_versions(
                ctx or self._context(), kind, method, version_manifest(kind), (), arguments
            )

        return self._patience.outlast(call)

    def log(self, kind: str, method: str, *, ctx: Context, made: Made, **arguments: Any) -> None:
        """A class method that leaves a row each time it runs; nobody wants its result."""

        def call() -> bool:
            self._client.object_class_action_versions(
                ctx, kind, method, version_manifest(kind), (), {**arguments, "want_result": False}
            )
            return True

        self._patience.outlast(call, made=made)

    def tell(
        self,
        item: Any,
        method: str,
        *,
        ctx: Context | None = None,
        settled: Settled | None = None,
        made: Made | None = None,
        **arguments: Any,
    ) -> None:
        """A method of this very object; afterwards it looks as the conductor left it."""

        def call() -> bool:
            updates, _ = self._client.object_action(ctx or self._context(), item, method, (), arguments)
            apply(item, updates)
            return True

        self._patience.outlast(call, settled=settled, made=made)

    def create(self, item: Any, find: Callable[[], Any | None]) -> None:
        """Make the row of an object that nobody else makes; `find` finds it by what is unique about it."""

        def settled(_error: Exception) -> bool | None:
            row = find()
            if row is None:
                return None
            take(item, row)
            return True

        self.tell(item, "create", settled=settled)

    def destroy(self, item: Any) -> None:
        """End the row of an object."""

        def settled(error: Exception) -> bool | None:
            if not isinstance(error, NotFound):
                return None
            if "deleted" in item.fields:
                item.deleted = True
                item.obj_reset_changes(["deleted"])
            return True

        self.tell(item, "destroy", settled=settled)


def apply(item: Any, updates: Mapping[str, Any]) -> None:
    """Make an object look as the conductor left it."""
    for name, value in updates.items():
        if name in item.fields:
            known = (
                value
                if isinstance(value, NovaObject)
                else item.fields[name].from_primitive(item, name, value)
            )
            setattr(item, name, known)
    item.obj_reset_changes()
    for name in updates.get("obj_what_changed", ()):
        item._changed_fields.add(name)  # noqa: SLF001 - oslo offers no other way


def take(item: Any, row: Any) -> None:
    """Make an object look as its row does."""
    for name in row.fields:
        if row.obj_attr_is_set(name) and name in item.fields:
            setattr(item, f"_obj_{name}", getattr(row, name))
    item.obj_reset_changes()
