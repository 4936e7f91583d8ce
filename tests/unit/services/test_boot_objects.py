"""What a boot hands to the conductor, where Nova's conductor is particular about it."""

from datetime import UTC, datetime

from openkeel import objects
from openkeel.clients.neutron.types import NetworkFacts, NicRequests
from openkeel.common.context import Context
from openkeel.services import boot_images, boot_networks
from openkeel.services.boot_hosts import Place
from openkeel.services.boot_objects import Plan, make_server
from openkeel.services.boot_request import BootRequest

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def plan(**request):
    flavor = objects.Flavor(
        id=1, flavorid="f", name="tiny", memory_mb=512, vcpus=1, root_gb=1, ephemeral_gb=0, swap=0
    )
    return Plan(
        request=BootRequest(name="one", flavor_id="f", image_id=None, networks=NicRequests.any(), **request),
        count=1,
        flavor=flavor,
        image=None,
        image_meta=boot_images.image_meta(None),
        key=None,
        place=Place(),
        destination=None,
        networks=boot_networks.requested_networks(NicRequests.any()),
        network_facts=NetworkFacts(),
        port_resources=boot_networks.WantedResources(),
        security_groups=objects.SecurityGroupList(objects=[objects.SecurityGroup(name="web")]),
        reservation_id="r-1",
    )


def test_groups_stand_in_the_request_and_not_in_the_server_where_nova_would_look_for_rows_of_them():
    server = make_server(Context(user_id="u", project_id="p"), plan(), 0, NOW)
    assert [group.name for group in server.request_spec.security_groups] == ["web"]
    assert server.build_request.instance.security_groups.objects == []


def test_tags_stand_beside_the_server_only():
    server = make_server(Context(user_id="u", project_id="p"), plan(tags=("a", "b")), 0, NOW)
    assert [tag.tag for tag in server.build_request.tags] == ["a", "b"]
    assert not server.build_request.instance.obj_attr_is_set("tags")
