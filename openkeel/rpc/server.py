"""Serving remote methods, with an orderly end."""

import logging
import threading
import time
from collections.abc import Sequence
from typing import Any

import oslo_messaging

from openkeel.rpc.base import BaseEndpoint
from openkeel.rpc.errors import raising_wire_errors, refuse
from openkeel.rpc.leaving import LeavingServer
from openkeel.rpc.serializer import RefusingSerializer, WireSerializer

LOG = logging.getLogger(__name__)


class _Edge:
    """An endpoint as the dispatcher sees it: public methods only, errors in their wire form."""

    def __init__(self, endpoint: Any) -> None:
        self.target = endpoint.target
        self._endpoint = endpoint

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._endpoint, name)
        if name.startswith("_") or not callable(value):
            raise AttributeError(name)
        return raising_wire_errors(value)


class RpcServer:
    """Serves endpoints on one or more topics under one server name.

    Args:
        topics: All of them get the same endpoints, each its own queue and its own pool of threads.
        server: The name by which clients address this very server: the host.
        service: The kind of daemon, which a ping answers; by default the first topic.
        pool_size: Threads per topic; oslo.messaging's executor_thread_pool_size when None.
    """

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        topics: Sequence[str],
        server: str,
        endpoints: Sequence[Any],
        serializer: WireSerializer,
        *,
        service: str | None = None,
        pool_size: int | None = None,
    ) -> None:
        edges = [_Edge(endpoint) for endpoint in (*endpoints, BaseEndpoint(service or topics[0]))]
        self._pool_size = pool_size
        self._servers = [
            oslo_messaging.get_rpc_server(
                transport,
                oslo_messaging.Target(topic=topic, server=server),
                edges,
                serializer=RefusingSerializer(serializer, refuse),
                access_policy=oslo_messaging.rpc.dispatcher.DefaultRPCAccessPolicy,
                server_cls=LeavingServer,
            )
            for topic in topics
        ]

    def start(self) -> None:
        """Begin to take messages."""
        for server in self._servers:
            server.start(override_pool_size=self._pool_size)

    def stop(self) -> None:
        """Take no more messages and leave those not taken to others; what was taken goes on."""
        for server in self._servers:
            server.stop()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until what was taken is done. Returns whether it was done in time."""
        # oslo.messaging's own wait has no deadline for work under way: a thread waits in its stead.
        waiters = [threading.Thread(target=server.wait, daemon=True) for server in self._servers]
        for waiter in waiters:
            waiter.start()
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for waiter in waiters:
            waiter.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        done = not any(waiter.is_alive() for waiter in waiters)
        if not done:
            LOG.warning("work taken from the message bus is still going on; it is left to its recovery")
        return done
