"""What is global: builds, mappings, flavors, keypairs, aggregates, groups, quotas."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.common.context import Context, admin_context
from openkeel.db.cells import ApiStores
from openkeel.domain.errors import (
    AggregateHostExists,
    AggregateHostNotFound,
    AggregateNameExists,
    AlreadyExists,
    BuildRequestNotFound,
    FlavorAccessExists,
    FlavorExists,
    FlavorIdExists,
    FlavorNotFound,
    InstanceGroupNotFound,
    KeyPairExists,
    KeypairNotFound,
    NotFound,
)
from tests.fixtures.db import new_flavor, new_instance

IMAGE = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def api(api_database):
    return ApiStores(api_database)


def new_build(**values):
    instance = new_instance(**values)
    spec = objects.RequestSpec(
        instance_uuid=instance.uuid,
        flavor=new_flavor(),
        image=objects.ImageMeta(id=IMAGE, properties=objects.ImageMetaProps()),
        num_instances=1,
        project_id="project",
        user_id="user",
        availability_zone="az",
        is_bfv=False,
        ignore_hosts=["node-9"],
        retry=objects.SchedulerRetries(num_attempts=1, hosts=objects.ComputeNodeList(objects=[])),
        requested_networks=objects.NetworkRequestList(objects=[]),
        instance_group=objects.InstanceGroup(members=["a"], hosts=["b"], policy="affinity"),
    )
    request = objects.BuildRequest(
        instance=instance,
        instance_uuid=instance.uuid,
        project_id="project",
        block_device_mappings=objects.BlockDeviceMappingList(
            objects=[objects.BlockDeviceMapping(source_type="image", image_id=IMAGE)]
        ),
        tags=objects.TagList(objects=[objects.Tag(tag="red")]),
    )
    mapping = objects.InstanceMapping(
        instance_uuid=instance.uuid, project_id="project", user_id="user", queued_for_delete=False
    )
    return spec, request, mapping


def test_fifty_builds_are_recorded_in_one_transaction(api, api_database):
    commits = []
    sa.event.listen(api_database.engine, "commit", commits.append)
    builds = [new_build() for _ in range(50)]
    api.create_builds(builds)
    assert len(commits) == 1
    assert len({request.id for _, request, _ in builds}) == 50
    assert all(spec.id and mapping.id and request.created_at for spec, request, mapping in builds)


def test_a_build_is_read_as_it_was_recorded(api):
    spec, request, _ = new_build()
    api.create_build(spec, request, _)
    found = api.build_requests.get(request.instance_uuid)
    assert found.instance.flavor.name == "m1.tiny"
    assert found.instance.metadata == {"role": "web"}
    assert found.block_device_mappings[0].image_id == IMAGE
    assert [tag.tag for tag in found.tags] == ["red"]
    assert found.instance.created_at == found.created_at
    assert found.obj_what_changed() == set()


def test_a_request_spec_keeps_nothing_of_one_request(api):
    spec, request, mapping = new_build()
    api.create_build(spec, request, mapping)
    kept = api.request_specs.get(spec.instance_uuid)
    assert (kept.image.id, kept.availability_zone) == (IMAGE, "az")
    assert kept.ignore_hosts is None
    assert kept.retry is None
    assert kept.instance_group.members is None
    assert not kept.obj_attr_is_set("requested_networks")
    assert spec.ignore_hosts == ["node-9"], "the caller's object stays as it was"
    kept.availability_zone = None
    api.request_specs.save(kept)
    assert api.request_specs.get(spec.instance_uuid).availability_zone is None


def test_a_build_recorded_twice_leaves_nothing_of_the_second(api):
    build = new_build()
    api.create_builds([build])
    again = new_build()
    with pytest.raises(AlreadyExists):
        api.create_builds([again, build])
    assert api.build_requests.find(again[1].instance_uuid) is None
    assert api.request_specs.find(again[1].instance_uuid) is None


def test_builds_can_be_taken_back(api):
    build = new_build()
    api.create_builds([build])
    uuid = build[1].instance_uuid
    api.destroy_builds([uuid])
    api.destroy_builds([uuid])
    assert api.instance_mappings.find(uuid) is None


def test_one_of_two_removes_a_build_request(api):
    build = new_build()
    api.create_builds([build])
    api.build_requests.delete(build[1].instance_uuid)
    with pytest.raises(BuildRequestNotFound):
        api.build_requests.delete(build[1].instance_uuid)
    with pytest.raises(BuildRequestNotFound):
        api.build_requests.save(build[1])


def test_builds_that_stall_are_found(api):
    build = new_build()
    api.create_builds([build])
    soon = datetime.now(UTC) + timedelta(seconds=5)
    assert api.build_requests.uuids_older_than(soon) == [build[1].instance_uuid]
    assert api.build_requests.uuids_older_than(soon - timedelta(hours=1)) == []


def test_a_server_is_mapped_to_a_cell_once(cells):
    build = new_build()
    api, uuid = cells.api, build[1].instance_uuid
    api.create_builds([build])
    cell0, cell1 = cells.cells()
    assert api.instance_mappings.map_to_cell(uuid, cell1.mapping.uuid)
    assert not api.instance_mappings.map_to_cell(uuid, cell0.mapping.uuid)
    assert not api.instance_mappings.map_to_cell(uuid, cell1.mapping.uuid)
    assert api.instance_mappings.find(uuid).cell_mapping.uuid == cell1.mapping.uuid
    assert api.instance_mappings.count("project", "user") == {
        "project": {"instances": 1},
        "user": {"instances": 1},
    }
    api.instance_mappings.set_queued_for_delete(uuid)
    assert api.instance_mappings.count("project") == {"project": {"instances": 0}}


def member(project="p1"):
    return Context(user_id="user", project_id=project, roles=["member"])


def test_a_private_flavor_is_seen_by_whom_it_was_granted_to(api):
    flavor = new_flavor(flavorid="x", name="x", is_public=False, extra_specs={"a": "1"}, projects=["p1"])
    del flavor.id
    api.flavors.create(flavor)
    assert api.flavors.get(member("p1"), "x").extra_specs == {"a": "1"}
    assert api.flavors.get(admin_context(), "x").projects == ["p1"]
    with pytest.raises(FlavorNotFound):
        api.flavors.get(member("p2"), "x")
    api.flavors.add_access(flavor, "p2")
    with pytest.raises(FlavorAccessExists):
        api.flavors.add_access(flavor, "p2")
    assert api.flavors.get(member("p2"), "x").flavorid == "x"


def test_flavor_ids_and_names_are_unique(api):
    api.flavors.create(new_flavor())
    with pytest.raises(FlavorIdExists):
        api.flavors.create(new_flavor(name="other"))
    with pytest.raises(FlavorExists):
        api.flavors.create(new_flavor(id=2, flavorid="2"))


def test_flavors_are_filtered_and_paged(api):
    for number, memory in enumerate((512, 1024, 2048), start=1):
        api.flavors.create(new_flavor(id=number, flavorid=str(number), name=f"f{number}", memory_mb=memory))
    large = api.flavors.list(member(), filters={"min_memory_mb": 1000, "is_public": True})
    assert [flavor.name for flavor in large] == ["f2", "f3"]
    page = api.flavors.list(member(), sort_key="memory_mb", sort_dir="desc", limit=1, marker="3")
    assert [flavor.name for flavor in page] == ["f2"]
    with pytest.raises(FlavorNotFound):
        api.flavors.list(member(), marker="9")


def test_extra_specs_change_one_by_one(api):
    flavor = new_flavor(extra_specs={"a": "1", "b": "2"})
    api.flavors.create(flavor)
    flavor.extra_specs = {"a": "3", "c": "4"}
    api.flavors.save(flavor)
    assert api.flavors.get(member(), "1").extra_specs == {"a": "3", "c": "4"}
    api.flavors.destroy(flavor)
    with pytest.raises(FlavorNotFound):
        api.flavors.get(member(), "1")


def test_a_keypair_name_is_unique_per_user(api):
    def key(user="u", name="k"):
        return objects.KeyPair(user_id=user, name=name, public_key="ssh-rsa A", fingerprint="f", type="ssh")

    api.keypairs.create(key())
    api.keypairs.create(key(user="v"))
    api.keypairs.create(key(name="l"))
    with pytest.raises(KeyPairExists):
        api.keypairs.create(key())
    assert [one.name for one in api.keypairs.list("u")] == ["k", "l"]
    assert [one.name for one in api.keypairs.list("u", marker="k")] == ["l"]
    assert api.keypairs.count("u") == 2
    api.keypairs.delete("u", "k")
    with pytest.raises(KeypairNotFound):
        api.keypairs.get("u", "k")


def test_aggregates_give_hosts_their_zone(api):
    aggregate = objects.Aggregate(name="rack", metadata={"availability_zone": "az1"})
    api.aggregates.create(aggregate)
    api.aggregates.add_host(aggregate, "node-1")
    with pytest.raises(AggregateHostExists):
        api.aggregates.add_host(aggregate, "node-1")
    with pytest.raises(AggregateNameExists):
        api.aggregates.create(objects.Aggregate(name="rack"))
    assert api.aggregates.availability_zones() == {"az1"}
    assert api.aggregates.zones_of_hosts(["node-1", "node-2"]) == {"node-1": "az1"}
    api.aggregates.update_metadata(aggregate, {"availability_zone": "az2", "ssd": "true"})
    api.aggregates.update_metadata(aggregate, {"ssd": None})
    (found,) = api.aggregates.list_by_host("node-1", "availability_zone")
    assert (found.metadata, found.hosts) == ({"availability_zone": "az2"}, ["node-1"])
    api.aggregates.delete_host(aggregate, "node-1")
    with pytest.raises(AggregateHostNotFound):
        api.aggregates.delete_host(aggregate, "node-1")
    api.aggregates.destroy(aggregate)
    assert len(api.aggregates.list()) == 0


def test_a_server_group_knows_its_members_and_rules(api):
    group = objects.InstanceGroup(
        name="g", project_id="p", user_id="u", policy="anti-affinity", _rules={"max_server_per_host": "2"}
    )
    api.instance_groups.create(group)
    assert api.instance_groups.add_members(group.uuid, [IMAGE, IMAGE]) == [IMAGE]
    found = api.instance_groups.get_by_instance(IMAGE)
    assert (found.uuid, found.policy, found.members) == (group.uuid, "anti-affinity", [IMAGE])
    assert found._rules == {"max_server_per_host": "2"}
    api.instance_groups.remove_members(group.uuid, [IMAGE])
    assert api.instance_groups.find_by_instance(IMAGE) is None
    api.instance_groups.destroy(group)
    with pytest.raises(InstanceGroupNotFound):
        api.instance_groups.get(group.uuid)


def test_limits_are_set_per_project_user_and_class(api):
    api.quotas.set_project("p", {"cores": 10, "ram": 20})
    api.quotas.set_project("p", {"cores": 11})
    api.quotas.set_user("p", "u", {"cores": 5})
    api.quotas.set_class("default", {"cores": 7})
    assert api.quotas.of_project("p") == {"cores": 11, "ram": 20}
    assert api.quotas.of_user("p", "u") == {"cores": 5}
    assert api.quotas.of_users("p") == {"u": {"cores": 5}}
    assert api.quotas.of_class() == {"cores": 7}
    with pytest.raises(AlreadyExists):
        api.quotas.create_limit("p", "cores", 3)
    with pytest.raises(NotFound):
        api.quotas.update_limit("p", "instances", 3)
    api.quotas.delete("p")
    assert api.quotas.of_project("p") == {}
    assert api.quotas.of_user("p", "u") == {}
