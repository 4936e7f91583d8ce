"""Boots that do not end in a running server: where they end, what the owner sees, what is left."""

import pytest

from openkeel.db.cells import CELL0_UUID
from openkeel.virt.driver import GuestRejected, HostFailure
from tests.fixtures.compute_world import eventually


def held(cloud, uuid):
    """What the server holds outside the databases."""
    return (
        cloud.placement.allocations(uuid).allocations,
        cloud.ports(uuid),
        [guest for guest in cloud.guests() if guest == uuid],
    )


NOTHING = ({}, [], [])


def test_no_valid_host_is_buried_where_its_owner_sees_why(cloud):
    uuid = cloud.boot("big", flavorRef="huge", networks=[{"uuid": cloud.network}], tags=["t"])
    server = cloud.settled(uuid, "ERROR")
    assert server["fault"]["code"] == 500
    assert server["fault"]["message"].startswith("No valid host was found. ")
    assert "details" in server["fault"]  # for the admin
    assert "details" not in cloud.show(uuid, who=cloud.member)["fault"]
    assert server["tags"] == ["t"]
    assert cloud.cells.api.instance_mappings.get(uuid).cell_mapping.uuid == CELL0_UUID
    assert cloud.cells.api.build_requests.find(uuid) is None
    [create] = cloud.actions(uuid)
    assert (create["action"], create["message"]) == ("create", "Error")
    [event] = create["events"]
    assert (event["event"], event["result"]) == ("conductor_schedule_and_build_instances", "Error")
    assert held(cloud, uuid) == NOTHING
    cloud.delete(uuid)
    cloud.gone(uuid)


def test_of_several_servers_none_is_built_when_not_all_fit(cloud):
    answer = cloud.create(flavorRef="huge", min_count=2, return_reservation_id=True)
    reservation = answer.json["reservation_id"]
    listed = cloud.admin("GET", f"/v2.1/servers?reservation_id={reservation}").json["servers"]
    assert len(listed) == 2
    for one in listed:
        cloud.settled(one["id"], "ERROR")


def test_a_host_that_is_in_no_cell_is_said_so(cloud):
    for node in cloud.computes:
        cloud.cells.api.host_mappings.delete(node)
    uuid = cloud.boot()
    server = cloud.settled(uuid, "ERROR")
    assert "is not mapped to any cell" in server["fault"]["message"]
    assert cloud.cells.api.instance_mappings.get(uuid).cell_mapping.uuid == CELL0_UUID
    assert held(cloud, uuid) == NOTHING


def first_spawn(cloud, error):
    """The first guest that is started anywhere fails; returns the list of nodes that tried."""
    tried = []
    for node, hypervisor in cloud.hypervisors.items():

        def step(node=node):
            tried.append(node)
            if len(tried) == 1:
                raise error

        hypervisor.script.during("spawn", step)
    return tried


def test_a_build_that_fails_on_one_host_goes_to_the_next(cloud):
    tried = first_spawn(cloud, HostFailure(reason="broken"))
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    server = cloud.settled(uuid, "ACTIVE")
    assert len(tried) == 2
    assert server["OS-EXT-SRV-ATTR:host"] == tried[1]
    assert cloud.guests() == {uuid: tried[1]}
    [port] = cloud.ports(uuid)
    assert (port.host, port.status) == (tried[1], "ACTIVE")
    [node] = cloud.cell1.compute_nodes.list_by_host(tried[1])
    assert list(cloud.placement.allocations(uuid).allocations) == [node.uuid]
    [create] = cloud.actions(uuid)
    assert sorted(event["host"] for event in create["events"]) == sorted(tried)
    assert {event["result"] for event in create["events"]} == {"Success"}
    assert create["message"] is None


def test_a_user_s_port_follows_the_server_to_the_next_host(cloud):
    port_id = cloud.neutron.add_port(cloud.network, cloud.member.project)
    tried = first_spawn(cloud, HostFailure(reason="broken"))
    uuid = cloud.boot(networks=[{"port": port_id}])
    cloud.settled(uuid, "ACTIVE")
    [port] = cloud.ports(uuid)
    assert (port.id, port.host) == (port_id, tried[1])


def test_a_build_that_fails_on_every_host_ends_in_error(cloud):
    for hypervisor in cloud.hypervisors.values():
        hypervisor.script.fail("spawn", HostFailure(reason="broken"))
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    server = cloud.settled(uuid, "ERROR")
    assert "retries" in server["fault"]["message"]
    assert "broken" in server["fault"]["message"]
    assert server["OS-EXT-SRV-ATTR:host"] is None
    assert held(cloud, uuid) == NOTHING
    [create] = cloud.actions(uuid)
    assert create["message"] == "Error"


