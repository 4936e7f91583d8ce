"""Payloads of versioned notifications. Importing this package fills `PAYLOADS`."""

from openkeel.notifications.payloads import (
    address,
    aggregate,
    exception,
    flavor,
    image,
    instance,
    keypair,
    measures,
    numa,
    request_spec,
    server_group,
    service,
    states,
    storage,
)
from openkeel.notifications.payloads.base import PAYLOADS, Payload

__all__ = [
    "PAYLOADS",
    "Payload",
    "address",
    "aggregate",
    "exception",
    "flavor",
    "image",
    "instance",
    "keypair",
    "measures",
    "numa",
    "request_spec",
    "server_group",
    "service",
    "states",
    "storage",
]
