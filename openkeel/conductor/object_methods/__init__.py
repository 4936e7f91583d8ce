"""Remotable methods of Nova's objects as rows over our stores, one module per group of nouns.

Argument names are the contract's (objects.json, remotable_methods): peers call by them.
"""

from typing import Final

from openkeel.conductor.object_methods import action_log, block_devices, global_rows, hosts, instances
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores

__all__ = ["METHODS", "Methods", "OnClass", "OnObject", "Stores"]

METHODS: Final[Methods] = {
    **instances.METHODS,
    **block_devices.METHODS,
    **action_log.METHODS,
    **hosts.METHODS,
    **global_rows.METHODS,
}
