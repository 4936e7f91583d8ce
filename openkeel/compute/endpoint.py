"""The compute's remote methods: the names of the method table, each served by the capability that has it."""

from collections.abc import Sequence
from typing import Any

import oslo_messaging

from openkeel.rpc.methods import COMPUTE


class ComputeEndpoint:
    """Nothing but the methods of the contract can be called from outside."""

    target = oslo_messaging.Target(namespace=COMPUTE.namespace, version=COMPUTE.version)

    def __init__(self, capabilities: Sequence[Any]) -> None:
        """Raises: LookupError when no capability, or more than one, serves a method of the table."""
        for method in COMPUTE.methods:
            serving = [each for each in capabilities if hasattr(each, method.name)]
            if len(serving) != 1:
                raise LookupError(f"{method.name} is served by {len(serving)} capabilities")
            setattr(self, method.name, getattr(serving[0], method.name))
