"""Rules that decide about parts of a request or of an answer."""

import pytest
from oslo_config import cfg

from openkeel.policies import Enforcer
from openkeel.policies import servers as rules
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import NO_UUID, ServerWorld

NOBODY, ANYBODY = "!", "@"


@pytest.fixture
def world_with(cells):
    """A world in which some rules are others."""

    def make(**checks):
        conf = cfg.ConfigOpts()
        conf([], project="openkeel", default_config_files=[], default_config_dirs=[])
        overrides = {getattr(rules, name): check for name, check in checks.items()}
        return ServerWorld(cells, policy=Enforcer(conf, overrides=overrides))

    return make


def create(world, who=None, **fields):
    return (who or world.member)("POST", "/v2.1/servers", world.body(**fields), version="2.104").status_code


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("CREATE", {}),
        ("CREATE_ATTACH_NETWORK", {"networks": [{"uuid": NO_UUID}]}),
        ("CREATE_ATTACH_VOLUME", {"block_device_mapping_v2": [{"uuid": NO_UUID, "source_type": "volume"}]}),
        ("CREATE_TRUSTED_CERTS", {"trusted_image_certificates": ["a"]}),
        ("CREATE_FORCED_HOST", {"availability_zone": "nova:node-1"}),
        ("CREATE_REQUESTED_DESTINATION", {"host": "node-1"}),
    ],
)
def test_a_create_that_asks_for_more_needs_a_rule_more(world_with, rule, fields):
    world = world_with(**{rule: NOBODY})
    assert create(world, who=world.admin, **fields) == 403
    assert rule == "CREATE" or create(world, who=world.admin) == 202


def test_rules_that_are_for_administrators_can_be_given_to_members(world_with):
    world = world_with(
        CREATE_FORCED_HOST=ANYBODY,
        CREATE_REQUESTED_DESTINATION=ANYBODY,
        CREATE_ZERO_DISK_FLAVOR=ANYBODY,
        ATTACH_EXTERNAL_NETWORK=ANYBODY,
    )
    world.add_flavor("zero", root_gb=0)
    external = world.neutron.server.add_network("ext", "admin", external=True, cidr="172.24.0.0/24")
    assert create(world, availability_zone="nova:node-1") == 202
    assert create(world, host="node-1") == 202
    assert create(world, flavorRef="zero") == 202
    assert create(world, networks=[{"uuid": external}]) == 202


def test_internals_are_shown_to_whom_the_rule_allows(world_with):
    world = world_with()
    uuid = world.boot(user_data="aGVsbG8=")
    assert not [
        key for key in world.show(uuid) if key.startswith("OS-EXT-SRV-ATTR") and "hostname" not in key
    ]
    assert "OS-EXT-SRV-ATTR:hypervisor_hostname" not in world.show(uuid)
    shown = world.show(uuid, who=world.admin)
    assert shown["OS-EXT-SRV-ATTR:user_data"] == "aGVsbG8="
    assert shown["OS-EXT-SRV-ATTR:instance_name"] == f"instance-{world.instance(uuid).id:08x}"
    assert shown["OS-EXT-SRV-ATTR:hypervisor_hostname"] == "node-1"
    assert "OS-EXT-SRV-ATTR:hostname" not in world.show(uuid, version="2.89")
    open_world = world_with(EXTENDED_ATTRIBUTES=ANYBODY)
    assert open_world.show(uuid)["OS-EXT-SRV-ATTR:host"] == "node-1"


def test_the_status_of_the_host_may_be_shown_when_it_is_unknown_only(world_with):
    world = world_with(SHOW_HOST_STATUS_UNKNOWN_ONLY=ANYBODY)
    uuid = world.boot()
    assert "host_status" not in world.show(uuid)
    world.host_goes_down()
    assert world.show(uuid)["host_status"] == "UNKNOWN"
    assert world.show(uuid, who=world.admin)["host_status"] == "UNKNOWN"
    assert "host_status" not in world.show(uuid, version="2.15", who=world.admin)
    service = world.cell1.services.find("node-1", "nova-compute")
    service.forced_down = True
    world.cell1.services.save(service)
    assert world.show(uuid, who=world.admin)["host_status"] == "DOWN"
    assert "host_status" not in world.show(uuid)


def test_extra_specs_of_the_flavor_are_hidden_by_their_rule(world_with):
    world = world_with(SHOW_FLAVOR_EXTRA_SPECS=NOBODY)
    flavor = world.show(world.boot())["flavor"]
    assert flavor.keys() == {"vcpus", "ram", "disk", "ephemeral", "swap", "original_name"}


def test_all_filters_and_all_projects_can_be_given_away(world_with):
    world = world_with(
        ALLOW_ALL_FILTERS=ANYBODY, INDEX_GET_ALL_TENANTS=ANYBODY, DETAIL_GET_ALL_TENANTS=NOBODY
    )
    world.boot("mine")
    world.boot("theirs", who=world.other)
    names = [
        one["name"] for one in world.member("GET", "/v2.1/servers?all_tenants=1&host=node-1").json["servers"]
    ]
    assert sorted(names) == ["mine", "theirs"]
    assert world.member("GET", "/v2.1/servers?host=nosuch").json["servers"] == []
    assert world.admin("GET", "/v2.1/servers/detail?all_tenants=1").status_code == 403


@pytest.mark.parametrize(
    ("rule", "method", "path", "body"),
    [
        ("INDEX", "GET", "/servers", None),
        ("DETAIL", "GET", "/servers/detail", None),
        ("SHOW", "GET", "/servers/{uuid}", None),
        ("UPDATE", "PUT", "/servers/{uuid}", {"server": {"name": "x"}}),
        ("DELETE", "DELETE", "/servers/{uuid}", None),
        ("START", "POST", "/servers/{uuid}/action", {"os-start": None}),
        ("STOP", "POST", "/servers/{uuid}/action", {"os-stop": None}),
        ("REBOOT", "POST", "/servers/{uuid}/action", {"reboot": {"type": "SOFT"}}),
    ],
)
def test_every_operation_has_its_rule(world_with, rule, method, path, body):
    uuid = world_with().boot()
    world = world_with(**{rule: NOBODY})
    answer = world.admin(method, "/v2.1" + path.format(uuid=uuid), body, version="2.104")
    assert answer.status_code == 403
    assert world.instance(uuid).project_id == PROJECT
