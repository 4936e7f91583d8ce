"""Leaving a queue without taking anything along.

oslo.messaging stops reading but stays subscribed until all work is done. Meanwhile the broker goes on
handing it messages, which nobody else gets and nobody reads; and what is read while it closes its queues
is acknowledged and dropped. A call so lost is answered by a timeout, a cast never happens. So a server of
ours ends its subscriptions as soon as it has stopped, and gives back what arrived in between.
"""

import logging
from collections.abc import Callable
from typing import Any

from oslo_messaging.rpc.server import RPCServer

LOG = logging.getLogger(__name__)


class LeavingServer(RPCServer):
    """A server that unsubscribes when it stops."""

    def _create_listener(self) -> Any:
        return _LeavingListener(super()._create_listener())  # type: ignore[no-untyped-call]


class _LeavingListener:
    """A listener of oslo.messaging that leaves what was not taken to others when it stops."""

    def __init__(self, listener: Any) -> None:
        self._listener = listener

    def start(self, on_incoming: Callable[[Any], None]) -> None:
        self._listener.start(on_incoming)

    def stop(self) -> None:
        self._listener.stop()
        # No public way leads to the subscriptions. Brokers other than RabbitMQ have none.
        poller = getattr(self._listener, "_poll_style_listener", None)
        connection = getattr(getattr(poller, "conn", None), "connection", None)
        if hasattr(connection, "_consumers"):
            _unsubscribe(connection)

    def cleanup(self) -> None:
        self._listener.cleanup()


def _unsubscribe(connection: Any) -> None:
    """The thread that read from the connection has ended; the one of its heartbeat may be about."""
    with connection._connection_lock:  # noqa: SLF001
        for consumer, tag in connection._consumers.items():  # noqa: SLF001
            consumer.callback = _give_back
            try:
                consumer.cancel(tag)
            except Exception as error:  # noqa: BLE001 - whatever a broken connection does
                LOG.debug("a subscription ends with its connection: %s", error)


def _give_back(message: Any) -> None:
    message.requeue()
