"""OpenKeel's computes under a control plane that is all Nova."""

from tests.interop import openkeel_daemons
from tests.interop.life import live
from tests.interop.nova_daemons import nova_api, nova_conductor, nova_scheduler


def test_openkeel_computes_under_an_all_nova_control_plane(swap, cloud):
    swap.take_out(openkeel_daemons.API, openkeel_daemons.SCHEDULER, openkeel_daemons.CONDUCTOR)
    swap.put_in(
        nova_conductor(swap.nova, swap.site),
        nova_scheduler(swap.nova, swap.site),
        nova_api(swap.nova, swap.site),
    )
    with swap.step("a compute starts under it"):
        swap.openkeel.restart(openkeel_daemons.compute("node-2"))
    live(swap, cloud)
    live(swap, cloud, "node-2")
