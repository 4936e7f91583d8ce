"""What a host says when it is asked to measure a guest."""

import pytest

from openkeel.domain.errors import InstanceInvalidState, Unsupported
from openkeel.domain.states import PowerState


@pytest.mark.parametrize("method", ["get_diagnostics", "get_instance_diagnostics"])
def test_a_guest_that_does_not_run_is_refused_for_that(world, method):
    instance = world.row(world.booted())
    ask = getattr(world.compute, method)
    with pytest.raises(Unsupported):
        ask(world.context(), instance=instance)
    instance.power_state = PowerState.SHUTDOWN
    with pytest.raises(InstanceInvalidState, match="power_state 4"):
        ask(world.context(), instance=instance)
