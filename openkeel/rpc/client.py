"""What the typed clients share: sending one row of the method table."""

from dataclasses import dataclass
from typing import Any

import oslo_messaging
from oslo_messaging._utils import version_is_compatible

from openkeel.common.context import Context
from openkeel.domain.errors import Unsupported
from openkeel.rpc.errors import our_errors
from openkeel.rpc.methods import Api, How, Method
from openkeel.rpc.serializer import WireSerializer


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait for answers.

    `answer_s` is also how long a peer may be silent during a long call: it sends heartbeats.
    """

    answer_s: int = 60
    long_s: int = 1800


class ApiClient:
    """Sends the methods of one API over one transport.

    Args:
        version_cap: The newest version the peers understand (`rpc.versions.resolve_cap`); None: ours.
        topic: For an API that every kind of daemon serves: which kind is asked.
    """

    def __init__(
        self,
        api: Api,
        transport: oslo_messaging.Transport,
        serializer: WireSerializer,
        *,
        timeouts: Timeouts | None = None,
        version_cap: str | None = None,
        topic: str | None = None,
    ) -> None:
        self._api = api
        self._timeouts = timeouts or Timeouts()
        self._cap = version_cap or api.version
        self._topic_of_all = topic or api.topic
        self._client = oslo_messaging.get_rpc_client(
            transport,
            oslo_messaging.Target(
                topic=self._topic_of_all, namespace=api.namespace, version=api.methods[0].version
            ),
            serializer=serializer,
            version_cap=self._cap,
        )

    def can_send(self, version: str) -> bool:
        """Whether the peers understand this version."""
        return bool(version_is_compatible(self._cap, version))

    def send(self, name: str, ctx: Context, /, *, server: str | None = None, **arguments: Any) -> Any:
        """Send by the row's way; returns the answer of a call, None otherwise.

        Raises: Unsupported when the peers are too old for the method; Timeout; Unavailable when the
        broker is; for calls whatever kind the peer raised.
        """
        method = self._api[name]
        if set(arguments) != set(method.sends):
            raise TypeError(f"{name} takes {sorted(method.sends)}, not {sorted(arguments)}")
        form = method.for_peers(self.can_send)
        if form is None:
            raise Unsupported(f"Peers speak {self._cap} of {self._api.name}; {name} needs {method.version}")
        for lacking in form.lacks:
            del arguments[lacking]
        # Optional parts are given only when meant: None would override what the target has.
        how: dict[str, Any] = {"version": form.version, "topic": self._topic(method)}
        if server is not None:
            how["server"] = server
        if method.how is How.FANOUT:
            how["fanout"] = True
        if method.how is How.CALL:
            how["timeout"] = self._timeouts.answer_s
        if method.is_long:
            how["timeout"] = self._timeouts.long_s
            how["call_monitor_timeout"] = self._timeouts.answer_s
        with our_errors():
            prepared = self._client.prepare(**how)
            if method.how is How.CALL:
                return prepared.call(ctx, name, **arguments)
            prepared.cast(ctx, name, **arguments)
        return None

    def _topic(self, method: Method) -> str:
        """Contract: peers from `alternate_since` on listen on a second topic as well."""
        api = self._api
        if method.alternate and api.alternate_topic and api.alternate_since:
            return api.alternate_topic if self.can_send(api.alternate_since) else api.topic
        return self._topic_of_all
