"""Telling of what stores wrote, whoever asked them to: for computes that is a conductor."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openkeel.notifications.servers import Stores

if TYPE_CHECKING:
    from openkeel.notifications.notifier import Notifications


class StoreWitness:
    """See db.witness.Witness."""

    def __init__(self, notifications: "Notifications") -> None:
        self._notifications = notifications

    @property
    def watches_instances(self) -> bool:
        """Whether changes of servers are told of."""
        return self._notifications.tells_updates

    def instance_saved(self, stores: Stores, instance: Any, before: Mapping[str, Any]) -> None:
        """A server's row was written."""
        self._notifications.servers(stores).updated(instance, before)

    def service_created(self, service: Any) -> None:
        """A daemon's record was made."""
        self._notifications.services.created(service)

    def service_updated(self, service: Any) -> None:
        """A daemon's status was changed by somebody."""
        self._notifications.services.updated(service)

    def service_deleted(self, service: Any) -> None:
        """A daemon's record was removed."""
        self._notifications.services.deleted(service)
