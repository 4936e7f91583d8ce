"""Daemons of both kinds at the same time, sharing topics, databases and Placement."""

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.life import live
from tests.interop.nodes import make_predictable
from tests.interop.nova_daemons import (
    Override,
    nova_compute,
    nova_conductor,
    nova_scheduler,
    openkeel_api,
    openkeel_conductor,
)

NODE, OTHER = NODES
BESIDE = "controller-nova"


def test_two_conductors_share_the_topic(swap, cloud):
    swap.later(lambda: _forget(cloud, "nova-conductor"))
    swap.put_in(nova_conductor(swap.nova, swap.site, host=BESIDE))
    with swap.step("both report"):
        assert {("nova-conductor", "controller"), ("nova-conductor", BESIDE)} <= set(cloud.services())
    for turn in range(3):  # calls go to either
        live(swap, cloud, name=f"turn-{turn}")


def test_two_schedulers_share_the_topic(swap, cloud):
    swap.later(lambda: _forget(cloud, "nova-scheduler"))
    swap.put_in(nova_scheduler(swap.nova, swap.site, host=BESIDE))
    servers = []
    with swap.step("boots, one scheduler after the other"):
        servers += [cloud.boot(f"turn-{turn}") for turn in range(4)]
    with swap.step("boots at the same time"):
        crowd = cloud.boot("crowd", wait=False, min_count=6, max_count=6, return_reservation_id=False)
        mine = cloud.get(
            f"/servers?name=crowd&reservation_id={cloud.server(crowd['id'])['OS-EXT-SRV-ATTR:reservation_id']}"
        )
        servers += [cloud.await_status(server["id"], "ACTIVE") for server in mine["servers"]]
        assert len(servers) == 10
    with swap.step("delete all"):
        for server in servers:
            cloud.delete(server["id"])


def test_computes_of_both_kinds_stand_side_by_side(swap, cloud):
    make_predictable(swap.site, cloud, NODE)
    swap.replace(openkeel_daemons.compute(NODE), nova_compute(swap.nova, swap.site, NODE))
    with swap.step("boot where the scheduler says, several at once"):
        asked = [cloud.boot(f"side-{number}", wait=False) for number in range(4)]
        servers = [cloud.await_status(server["id"], "ACTIVE") for server in asked]
    with swap.step("boot on each"):
        servers += [cloud.boot("a", host=NODE), cloud.boot("b", host=OTHER)]
        assert {server["OS-EXT-SRV-ATTR:host"] for server in servers} == {NODE, OTHER}
    with swap.step("stop and start all"):
        for server in servers:
            cloud.stop(server["id"])
        for server in servers:
            cloud.start(server["id"])
    with swap.step("delete all"):
        for server in servers:
            cloud.delete(server["id"])


PINS = (
    Override("upgrade_levels", "compute", "epoxy", "an upgrade under way"),
    Override("upgrade_levels", "scheduler", "4.5", "the oldest that schedulers of either kind are sent"),
)


def test_nova_conductor_with_pinned_versions(swap, cloud):
    """Told to speak to computes and schedulers as releases before did; ours understand it."""
    pinned = nova_conductor(swap.nova, swap.site).called("nova-conductor-pinned").with_overrides(*PINS)
    swap.replace(openkeel_daemons.CONDUCTOR, pinned)
    live(swap, cloud)


def test_openkeel_with_pinned_versions_over_nova_compute(swap, cloud):
    """Our controllers, told to speak as releases before did, drive Nova's compute and ours."""
    make_predictable(swap.site, cloud, NODE)
    swap.take_out(openkeel_daemons.API, openkeel_daemons.CONDUCTOR, openkeel_daemons.compute(NODE))
    swap.put_in(
        openkeel_conductor(swap.site).called("openkeel-conductor-pinned").with_overrides(*PINS),
        nova_compute(swap.nova, swap.site, NODE),
        openkeel_api(swap.site).called("openkeel-api-pinned").with_overrides(*PINS),
    )
    for host in NODES:
        live(swap, cloud, host)


def _forget(cloud, binary: str) -> None:
    """The daemon is gone for good."""
    row = cloud.services().get((binary, BESIDE))
    if row:
        cloud.request("DELETE", f"/os-services/{row['id']}")
