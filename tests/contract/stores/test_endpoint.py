"""What the conductor's data endpoint serves, and what it refuses."""

import pytest

from openkeel import objects
from openkeel.common.context import admin_context
from openkeel.domain.errors import FlavorNotFound, Internal, Invalid, Unsupported
from openkeel.objects.base import version_manifest
from tests.contract.stores.conftest import UUID


def ask(client, kind, method, versions=None, **arguments):
    manifest = versions or version_manifest("Instance")
    return client.object_class_action_versions(admin_context(), kind, method, manifest, (), arguments)


def test_an_unknown_object_is_refused_by_name(client):
    with pytest.raises(Unsupported, match="no object Spoon"):
        ask(client, "Spoon", "bend")


@pytest.mark.parametrize("method", ["frobnicate", "__class__", "save", "obj_from_primitive"])
def test_only_methods_of_the_table_can_be_reached(client, method):
    with pytest.raises(Unsupported, match=f"Instance.{method}"):
        ask(client, "Instance", method)


def test_wrong_arguments_are_refused_by_name(client):
    with pytest.raises(Invalid, match=r"Instance\.get_by_uuid.*spoon"):
        ask(client, "Instance", "get_by_uuid", uuid=UUID, spoon=1)


def test_an_older_compute_gets_what_it_knows(client, instance):
    versions = version_manifest("Instance") | {"Instance": "2.7"}
    got = ask(client, "Instance", "get_by_uuid", versions, uuid=UUID)
    assert got.VERSION == "2.7"
    assert not got.obj_attr_is_set("compute_id")


def test_an_object_is_brought_down_on_request(client):
    versions = version_manifest("Instance") | {"Flavor": "1.1"}
    flavor = objects.Flavor(name="m1", description="big")
    got = client.object_backport_versions(admin_context(), flavor, versions)
    assert (got.VERSION, got.name, got.obj_attr_is_set("description")) == ("1.1", "m1", False)


def test_dead_servers_are_seen_by_those_who_ask_for_them(client, instance, sql):
    sql.instances.destroy(instance)
    manifest = version_manifest("Instance")
    got = client.object_class_action_versions(
        admin_context("yes"), "Instance", "get_by_uuid", manifest, (UUID,), {}
    )
    assert got.deleted


def test_bugs_of_ours_do_not_travel_as_text(client, sql, monkeypatch):
    def broken(_host):
        raise RuntimeError("mysql://nova:secret@db")

    monkeypatch.setattr(sql.services, "find_compute", broken)
    with pytest.raises(Internal, match="Unexpected RuntimeError") as caught:
        ask(client, "Service", "get_by_compute_host", host="x")
    assert "secret" not in repr(caught.value)


def test_what_is_global_is_served_from_the_api_database(client, api):
    api.flavors.create(
        objects.Flavor(
            name="m1",
            flavorid="small",
            memory_mb=512,
            vcpus=1,
            root_gb=1,
            ephemeral_gb=0,
            swap=0,
            rxtx_factor=1.0,
            is_public=True,
            disabled=False,
            extra_specs={"hw:cpu_policy": "shared"},
        )
    )
    flavor = ask(client, "Flavor", "get_by_flavor_id", flavor_id="small")
    assert (flavor.name, flavor.extra_specs) == ("m1", {"hw:cpu_policy": "shared"})
    with pytest.raises(FlavorNotFound):
        ask(client, "Flavor", "get_by_flavor_id", flavor_id="large")
    zone = objects.Aggregate(name="zone", metadata={"availability_zone": "az1"})
    client.object_action(admin_context(), zone, "create")
    found = ask(client, "AggregateList", "get_all", version_manifest("AggregateList"))
    assert [(row.name, row.metadata) for row in found] == [("zone", {"availability_zone": "az1"})]
    client.object_action(admin_context(), found[0], "add_host", ("node-1",))
    assert api.aggregates.list_by_host("node-1")[0].hosts == ["node-1"]
