"""A database made and filled by Nova, taken over by OpenKeel, changed, and given back."""

from collections.abc import Iterator, Sequence

import pytest

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.client import Client, eventually
from tests.interop.nova_daemons import NovaDaemon
from tests.interop.swap import Swap
from tests.interop.takeover.filling import KEY, Filling
from tests.interop.takeover.places import Place
from tests.interop.takeover.reading import Question, ask, differences, questions

pytestmark = pytest.mark.timeout(3600)  # thousands of answers, four times


@pytest.fixture
def place(swap: Swap, cloud: Client) -> Iterator[Place]:
    """A deployment whose databases and daemons are Nova's, OpenKeel's own stopped beside it."""
    place = Place(swap.site, swap.nova)
    swap.take_out(
        *reversed(openkeel_daemons.ALL)
    )  # computes first: they end in order while a conductor answers
    # The nodes come again with other ids, and names of providers are unique.
    swap.later(lambda: remove_providers(cloud))
    remove_providers(cloud)
    place.make_databases()
    swap.later(place.drop_databases)
    return place


def remove_providers(cloud: Client) -> None:
    for name, uuid in cloud.providers().items():
        if name in NODES:
            cloud.other("placement", f"/resource_providers/{uuid}", "DELETE", "1.36")


def in_turn(swap: Swap, cloud: Client, out: Sequence[NovaDaemon], into: Sequence[NovaDaemon]) -> None:
    for daemon in reversed(out):
        daemon.stop()
    swap.put_in(*into)
    await_computes(cloud)


def await_computes(cloud: Client) -> None:
    """One whose conductor went away in the midst of a call waits for the answer, and is down meanwhile."""

    def all_up() -> bool:
        rows = cloud.get("/os-services?binary=nova-compute")["services"]
        return len(rows) == len(NODES) and all(row["state"] == "up" for row in rows)

    eventually(all_up, 180, "both computes are up")


def test_openkeel_takes_a_database_of_nova_over_and_gives_it_back(swap, cloud, place):
    admin, demo = cloud, Client.of(swap.site, "demo")
    clients = {"admin": admin, "demo": demo}
    nova, openkeel = place.nova_controllers(), place.openkeel_controllers()
    swap.put_in(nova[0], nova[1], *place.nova_computes(), nova[2])
    place.manage("cell_v2", "discover_hosts")
    filling = Filling(admin, demo, NODES)
    swap.later(filling.remove_servers)
    with swap.step("Nova fills its database"):
        world = filling.everything()
    wanted: list[Question] = list(questions(world))

    with swap.step(f"{len(wanted)} answers of Nova"):
        before = ask(clients, wanted)
    in_turn(swap, cloud, nova, openkeel)
    with swap.step("equal answers of OpenKeel"):
        assert not report(swap, differences(before, ask(clients, wanted)))

    with swap.step("OpenKeel changes things"):
        change(filling)
    wanted = list(questions(world))
    with swap.step(f"{len(wanted)} answers of OpenKeel"):
        changed = ask(clients, wanted)
    in_turn(swap, cloud, openkeel, nova)
    with swap.step("equal answers of Nova"):
        assert not report(swap, differences(ask(clients, wanted), changed))

    with swap.step("Nova goes on with what OpenKeel made"):
        server = filling.servers["made by openkeel"]
        demo.start(server)
        demo.delete(server)


def change(filling: Filling) -> None:
    """Boots, actions, deletes and all else that OpenKeel can do by now."""
    admin, demo, servers = filling.admin, filling.demo, filling.servers
    filling.boot(
        demo,
        "made by openkeel",
        networks=[{"uuid": admin.network("private")}],
        key_name="ours",
        metadata={"made": "by openkeel"},
        description="a server",
        config_drive=True,
    )
    demo.stop(servers["made by openkeel"])
    filling.boot(demo, "nowhere either", "ERROR", flavorRef=filling.huge)
    filling.boot(admin, "dead after a while")
    admin.delete(servers["dead after a while"])
    demo.start(servers["stopped"])
    demo.reboot(servers["kept 2"], "HARD")
    demo.request("DELETE", f"/servers/{servers['nowhere']}")
    demo.await_gone(servers["nowhere"])
    demo.delete(servers["kept 3"])
    demo.request("PUT", f"/servers/{servers['kept 1']}", {"server": {"description": "another"}})
    demo.request("POST", f"/servers/{servers['kept 1']}/metadata", {"metadata": {"more": "of it"}})
    demo.request("POST", "/os-keypairs", {"keypair": {"name": "late", "type": "ssh", "public_key": KEY}})
    admin.request(
        "POST", "/flavors", {"flavor": {"name": "late", "ram": 64, "vcpus": 1, "disk": 0, "description": "d"}}
    )
    filling.world.ids["server"] = [*servers.values()]
    filling.world.ids["some_server"] = [servers["made by openkeel"], servers["kept 2"], servers["kept 3"]]


def report(swap: Swap, found: list[str]) -> list[str]:
    path = swap.site.log / "interop" / "takeover-differences.txt"
    path.write_text("\n".join(found) + "\n")
    for line in found[:20]:
        swap.differs(line)
    return found
