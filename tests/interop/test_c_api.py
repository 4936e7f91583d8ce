"""Nova's API in place of ours; everything else is OpenKeel."""

from tests.interop import openkeel_daemons
from tests.interop.life import live
from tests.interop.nova_daemons import nova_api


def test_nova_api_in_place_of_ours(swap, cloud):
    swap.replace(openkeel_daemons.API, nova_api(swap.nova, swap.site))
    live(swap, cloud)
