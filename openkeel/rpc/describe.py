"""What `openkeel-manage describe rpc` prints: the table of methods as plain data."""

from typing import Any

from openkeel.rpc.methods import APIS


def describe_rpc() -> dict[str, Any]:
    """Servers with the methods they take, and the calls our clients make."""
    return {
        "servers": [
            {
                "topic": api.topic,
                "namespace": api.namespace,
                "version": api.version,
                "methods": [
                    {"method": method.name, "args": [*method.sends, *method.accepts]}
                    for method in api.methods
                ],
            }
            for api in APIS
        ],
        "clients": [
            {
                "api": api.name,
                "method": method.name,
                "topic": api.alternate_topic if method.alternate else api.topic,
                "namespace": api.namespace,
                "version": method.version,
                "how": str(method.how),
                "args": list(method.sends),
            }
            for api in APIS
            for method in api.methods
        ],
    }