def test_an_alternate_that_filled_up_meanwhile_is_passed_over(cloud):
    def fill():
        for node in cloud.computes:
            [record] = cloud.cell1.compute_nodes.list_by_host(node)
            provider = cloud.placement.find_provider(record.uuid)
            full = {name: inventory for name, inventory in provider.inventories.items() if name != "DISK_GB"}
            if record.uuid not in cloud.placement.allocations(uuid).allocations:
                cloud.placement.update_provider(record.uuid, inventories=full)
        raise HostFailure(reason="broken")

    for hypervisor in cloud.hypervisors.values():
        hypervisor.script.during("spawn", fill)
    uuid = cloud.boot()
    server = cloud.settled(uuid, "ERROR")
    assert "retries" in server["fault"]["message"]
    assert held(cloud, uuid) == NOTHING


def test_a_guest_that_is_refused_is_not_tried_elsewhere(cloud):
    tried = first_spawn(cloud, GuestRejected(reason="no such machine"))
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    server = cloud.settled(uuid, "ERROR")
    assert "no such machine" in server["fault"]["message"]
    assert len(tried) == 1
    assert held(cloud, uuid) == NOTHING
    [create] = cloud.actions(uuid)
    assert create["message"] == "Error"
    assert [event["result"] for event in create["events"]] == ["Error"]


def test_wires_that_are_never_plugged_end_the_build(cloud):
    for node, part in cloud.computes.items():
        part.settings = {"vif_plugging_timeout": 1}
        part.restart()
        cloud.hypervisors[node].plugs = False
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    server = cloud.settled(uuid, "ERROR")
    assert server["fault"]["message"]
    assert held(cloud, uuid) == NOTHING


def test_an_event_lost_on_its_way_does_not_end_the_build(cloud):
    for part in cloud.computes.values():
        part.settings = {"vif_plugging_timeout": 2}
        part.restart()
    cloud.neutron.on_event = None
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    cloud.settled(uuid, "ACTIVE")


# Quota


def limit(cloud, **limits):
    for name, value in limits.items():
        cloud.cells.api.quotas.create_limit(cloud.member.project, name, value)


def test_a_request_beyond_the_quota_is_refused(cloud):
    limit(cloud, instances=2)
    cloud.booted()
    answer = cloud.create(min_count=2)
    assert answer.status_code == 403
    assert "instances" in answer.json["forbidden"]["message"]
    assert len(cloud.servers()) == 1
    cloud.booted(max_count=1)


def test_two_boots_that_each_fitted_alone_are_counted_again(cloud):
    # Both are checked before either is made, each as if the other were not there.
    cloud.conductor.kill()
    first, second = cloud.boot(), cloud.boot()
    limit(cloud, cores=1)
    cloud.conductor.start()
    ends = {uuid: cloud.settled(uuid) for uuid in (first, second)}
    failed = [one for one in ends.values() if one["status"] == "ERROR"]
    assert failed, ends
    for one in failed:
        assert "quota" in one["fault"]["message"].lower()
        assert held(cloud, one["id"]) == NOTHING
        [create] = cloud.actions(one["id"])
        assert create["message"] == "Error"
    assert cloud.cells.api.build_requests.list().objects == []


# The same message twice


@pytest.mark.parametrize(
    "method", ["schedule_and_build_instances", "build_and_run_instance", "build_instances"]
)
def test_a_message_delivered_twice_makes_one_server(cloud, method):
    cloud.bus.twice.add(method)
    tried = first_spawn(cloud, HostFailure(reason="broken")) if method == "build_instances" else []
    uuid = cloud.boot(networks=[{"uuid": cloud.network}], tags=["t"])
    cloud.settled(uuid, "ACTIVE")
    eventually(lambda: not cloud.cells.api.build_requests.list().objects)
    cloud.reconcile()
    assert cloud.settled(uuid, "ACTIVE")["tags"] == ["t"]
    assert list(cloud.guests()) == [uuid]
    assert len(cloud.ports(uuid)) == 1
    assert list(cloud.placement.consumers()) == [uuid]
    assert len(cloud.cell1.bdms.list(uuid)) == 1
    guest = cloud.hypervisors[cloud.guests()[uuid]].guests[uuid]
    assert guest.starts == 1
    assert method != "build_instances" or len(tried) == 2


def test_a_delete_delivered_twice_is_one(cloud):
    cloud.bus.twice.add("terminate_instance")
    uuid = cloud.booted(networks=[{"uuid": cloud.network}])
    cloud.delete(uuid)
    cloud.gone(uuid)
