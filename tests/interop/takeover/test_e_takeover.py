"""A database made and filled by Nova, taken over by OpenKeel, changed, and given back."""

from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.client import Client, eventually
from tests.interop.nova_daemons import NovaDaemon, await_periodic_work
from tests.interop.swap import Swap
from tests.interop.takeover.changing import Changing
from tests.interop.takeover.filling import Filling
from tests.interop.takeover.places import Place
from tests.interop.takeover.reading import Question, ask, differences, questions

pytestmark = pytest.mark.timeout(5400)  # thousands of answers, four times


@pytest.fixture
def place(swap: Swap, cloud: Client) -> Iterator[Place]:
    """A deployment whose databases and daemons are Nova's, OpenKeel's own stopped beside it."""
    place = Place(swap.site, swap.nova)
    swap.take_out(
        *reversed(openkeel_daemons.ALL)
    )  # computes first: they end in order while a conductor answers
    for row in _PROVOKED:
        swap.expect(*row)
    # The nodes come again with other ids, and names of providers are unique.
    swap.later(lambda: clear_nodes(cloud))
    clear_nodes(cloud)
    place.make_databases()
    swap.later(place.drop_databases)
    return place


_TOO_LARGE: Final = "of a server that fits nowhere"
# What making such a deployment provokes: daemon, text, reason.
_PROVOKED: Final = (
    ("nova-compute", r"No compute node record( found)? for ", "its hosts are new"),
    (
        "nova-conductor",
        r"(Failed to schedule instances|compute_task_build_instances): .*No valid",
        _TOO_LARGE,
    ),
    ("nova-conductor", r"Setting instance to ERROR state.*No valid host was found", _TOO_LARGE),
    ("nova-compute", r"Detach interface failed, .*Failed to detach", "its port went with the server"),
    ("openkeel-conductor", r"scheduling of .* failed: No valid host was found", _TOO_LARGE),
    ("nova-api", r"instance's host None is down, deleting from database", "such a server is deleted"),
    ("nova-api", r"oslo_db\.sqlalchemy\.utils .*Unique keys not in sort_keys", "lists are asked for by name"),
    (
        "openkeel-api",
        r"Answered 501: Unsupported",
        "the uptime of a hypervisor; Nova's fake drivers have none",
    ),
)


def clear_nodes(cloud: Client) -> None:
    """Nothing of the nodes is left in Placement, nor ports on them, however a test ended."""
    for port in cloud.other("network", "/v2.0/ports")["ports"]:
        if port["device_owner"].startswith("compute:"):
            cloud.other("network", f"/v2.0/ports/{port['id']}", "DELETE")
    for name, consumers in cloud.allocations().items():
        for consumer in consumers if name in NODES else ():
            cloud.other("placement", f"/allocations/{consumer}", "DELETE", "1.36")
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

    eventually(all_up, 400, "both computes are up")


def test_openkeel_takes_a_database_of_nova_over_and_gives_it_back(swap, cloud, place):
    admin, demo = cloud, Client.of(swap.site, "demo")
    clients = {"admin": admin, "demo": demo}
    nova, openkeel = place.nova_controllers(), place.openkeel_controllers()
    computes = place.nova_computes()
    swap.put_in(nova[0], nova[1], *computes, nova[2])
    place.manage("cell_v2", "discover_hosts")
    filling = Filling(admin, demo, NODES)
    with swap.step("Nova fills its database"):
        world = filling.everything()
        await_periodic_work(*computes)  # it writes usage, power states, that dead ones are cleaned up
    wanted: list[Question] = list(questions(world))

    with swap.step(f"{len(wanted)} answers of Nova"):
        before = ask(clients, wanted)
    in_turn(swap, cloud, nova, openkeel)
    with swap.step("equal answers of OpenKeel"):
        assert not report(swap, differences(before, ask(clients, wanted)))

    with swap.step("OpenKeel changes things"):
        changing = Changing(filling)
        changing.by_openkeel()
        await_periodic_work(*computes)
    wanted = list(questions(world))
    with swap.step(f"{len(wanted)} answers of OpenKeel"):
        changed = ask(clients, wanted)
    in_turn(swap, cloud, openkeel, nova)
    with swap.step("equal answers of Nova"):
        assert not report(swap, differences(ask(clients, wanted), changed))

    with swap.step("Nova goes on with what OpenKeel made and changed"):
        changing.by_nova()
    with swap.step("Nova deletes all servers"):
        filling.remove_servers()
        assert not cloud.leftovers()


def report(swap: Swap, found: list[str]) -> list[str]:
    path = swap.site.log / "interop" / "takeover-differences.txt"
    path.write_text("\n".join(found) + "\n")
    for line in found[:20]:
        swap.differs(line)
    return found
