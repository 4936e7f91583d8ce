"""Ports when Neutron stumbles."""

import uuid

import pytest

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron.fake import FakeNeutron
from openkeel.clients.neutron.types import NicRequest, NicRequests, PortOwner
from openkeel.common.context import Context

PROJECT = "p1"
CTX = Context(user_id="u", project_id=PROJECT, auth_token="token", overwrite=False)


def lost():
    return service_errors.Unavailable(service="Neutron", status=None, code="", detail="connection lost")


@pytest.fixture
def neutron():
    return FakeNeutron()


@pytest.fixture
def wish(neutron):
    return NicRequests.given([NicRequest(network_id=neutron.server.add_network("net", PROJECT))] * 2)


@pytest.fixture
def owner():
    return PortOwner(str(uuid.uuid4()), PROJECT, "node-1", "az1")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_lost_answer_makes_no_second_port(neutron, wish, owner, after):
    neutron.server.faults.fail("POST ports", lost(), after=after)
    bound = neutron.bind_ports(CTX, owner, wish)
    assert len(bound) == 2
    assert {one.port.id for one in bound} == {port.id for port in neutron.server.ports()}


@pytest.mark.parametrize("step", ["POST ports", "PUT ports", "GET networks"])
def test_a_failed_bind_leaves_no_port(neutron, wish, owner, step):
    neutron.server.faults.fail(step, lost(), times=3)
    with pytest.raises(service_errors.Unavailable):
        neutron.bind_ports(CTX, owner, wish)
    assert neutron.server.ports() == []


def test_a_release_goes_on_behind_a_port_that_fails_and_can_be_repeated(neutron, wish, owner):
    neutron.bind_ports(CTX, owner, wish)
    neutron.server.faults.fail("DELETE ports", lost())
    with pytest.raises(service_errors.Unavailable):
        neutron.release_ports(CTX, owner.instance_uuid)
    assert len(neutron.server.ports()) == 1
    neutron.release_ports(CTX, owner.instance_uuid)
    assert neutron.server.ports() == []


def test_plugging_a_bound_port_tells_who_it_belongs_to(neutron, wish, owner):
    heard = []
    neutron.server.on_event = heard.append
    bound = neutron.bind_ports(CTX, owner, wish)
    neutron.server.plug(bound[0].port.id)
    assert heard == [(owner.instance_uuid, "network-vif-plugged", bound[0].port.id)]
    vifs = neutron.network_info(CTX, owner.instance_uuid, PROJECT)
    assert sorted(vif["active"] for vif in vifs) == [False, True]


def test_floating_ips_hang_on_their_fixed_address(neutron, wish, owner):
    bound = neutron.bind_ports(CTX, owner, wish)
    neutron.server.add_floating_ip(bound[1].port.id, "198.51.100.7")
    vifs = neutron.network_info(CTX, owner.instance_uuid, PROJECT)
    floating = [
        entry["address"]
        for vif in vifs
        for ip in vif["network"]["subnets"][0]["ips"]
        for entry in ip["floating_ips"]
    ]
    assert floating == ["198.51.100.7"]


def test_resource_requests_of_ports_reach_the_scheduler(neutron):
    network = neutron.server.add_network("net", PROJECT, physical_network="phys1")
    port = neutron.server.add_port(
        network,
        PROJECT,
        resource_request={
            "request_groups": [
                {"id": "g1", "resources": {"NET_BW_EGR_KILOBIT_PER_SEC": 1000}, "required": ["CUSTOM_T"]}
            ],
            "same_subtree": ["g1"],
        },
    )
    facts = neutron.network_facts(CTX, NicRequests.given([NicRequest(port_id=port)]))
    assert facts.physnets == {"phys1"}
    assert facts.tunneled is False
    [resources] = facts.resources
    [group] = resources.groups
    assert (group.resources, group.required) == ({"NET_BW_EGR_KILOBIT_PER_SEC": 1000}, {"CUSTOM_T"})
    assert resources.same_subtree == {"g1"}
