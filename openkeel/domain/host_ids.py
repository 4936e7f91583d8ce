"""The opaque name of a host that owners of servers may see."""

import hashlib


def host_id(project_id: str, host: str | None) -> str:
    """The same for all servers of a project on one host, unlike in any other project; "" without a host.

    Contract: `hostId` of servers and instance action events.
    """
    return hashlib.sha224(f"{project_id}{host}".encode()).hexdigest() if host else ""
