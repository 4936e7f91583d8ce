"""openstacksdk works against devstack, at its newest microversion and at the oldest."""

import pytest

from tests.integration.conftest import eventually


@pytest.mark.parametrize("microversion", ["2.1", "2.37", "2.60", "2.79", "2.100"])
def test_the_life_of_a_server(cloud, boot, settled, microversion):
    compute = cloud.demo.compute
    before, compute.default_microversion = compute.default_microversion, microversion
    try:
        server = compute.wait_for_server(boot("sdk", metadata={"a": "b"}), wait=120)
        assert server.metadata == {"a": "b"}
        compute.stop_server(server)
        compute.wait_for_server(server, status="SHUTOFF", wait=60)
        compute.start_server(server)
        compute.wait_for_server(server, status="ACTIVE", wait=60)
        compute.reboot_server(server, "SOFT")
        eventually(lambda: compute.get_server(server.id).task_state is None, 60)
        compute.reboot_server(server, "HARD")
        compute.wait_for_server(compute.get_server(server.id), status="ACTIVE", wait=60)
        assert compute.get_server_console_output(server, length=10)["output"]
        compute.update_server(server, name="renamed")
        compute.set_server_metadata(server, c="d")
        assert compute.get_server(server.id).metadata == {"a": "b", "c": "d"}
        assert {a.action for a in compute.server_actions(server)} >= {"create", "stop", "start", "reboot"}
        compute.delete_server(server)
        compute.wait_for_delete(server, wait=60)
    finally:
        compute.default_microversion = before


def test_what_an_operator_looks_at(cloud):
    compute = cloud.admin.compute
    assert {s.binary for s in compute.services()} == {"nova-conductor", "nova-scheduler", "nova-compute"}
    assert {h.name for h in compute.hypervisors(details=True)} == {"node-1", "node-2"}
    assert "nova" in {z.name for z in compute.availability_zones()}
    assert compute.get_limits().absolute.instances
    assert compute.find_flavor("m1.tiny").ram == 512
