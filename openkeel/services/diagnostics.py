"""What hosts measure of servers."""

from collections.abc import Mapping
from typing import Any

from openkeel.common.context import Context
from openkeel.services import guards
from openkeel.services.lookup import Located
from openkeel.services.power import ComputeOf


class DiagnosticsService:
    """Asks hosts. Both raise InstanceNotReady; Unsupported, where nothing is measured; Unavailable."""

    def __init__(self, compute_of: ComputeOf) -> None:
        self._compute_of = compute_of

    def of_hypervisor(self, ctx: Context, server: Located) -> Mapping[str, Any]:
        """In the words of the hypervisor."""
        guards.on_a_host(server.instance)
        compute = self._compute_of(guards.in_a_cell(server))
        return compute.get_diagnostics(ctx, instance=server.instance)

    def common(self, ctx: Context, server: Located) -> Any:
        """In words that all hypervisors share: a Diagnostics."""
        guards.on_a_host(server.instance)
        compute = self._compute_of(guards.in_a_cell(server))
        return compute.get_instance_diagnostics(ctx, instance=server.instance)
