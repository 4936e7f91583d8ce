"""Servers: the resource itself. Actions are in `server_actions`, what hangs on a server beside it."""

from openkeel.api.resources.servers.operations import OPERATIONS

__all__ = ["OPERATIONS"]
