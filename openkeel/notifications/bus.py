"""The notification bus: oslo.messaging's drivers and topics, one notifier per format."""

from collections.abc import Sequence
from typing import Any, Final

import oslo_messaging
from oslo_config import cfg

VERSIONED: Final = frozenset({"versioned", "both"})
UNVERSIONED: Final = frozenset({"unversioned", "both"})


class _ContextSerializer(oslo_messaging.NoOpSerializer):
    """Sends the context's wire form. Of a context only what oslo.messaging took no secret from comes here."""

    def serialize_context(self, ctxt: Any) -> dict[str, Any]:
        return dict(ctxt if isinstance(ctxt, dict) else ctxt.to_dict())


class NotificationBus:
    """The notifiers that a configuration asks for; connects with the first notification.

    Contract: options of [oslo_messaging_notifications]; [notifications] notification_format and
    versioned_notifications_topics.
    """

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self.versioned: oslo_messaging.Notifier | None = None
        self.unversioned: oslo_messaging.Notifier | None = None
        self._transport: Any = None
        drivers = set(conf.oslo_messaging_notifications.driver or ()) - {"noop", ""}
        if not drivers:
            return
        self._transport = oslo_messaging.get_notification_transport(conf)
        chosen = conf.notifications.notification_format
        if chosen in VERSIONED:
            self.versioned = self._notifier(conf.notifications.versioned_notifications_topics)
        if chosen in UNVERSIONED:
            self.unversioned = self._notifier(None)

    def _notifier(self, topics: Sequence[str] | None) -> oslo_messaging.Notifier:
        return oslo_messaging.Notifier(
            self._transport, serializer=_ContextSerializer(), topics=None if topics is None else list(topics)
        )

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.cleanup()
