"""Connections to message brokers: one per URL, shared by all clients and servers of the process."""

import threading

import oslo_messaging
from oslo_config import cfg

from openkeel.rpc.errors import EXCEPTION_MODULES, install_wire_module

EXCHANGE = "nova"


class Transports:
    """Opens a broker connection the first time somebody asks for it.

    Args:
        conf: oslo.messaging reads its own options (transport_url, heartbeats...) from it.
    """

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._conf = conf
        self._lock = threading.Lock()
        self._open: dict[str | None, oslo_messaging.Transport] = {}
        oslo_messaging.set_transport_defaults(control_exchange=EXCHANGE)
        install_wire_module()

    def get(self, url: str | None = None) -> oslo_messaging.Transport:
        """The transport of a cell's `transport_url`, or of our own configuration when None."""
        with self._lock:
            if url not in self._open:
                self._open[url] = oslo_messaging.get_rpc_transport(
                    self._conf, url=url, allowed_remote_exmods=list(EXCEPTION_MODULES)
                )
            return self._open[url]

    def close(self) -> None:
        """Close all connections: the last thing a daemon does."""
        with self._lock:
            for transport in self._open.values():
                transport.cleanup()
            self._open.clear()
