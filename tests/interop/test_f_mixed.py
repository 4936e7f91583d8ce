"""Daemons of both kinds at the same time, sharing topics, databases and Placement."""

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.life import live
from tests.interop.nodes import make_predictable
from tests.interop.nova_daemons import Override, nova_compute, nova_conductor, nova_scheduler

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


def test_versions_are_pinned_by_upgrade_levels(swap, cloud):
    """Nova's conductor, told to speak to computes as the release before did; ours understand it."""
    swap.replace(
        openkeel_daemons.CONDUCTOR,
        nova_conductor(swap.nova, swap.site)
        .called("nova-conductor-pinned")
        .with_overrides(
            Override("upgrade_levels", "compute", "epoxy", "an upgrade under way"),
            Override("upgrade_levels", "scheduler", "epoxy", "as above"),
        ),
    )
    live(swap, cloud)


def _forget(cloud, binary: str) -> None:
    """The daemon is gone for good."""
    row = cloud.services().get((binary, BESIDE))
    if row:
        cloud.request("DELETE", f"/os-services/{row['id']}")
