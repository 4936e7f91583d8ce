"""Sending notifications in the formats and to the topics that operators chose.

Payloads are built only when somebody wants their format, in the caller's thread, because the world moves
on; sending is the outbox's affair. Nothing here ever raises: a notification that cannot be made or sent
is logged and counted, and the work goes on.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from oslo_context.context import get_current

from openkeel.common.context import Context, admin_context
from openkeel.domain.errors import NotFound
from openkeel.notifications.events import Event, Phase
from openkeel.notifications.outbox import Outbox
from openkeel.notifications.payloads.base import Payload

LOG = logging.getLogger(__name__)


class Sender(Protocol):
    """The part of oslo.messaging's Notifier that is used here, for one format's topics."""

    def prepare(self, publisher_id: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Origin:
    """Who tells: a daemon and its host, in the words of both formats.

    Contract: publisher_id_format: `nova-compute:host` and `compute.host`.
    """

    source: str
    host: str


class Emitter:
    """Emits for one daemon."""

    def __init__(
        self,
        origin: Origin,
        *,
        versioned: Sender | None = None,
        legacy: Sender | None = None,
        outbox: Outbox | None = None,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        """Without a sender nobody wants the format. `on_close` ends the connection."""
        self.origin = origin
        self._versioned = versioned
        self._legacy = legacy
        self.outbox = outbox or Outbox()
        self._on_close = on_close

    @property
    def wants_versioned(self) -> bool:
        """Whether somebody wants the versioned format."""
        return self._versioned is not None

    @property
    def wants_legacy(self) -> bool:
        """Whether somebody wants the unversioned format."""
        return self._legacy is not None

    @property
    def is_on(self) -> bool:
        """Whether anybody wants anything."""
        return self.wants_versioned or self.wants_legacy

    def close(self) -> None:
        """Send what is left and end the connection."""
        self.outbox.close()
        if self._on_close is not None:
            self._on_close()

    def versioned(
        self,
        ctx: Context | None,
        event: Event,
        build: Callable[[], Payload],
        *,
        phase: Phase | None = None,
        origin: Origin | None = None,
    ) -> None:
        """Emit the versioned form of an event. Without a context it is whatever the thread works on."""
        if self._versioned is None:
            return
        origin = origin or self.origin
        self._emit(
            self._versioned,
            ctx,
            publisher_id=f"{origin.source}:{origin.host}",
            event_type=event.type_in(phase),
            payload=lambda: build().to_wire(),
            is_error=phase is Phase.ERROR or event.name in _ALWAYS_ERRORS,
        )

    def legacy(
        self,
        ctx: Context | None,
        event_type: str | None,
        build: Callable[[], Mapping[str, Any]],
        *,
        service: str,
        host: str | None = None,
        is_error: bool = False,
    ) -> None:
        """Emit the unversioned form of an event."""
        if self._legacy is None or event_type is None:
            return
        self._emit(
            self._legacy,
            ctx,
            publisher_id=f"{service}.{host or self.origin.host}",
            event_type=event_type,
            payload=lambda: dict(build()),
            is_error=is_error,
        )

    def _emit(
        self,
        sender: Sender,
        ctx: Context | None,
        *,
        publisher_id: str,
        event_type: str,
        payload: Callable[[], dict[str, Any]],
        is_error: bool,
    ) -> None:
        try:
            made = payload()
            prepared = sender.prepare(publisher_id=publisher_id)
            send = prepared.error if is_error else prepared.info
        except NotFound as error:  # what it tells of went meanwhile
            LOG.info("notification %s is not sent: %s", event_type, error)
            self.outbox.lose(error)
            return
        except Exception as error:
            LOG.exception("notification %s could not be made", event_type)
            self.outbox.lose(error)
            return
        sent_for = ctx or present_context()
        self.outbox.put(lambda: send(sent_for, event_type, made))


def present_context() -> Context:
    """The context of what the thread works on."""
    present = get_current()
    return present if isinstance(present, Context) else admin_context()


_ALWAYS_ERRORS: Final = frozenset({"compute.exception"})
