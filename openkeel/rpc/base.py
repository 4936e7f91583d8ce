"""What every daemon answers on its topic."""

from typing import Any

import oslo_messaging

from openkeel.common.context import Context
from openkeel.rpc.client import ApiClient, Timeouts
from openkeel.rpc.methods import BASE
from openkeel.rpc.serializer import WireSerializer


class BaseEndpoint:
    """Contract: namespace baseapi. `service` is the name of the kind of daemon: compute, conductor..."""

    target = oslo_messaging.Target(namespace=BASE.namespace, version=BASE.version)

    def __init__(self, service: str) -> None:
        self._service = service

    def ping(self, _ctx: Context, arg: Any) -> dict[str, Any]:
        """Say who is there and give back what was sent."""
        return {"service": self._service, "arg": arg}

    def get_backdoor_port(self, _ctx: Context) -> None:
        """The port of a console into the process: no daemon of ours opens one."""


class BaseClient:
    """Asks the daemons on a topic whether they are there."""

    def __init__(
        self,
        topic: str,
        transport: oslo_messaging.Transport,
        serializer: WireSerializer,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
    ) -> None:
        self._api = ApiClient(
            BASE, transport, serializer, timeouts=timeouts, version_cap=version_cap, topic=topic
        )

    def ping(self, ctx: Context, *, arg: Any, host: str | None = None) -> Any:
        """Raises: Timeout when nobody is there."""
        return self._api.send("ping", ctx, server=host, arg=arg)

    def get_backdoor_port(self, ctx: Context, *, host: str) -> int | None:
        """The port of a console into the process, on daemons that have one."""
        port: int | None = self._api.send("get_backdoor_port", ctx, server=host)
        return port
