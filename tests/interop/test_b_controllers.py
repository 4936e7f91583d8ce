"""Nova's conductor, then its scheduler, in place of ours; everything else is OpenKeel."""

from tests.interop import openkeel_daemons
from tests.interop.life import live
from tests.interop.nova_daemons import nova_conductor, nova_scheduler


def test_nova_conductor_in_place_of_ours(swap, cloud):
    swap.replace(openkeel_daemons.CONDUCTOR, nova_conductor(swap.nova, swap.site))
    live(swap, cloud)


def test_nova_scheduler_in_place_of_ours(swap, cloud):
    swap.replace(openkeel_daemons.SCHEDULER, nova_scheduler(swap.nova, swap.site))
    live(swap, cloud)
