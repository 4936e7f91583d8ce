"""Nova's compute (fake driver) under OpenKeel's API, conductor and scheduler."""

import pytest

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.client import eventually
from tests.interop.life import live
from tests.interop.nodes import discover, identity_file, make_predictable, predictable_uuid
from tests.interop.nova_daemons import await_periodic_work, nova_compute, periodic_work

NODE, OTHER = NODES


@pytest.fixture(autouse=True)
def same_node(site, cloud):
    make_predictable(site, cloud, NODE)


def test_nova_compute_on_a_new_host_registers_and_is_discovered(swap, cloud):
    """The host is taken out of the deployment first: Nova's daemon is the first to run on it."""
    for text in (
        "If this is the first time this service is starting on this host, then you can",
        "No compute node record for",
    ):
        swap.expect("nova-compute", text, "it is the first time")
    with swap.step("register"):
        swap.take_out(openkeel_daemons.compute(NODE))
        cloud.request("DELETE", f"/os-services/{cloud.services()['nova-compute', NODE]['id']}")
        swap.later(lambda: discover(swap.site))
        swap.put_in(nova_compute(swap.nova, swap.site, NODE))
        assert cloud.services()["nova-compute", NODE]["state"] == "up"
    with swap.step("be discovered"):
        assert NODE in discover(swap.site)
        assert cloud.hypervisors()[NODE]["id"] == predictable_uuid(NODE) == cloud.providers()[NODE]
        assert cloud.hypervisors()[NODE]["hypervisor_type"] == "fake"
    live(swap, cloud, NODE)


def test_nova_compute_takes_over_a_host_and_gives_it_back(swap, cloud):
    """In place: same record, same provider, same identity file. Periodic work runs several times."""
    before = cloud.hypervisors()[NODE]
    assert identity_file(swap.site, NODE).read_text() == before["id"]
    daemon = nova_compute(swap.nova, swap.site, NODE).with_overrides(*periodic_work())
    swap.replace(openkeel_daemons.compute(NODE), daemon)
    with swap.step("same identity"):
        after = cloud.hypervisors()[NODE]
        assert (after["id"], after["service"]["id"]) == (before["id"], before["service"]["id"])
    with swap.step("boot on both kinds of host"):
        there = cloud.boot("on-nova", host=NODE)
        here = cloud.boot("on-openkeel", host=OTHER)
    with swap.step("periodic work"):
        seen = cloud.services()["nova-compute", NODE]["updated_at"]
        for _ in range(3):
            await_periodic_work(daemon)
        eventually(lambda: cloud.services()["nova-compute", NODE]["updated_at"] > seen, 300, "heartbeats", 2)
        eventually(lambda: cloud.hypervisors()[NODE].get("status") == "enabled", 300, "it is enabled")
    with swap.step("power of both"):
        for server in (there, here):
            cloud.stop(server["id"])
            cloud.start(server["id"])
            cloud.reboot(server["id"], "HARD")
    with swap.step("delete on both"):
        cloud.delete(there["id"])
        cloud.delete(here["id"])
    with swap.step("give back"):
        swap.put_back()
        assert cloud.hypervisors()[NODE]["id"] == before["id"]
        server = cloud.boot("back", host=NODE)
        cloud.delete(server["id"])
