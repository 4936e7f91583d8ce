"""What an owner changes while the server is on its way is not lost."""

from tests.fixtures.compute_world import eventually
from tests.fixtures.hold import Hold


def named_at(cloud, step: int, who=None, **more) -> str:
    """A boot whose owner renames the server when the conductor is about to make this call."""
    gate, hold = cloud.conductor.gate, Hold()
    gate.arm(step, hold)
    uuid = cloud.boot("before", who=who, **more)
    assert hold.reached.wait(30)
    gate.disarm()
    body = {"server": {"name": "after", "description": "said late"}}
    assert (who or cloud.member)("PUT", f"/v2.1/servers/{uuid}", body, version="2.104").status_code == 200
    hold.let_go()
    return uuid


def shown(server) -> tuple[str, str]:
    return server["name"], server["description"]


def test_a_rename_holds_at_every_step_of_the_conductor(cloud):
    gate = cloud.conductor.gate
    gate.arm()
    cloud.booted(networks="none")
    steps = gate.calls.index("rpc build_and_run_instance") + 1
    cloud.empty()
    for step in range(steps):
        uuid = named_at(cloud, step, networks="none")
        assert shown(cloud.settled(uuid, "ACTIVE")) == ("after", "said late"), gate.calls[step]
        cloud.empty()


def test_a_rename_holds_on_the_way_to_cell0(cloud):
    gate = cloud.conductor.gate
    gate.arm()
    nowhere = {"who": cloud.admin, "networks": "none", "availability_zone": "nova:nosuch"}
    cloud.settled(cloud.boot(**nowhere), "ERROR")
    steps = len(gate.calls)
    cloud.empty()
    for step in range(steps - 1):
        uuid = named_at(cloud, step, **nowhere)
        cloud.settled(uuid, "ERROR")
        eventually(lambda uuid=uuid: shown(cloud.show(uuid)) == ("after", "said late"))
        cloud.empty()
