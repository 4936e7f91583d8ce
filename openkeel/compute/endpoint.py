"""The compute's remote methods: the names of the method table, each served by the capability that has it."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import oslo_messaging

from openkeel.common.context import Context
from openkeel.rpc.methods import COMPUTE, COMPUTE_5


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


class FormerComputeEndpoint:
    """The same methods for peers that are pinned to the version before: `upgrade_levels`."""

    target = oslo_messaging.Target(namespace=COMPUTE.namespace, version=COMPUTE_5)

    def __init__(self, endpoint: ComputeEndpoint) -> None:
        major = COMPUTE_5.partition(".")[0]
        for method in COMPUTE.methods:
            forms = [form for form in method.formers if form.version.partition(".")[0] == major]
            lacking = {name for form in forms for name in form.lacks}
            if forms:
                setattr(self, method.name, _without(getattr(endpoint, method.name), lacking))


def _without(method: Callable[..., Any], lacking: set[str]) -> Callable[..., Any]:
    """The method with arguments that may lack."""
    if not lacking:
        return method

    @functools.wraps(method)
    def completed(ctx: Context, **arguments: Any) -> Any:
        return method(ctx, **{**dict.fromkeys(lacking), **arguments})

    return completed
