"""Which network a server gets when its owner leaves the choice to us."""

import uuid

import pytest

from openkeel.clients.neutron.fake import FakeNeutron, FakeNeutronServer
from openkeel.clients.neutron.types import NetworkChoice, NicRequest, NicRequests, PortOwner
from openkeel.common.context import Context
from openkeel.domain import errors
from openkeel.objects import NetworkRequest, NetworkRequestList

PROJECT = "p1"


@pytest.fixture
def ctx():
    return Context(user_id="u", project_id=PROJECT, auth_token="token", overwrite=False)


@pytest.fixture
def neutron():
    return FakeNeutron(FakeNeutronServer(extensions=["auto-allocated-topology"]))


def owner():
    return PortOwner(str(uuid.uuid4()), PROJECT, "node-1", None)


def test_nothing_said_and_no_network_gives_no_nic(neutron, ctx):
    assert neutron.validate_networks(ctx, NicRequests.any(), 2) == 2
    assert list(neutron.bind_ports(ctx, owner(), NicRequests.any())) == []


@pytest.mark.parametrize("requests", [NicRequests.any(), NicRequests.auto()])
def test_the_only_network_is_taken(neutron, ctx, requests):
    network = neutron.server.add_network("net", PROJECT)
    neutron.server.add_network("foreign", "p2")
    assert neutron.validate_networks(ctx, requests, 1) == 1
    [bound] = neutron.bind_ports(ctx, owner(), requests)
    assert bound.port.network_id == network


@pytest.mark.parametrize("requests", [NicRequests.any(), NicRequests.auto()])
def test_several_networks_are_ambiguous(neutron, ctx, requests):
    neutron.server.add_network("net", PROJECT)
    neutron.server.add_network("shared", "p2", shared=True)
    with pytest.raises(errors.NetworkAmbiguous):
        neutron.validate_networks(ctx, requests, 1)


def test_auto_without_a_network_lets_neutron_make_one(neutron, ctx):
    neutron.server.add_network("public", "admin", external=True)
    assert neutron.validate_networks(ctx, NicRequests.auto(), 1) == 1
    [bound] = neutron.bind_ports(ctx, owner(), NicRequests.auto())
    [network] = neutron.list_networks(ctx, [bound.port.network_id])
    assert network.name == "auto_allocated_network"


def test_neutron_may_take_its_time_to_make_one(neutron, ctx):
    neutron.server.add_network("public", "admin", external=True)
    neutron.server.takes_s["auto-allocated-topology"] = 120
    assert len(neutron.bind_ports(ctx, owner(), NicRequests.auto())) == 1


def test_auto_is_refused_where_neutron_cannot_make_one(neutron, ctx):
    with pytest.raises(errors.UnableToAutoAllocateNetwork):
        neutron.validate_networks(ctx, NicRequests.auto(), 1)
    plain = FakeNeutron()
    with pytest.raises(errors.UnableToAutoAllocateNetwork):
        plain.validate_networks(ctx, NicRequests.auto(), 1)


def test_an_external_network_needs_permission(neutron, ctx):
    public = neutron.server.add_network("public", "admin", external=True)
    wish = NicRequests.given([NicRequest(network_id=public)])
    with pytest.raises(errors.ExternalNetworkAttachForbidden):
        neutron.validate_networks(ctx, wish, 1)
    assert neutron.validate_networks(ctx, wish, 1, may_attach_external=True) == 1


def test_a_foreign_port_of_an_admin_is_not_usable(neutron):
    admin = Context(user_id="a", project_id="admin", auth_token="t", is_admin=True, overwrite=False)
    network = neutron.server.add_network("net", "p2")
    port = neutron.server.add_port(network, "p2")
    with pytest.raises(errors.PortNotUsable):
        neutron.bind_ports(admin, owner(), NicRequests.given([NicRequest(port_id=port)]))


@pytest.mark.parametrize("word", [NetworkChoice.AUTO, NetworkChoice.NONE])
def test_the_words_of_the_api_travel_as_network_ids(word):
    travelling = NetworkRequestList(objects=[NetworkRequest(network_id=str(word))])
    assert NicRequests.from_object(travelling).choice is word


def test_requests_are_read_from_what_travels():
    port = str(uuid.uuid4())
    travelling = NetworkRequestList(
        objects=[
            NetworkRequest(network_id="n", address="10.0.0.4", port_id=None, tag="t"),
            NetworkRequest(port_id=port),
        ]
    )
    requests = NicRequests.from_object(travelling)
    assert requests.nics == (
        NicRequest(network_id="n", fixed_ip="10.0.0.4", tag="t"),
        NicRequest(port_id=port),
    )
    assert requests.port_ids == {port}
    assert NicRequests.from_object(None).choice is NetworkChoice.ANY
    assert NicRequests.from_object(NetworkRequestList(objects=[])).choice is NetworkChoice.ANY
