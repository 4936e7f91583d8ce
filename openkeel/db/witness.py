"""Who is told what was written, once it is: notifications, for one.

Stores know the witness only by this protocol. Its methods raise nothing and are called after the commit,
in the thread that wrote.
"""

from collections.abc import Mapping
from typing import Any, Protocol


class Witness(Protocol):
    """Called by the stores."""

    @property
    def watches_instances(self) -> bool:
        """Whether anybody wants to know of changes of servers; each costs a statement then."""

    def instance_saved(self, stores: Any, instance: Any, before: Mapping[str, Any]) -> None:
        """A server of the cell was changed; `before` has vm_state, task_state and display_name."""

    def service_created(self, service: Any) -> None: ...

    def service_updated(self, service: Any) -> None:
        """Its status was changed by somebody; heartbeats are not told of."""

    def service_deleted(self, service: Any) -> None: ...
