"""Remotable methods of Nova's objects as rows over our stores, one module per group of nouns.

Argument names are the contract's (objects.json, remotable_methods): peers call by them.
"""

from typing import Final

from openkeel.conductor.object_methods import (
    action_log,
    audits,
    before_neutron,
    block_devices,
    console_tokens,
    devices,
    global_rows,
    hosts,
    instances,
    quotas,
)
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Quota, Stores, Zones

__all__ = ["METHODS", "Methods", "OnClass", "OnObject", "Quota", "Stores", "Zones"]

METHODS: Final[Methods] = {
    **instances.METHODS,
    **block_devices.METHODS,
    **action_log.METHODS,
    **hosts.METHODS,
    **devices.METHODS,
    **console_tokens.METHODS,
    **audits.METHODS,
    **before_neutron.METHODS,
    **global_rows.METHODS,
    **quotas.METHODS,
}
