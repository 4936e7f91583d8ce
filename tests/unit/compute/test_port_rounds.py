"""Rounds through the ports: what Neutron told nobody of is found, one server at a time."""

import pytest

from openkeel.clients.errors import Unavailable
from openkeel.compute.port_rounds import PortRounds
from openkeel.domain.states import VMState


@pytest.fixture
def rounds(world):
    return PortRounds(world.host)


def nics(world, instance):
    return [nic["id"] for nic in world.stores.info_caches.rows[instance.uuid].network_info]


def forget(world, *instances):
    """The caches lose what they knew."""
    for instance in instances:
        world.host.network.forget(instance)


def test_servers_are_healed_in_turn_and_then_anew(world, rounds):
    servers = [world.booted(), world.booted()]
    before = [nics(world, one) for one in servers]
    forget(world, *servers)
    rounds.heal_next()
    assert sorted(len(nics(world, one)) for one in servers) == [0, 1]
    rounds.heal_next()
    assert [nics(world, one) for one in servers] == before
    forget(world, *servers)
    rounds.heal_next()
    rounds.heal_next()
    assert [nics(world, one) for one in servers] == before


def test_servers_that_others_work_at_and_those_gone_meanwhile_are_passed_over(world, rounds):
    building, gone, mine = world.booted(), world.booted(), world.booted()
    world.stores.instances.change(building.uuid, vm_state=VMState.BUILDING)
    forget(world, building, mine)
    rounds.heal_next()
    world.stores.instances.change(gone.uuid, deleted=True)
    rounds.heal_next()
    rounds.heal_next()
    assert (len(nics(world, building)), len(nics(world, mine))) == (0, 1)


def test_a_neutron_that_does_not_answer_ends_no_round(world, rounds):
    servers = [world.booted(), world.booted()]
    forget(world, *servers)
    world.neutron_server.faults.fail("GET ports", Unavailable(service="Neutron", detail="down"))
    rounds.heal_next()
    rounds.heal_next()
    assert sorted(len(nics(world, one)) for one in servers) == [0, 1]


def test_nobody_goes_round_on_an_empty_host(world, rounds):
    rounds.heal_next()
    assert [row.is_on for row in rounds.periodics()] == [False]
