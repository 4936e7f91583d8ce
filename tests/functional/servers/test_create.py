"""POST /servers: what is recorded, what is answered, what is refused."""

import pytest

from openkeel.clients import errors as client_errors
from openkeel.domain.errors import Unavailable
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import DOWN, IMAGE, NO_UUID


def create(world, who=None, version="2.104", raw=None, **server):
    body = raw if raw is not None else world.body(**server)
    return (who or world.member)("POST", "/v2.1/servers", body, version=version)


def test_a_new_server_is_answered_with_its_links_and_password(world):
    answer = create(world, name="web")
    assert answer.status_code == 202
    server = answer.json["server"]
    assert server["OS-DCF:diskConfig"] == "MANUAL"
    assert server["security_groups"] == [{"name": "default"}]
    assert len(server["adminPass"]) == 12
    assert [link["rel"] for link in server["links"]] == ["self", "bookmark"]
    assert answer.headers["Location"] == server["links"][0]["href"]
    assert answer.headers["Location"].endswith(f"/v2.1/servers/{server['id']}")


def test_a_server_that_is_being_scheduled_can_be_seen(world):
    world.conductor.waits = True
    uuid = world.boot("web", metadata={"a": "b"}, tags=["y", "x"], description="d")
    server = world.show(uuid)
    assert server["status"] == "BUILD"
    assert server["OS-EXT-STS:task_state"] == "scheduling"
    assert server["OS-EXT-STS:vm_state"] == "building"
    assert server["hostId"] == ""
    assert server["metadata"] == {"a": "b"}
    assert server["tags"] == ["x", "y"]
    assert server["description"] == "d"
    assert "security_groups" not in server  # they are those of its ports, as at Nova
    assert server["flavor"]["original_name"] == "m1.tiny"


def test_a_built_server_shows_its_place_and_addresses(world):
    uuid = world.boot("web", networks=[{"uuid": world.network}])
    server = world.show(uuid, who=world.admin)
    assert server["status"] == "ACTIVE"
    assert server["OS-EXT-SRV-ATTR:host"] == "node-1"
    assert server["OS-EXT-AZ:availability_zone"] == "nova"
    assert server["host_status"] == "UP"
    (addresses,) = server["addresses"].values()
    assert addresses[0]["OS-EXT-IPS:type"] == "fixed"
    assert list(server["addresses"]) == ["net-a"]


def test_several_servers_are_numbered_and_share_a_reservation(world):
    answer = create(world, name="web", min_count=2, max_count=3, return_reservation_id=True)
    reservation = answer.json["reservation_id"]
    assert reservation.startswith("r-")
    listed = world.admin("GET", f"/v2.1/servers/detail?reservation_id={reservation}", version="2.104")
    servers = sorted(listed.json["servers"], key=lambda one: one["name"])
    assert [one["name"] for one in servers] == ["web-1", "web-2", "web-3"]
    assert [one["OS-EXT-SRV-ATTR:launch_index"] for one in servers] == [0, 1, 2]


def test_a_quota_allows_as_many_as_fit_between_min_and_max(world):
    world.limit(instances=4)
    create(world, name="web", min_count=2, max_count=10)
    listed = world.member("GET", "/v2.1/servers", version="2.104").json["servers"]
    assert len(listed) == 4


def test_a_quota_below_the_minimum_refuses_everything(world):
    world.limit(cores=1)
    answer = create(world, min_count=2, max_count=4)
    assert answer.status_code == 403
    assert world.member("GET", "/v2.1/servers", version="2.104").json["servers"] == []


def test_nothing_is_left_when_the_conductor_cannot_be_reached(world):
    world.conductor.broker = DOWN
    answer = create(world, min_count=2)
    assert answer.status_code == 503
    assert world.member("GET", "/v2.1/servers", version="2.104").json["servers"] == []
    assert world.leftovers() == {}


@pytest.mark.parametrize(
    ("service", "method", "error"),
    [
        ("glance", "get", Unavailable(service="Glance")),
        ("neutron", "GET ports", client_errors.Unavailable(service="Neutron", detail="no answer")),
    ],
)
def test_an_outside_service_that_is_down_is_said_so(world, service, method, error):
    faults = world.glance.faults if service == "glance" else world.neutron.server.faults
    port = world.neutron.server.add_port(world.network, PROJECT)
    faults.fail(method, error)
    answer = create(world, networks=[{"port": port}])
    assert answer.status_code == 503, answer.text
    assert service.title() in answer.json["serviceUnavailable"]["message"]
    assert world.leftovers() == {}


def test_a_request_spec_and_a_mapping_are_kept(world):
    uuid = world.boot("web", availability_zone="nova")
    spec = world.cells.api.request_specs.get(uuid)
    assert spec.availability_zone == "nova"
    assert spec.flavor.flavorid == "1"
    assert spec.image.id == IMAGE
    assert world.show(uuid)["pinned_availability_zone"] == "nova"
    mapping = world.cells.api.instance_mappings.get(uuid)
    assert mapping.project_id == PROJECT
    assert mapping.cell_mapping.uuid == world.cell1.mapping.uuid


def test_the_image_is_written_down_with_the_server(world):
    world.add_image(IMAGE, properties={"hw_disk_bus": "virtio", "os_distro": "debian"}, min_disk_gib=1)
    uuid = world.boot("web")
    assert world.instance(uuid).system_metadata["image_hw_disk_bus"] == "virtio"
    assert world.instance(uuid).system_metadata["image_base_image_ref"] == IMAGE
    assert world.show(uuid)["image"]["properties"] == {"hw_disk_bus": "virtio", "os_distro": "debian"}


def test_disks_are_made_of_image_and_flavor(world):
    world.add_flavor("2", ephemeral_gb=5, swap=512)
    uuid = world.boot("web", flavorRef="2")
    disks = world.cell1.bdms.list(uuid)
    assert [(one.source_type, one.boot_index, one.volume_size, one.guest_format) for one in disks] == [
        ("image", 0, None, None),
        ("blank", -1, 5, None),
        ("blank", -1, 512, "swap"),
    ]


def test_a_keypair_travels_with_the_server(world):
    from openkeel import objects

    world.cells.api.keypairs.create(
        objects.KeyPair(user_id="user", name="mine", type="ssh", fingerprint="f", public_key="ssh-rsa AAAA")
    )
    uuid = world.boot("web", key_name="mine")
    assert world.show(uuid)["key_name"] == "mine"
    assert world.instance(uuid).key_data == "ssh-rsa AAAA"
    assert world.instance(uuid).keypairs[0].name == "mine"


def test_a_server_without_a_valid_host_shows_why(world):
    world.no_valid_host = True
    uuid = world.boot("web")
    server = world.show(uuid)
    assert server["status"] == "ERROR"
    assert server["fault"]["message"] == "No valid host was found."
    assert "details" not in server["fault"]
    assert world.show(uuid, who=world.admin)["fault"]["details"] == "trace"


# Names and hostnames


@pytest.mark.parametrize(
    ("name", "hostname"),
    [("My Server_1.x", "my-server-1-x"), ("a.b.c", "a-b-c"), ("-x-", "x"), ("é" * 3, "eee")],
)
def test_the_hostname_is_made_of_the_name(world, name, hostname):
    assert world.show(world.boot(name))["OS-EXT-SRV-ATTR:hostname"] == hostname


def test_a_name_without_letters_gives_the_uuid_as_hostname(world):
    uuid = world.boot("!!!")
    assert world.show(uuid)["OS-EXT-SRV-ATTR:hostname"] == f"Server-{uuid}"


def test_a_hostname_of_ones_own_is_kept(world):
    assert world.show(world.boot("n", hostname="my.host.example"))["OS-EXT-SRV-ATTR:hostname"] == (
        "my.host.example"
    )


# Networks


def test_no_networks_at_all_means_no_port(world):
    world.boot("n", networks="none")
    assert world.neutron.server.ports() == []


def test_the_only_network_is_taken_when_nothing_is_said(world):
    uuid = world.boot("n", networks=..., version="2.1")
    assert list(world.show(uuid)["addresses"]) == ["net-a"]


@pytest.mark.parametrize("networks", [..., []])
def test_several_networks_and_no_choice_are_ambiguous(world, networks):
    world.neutron.server.add_network("net-b", PROJECT, cidr="10.1.0.0/24")
    assert create(world, networks=networks, version="2.1").status_code == 409


def test_auto_with_several_networks_is_ambiguous(world):
    world.neutron.server.add_network("net-b", PROJECT, cidr="10.1.0.0/24")
    assert create(world, networks="auto").status_code == 409


def test_a_port_of_the_user_is_used(world):
    port = world.neutron.server.add_port(world.network, PROJECT)
    uuid = world.boot("n", networks=[{"port": port}])
    assert world.neutron.find_port(None, port).device_id == uuid


def test_a_port_in_use_is_a_conflict(world):
    port = world.neutron.server.add_port(world.network, PROJECT, device_id=NO_UUID)
    assert create(world, networks=[{"port": port}]).status_code == 409


def test_a_fixed_address_is_asked_for(world):
    uuid = world.boot("n", networks=[{"uuid": world.network, "fixed_ip": "10.0.0.77"}])
    assert world.show(uuid)["addresses"]["net-a"][0]["addr"] == "10.0.0.77"


def test_the_quota_of_ports_counts(world):
    world.neutron.server.port_limits[PROJECT] = 2
    assert create(world, networks=[{"uuid": world.network}], min_count=3).status_code == 403
    assert create(world, networks=[{"uuid": world.network}], min_count=1, max_count=5).status_code == 202
    assert len(world.member("GET", "/v2.1/servers").json["servers"]) == 2


def test_external_networks_are_for_administrators(world):
    external = world.neutron.server.add_network("ext", "admin", external=True, cidr="172.24.0.0/24")
    body = {"networks": [{"uuid": external}]}
    assert create(world, **body).status_code == 403
    assert create(world, who=world.admin, **body).status_code == 202


def test_security_groups_are_looked_up_by_name_and_shown_as_given(world):
    group = world.neutron.server.add_security_group("web", PROJECT)
    answer = create(world, networks=[{"uuid": world.network}], security_groups=[{"name": "web"}])
    assert answer.json["server"]["security_groups"] == [{"name": "web"}]
    uuid = answer.json["server"]["id"]
    assert world.neutron.list_ports(None, uuid)[0].security_groups == (group,)
    assert world.show(uuid)["security_groups"] == [{"name": "web"}]


def test_servers_are_shown_without_their_groups_while_neutron_is_down(world):
    uuid = world.boot("n", networks=[{"uuid": world.network}])
    world.neutron.server.faults.fail(
        "GET ports", client_errors.Unavailable(service="Neutron", detail="no answer")
    )
    assert "security_groups" not in world.show(uuid)


# Places


def test_an_administrator_forces_a_host(world):
    answer = create(world, who=world.admin, availability_zone="nova:node-1:node-1")
    spec = world.cells.api.request_specs.get(answer.json["server"]["id"])
    assert (spec.force_hosts, spec.force_nodes, spec.availability_zone) == (["node-1"], ["node-1"], "nova")


def test_an_administrator_names_a_host_that_the_scheduler_verifies(world):
    world.conductor.waits = True
    assert create(world, who=world.admin, host="node-1").status_code == 202
    destination = world.conductor.orders[0][1]["request_specs"][0].requested_destination
    assert (destination.host, destination.node) == ("node-1", "node-1")


@pytest.mark.parametrize(
    ("fields", "member", "admin"),
    [
        ({"availability_zone": "nova"}, 202, 202),
        ({"availability_zone": "internal"}, 202, 202),
        ({"availability_zone": "nosuch"}, 400, 400),
        ({"availability_zone": ":"}, 202, 202),
        ({"availability_zone": "nova:node-1"}, 403, 202),
        ({"availability_zone": "nova:nosuch"}, 403, 202),
        ({"availability_zone": "nova::node-1"}, 403, 202),
        ({"availability_zone": "nova:a:b:c"}, 400, 400),
        ({"host": "node-1"}, 403, 202),
        ({"host": "nosuch"}, 403, 400),
        ({"hypervisor_hostname": "node-1"}, 403, 202),
        ({"hypervisor_hostname": "nosuch"}, 403, 400),
        ({"host": "node-1", "availability_zone": "nova:node-1"}, 403, 400),
        ({"host": "node-1", "availability_zone": "nova"}, 403, 202),
    ],
)
def test_where_a_server_may_be_put(world, fields, member, admin):
    assert create(world, **fields).status_code == member
    assert create(world, who=world.admin, **fields).status_code == admin


# Versions


def test_files_are_injected_until_2_57(world):
    world.conductor.waits = True
    files = [{"path": "/etc/x", "contents": "aGVsbG8="}]
    assert create(world, personality=files, version="2.56").status_code == 202
    assert world.conductor.orders[0][1]["injected_files"] == [("/etc/x", "aGVsbG8=")]
    assert create(world, personality=files, version="2.57").status_code == 400


def test_before_there_were_descriptions_the_name_is_one(world):
    assert world.show(world.boot("web", networks=..., version="2.18"))["description"] == "web"
    assert world.show(world.boot("web", networks=..., version="2.19"))["description"] is None


def test_on_legacy_v2_unknown_fields_are_dropped_and_names_stripped(world):
    body = world.body(name=" web ", networks=[{"uuid": world.network}], nosuch=1)
    answer = world.member("POST", "/v2/servers", body)
    assert answer.status_code == 202, answer.text
    assert world.show(answer.json["server"]["id"])["name"] == "web"


# Refusals

BIG = "x" * 256


WRONG = [
    {"name": ...},
    {"name": ""},
    {"name": "  "},
    {"name": " x"},
    {"name": "a\nb"},
    {"name": "\U0001f600"},
    {"name": BIG},
    {"name": 12},
    {"name": None},
    {"flavorRef": ...},
    {"flavorRef": "nosuch"},
    {"flavorRef": 987123},
    {"flavorRef": None},
    {"imageRef": ...},
    {"imageRef": ""},
    {"imageRef": None},
    {"imageRef": "nosuch"},
    {"imageRef": NO_UUID},
    {"imageRef": f"http://localhost/images/{IMAGE}"},
    {"metadata": None},
    {"metadata": {"a": 1}},
    {"metadata": {"a": {"b": "c"}}},
    {"metadata": {"k" * 256: "v"}},
    {"metadata": {"k": BIG}},
    {"metadata": {"a/b": "v"}},
    {"metadata": {"": "v"}},
    {"metadata": {"\U0001f600": "v"}},
    {"adminPass": 5},
    {"accessIPv4": "192.0.2.300"},
    {"accessIPv6": "192.0.2.1"},
    {"key_name": "nosuch"},
    {"key_name": ""},
    {"OS-DCF:diskConfig": "auto"},
    {"config_drive": ""},
    {"config_drive": "maybe"},
    {"config_drive": None},
    {"description": BIG},
    {"zzz": 1},
    {"tenant_id": "x"},
    {"status": "ACTIVE"},
    {"min_count": 0},
    {"min_count": -1},
    {"min_count": "abc"},
    {"min_count": None},
    {"min_count": 1.5},
    {"max_count": 0},
    {"min_count": 2, "max_count": 1},
    {"min_count": 2, "hostname": "my-host"},
    {"return_reservation_id": "junk"},
    {"security_groups": [{"name": "nosuch"}]},
    {"security_groups": [{"name": ""}]},
    {"security_groups": [{}]},
    {"security_groups": ["default"]},
    {"user_data": "not base64!"},
    {"user_data": "aGVsbG8"},
    {"user_data": None},
    {"user_data": "QUFB" * 16384},
    {"hostname": ""},
    {"hostname": None},
    {"hostname": 5},
    {"metadata": {"k": "\U0001f600"}},
    {"tags": ["\U0001f600"]},
    {"user_data": "\U0001f600"},
    *(
        {
            "block_device_mapping_v2": [
                {"source_type": "image", "uuid": IMAGE, "boot_index": 0, field: "\U0001f600"}
            ]
        }
        for field in ("disk_bus", "guest_format", "tag")
    ),
    {"tags": ["a,b"]},
    {"tags": ["a/b"]},
    {"tags": [""]},
    {"tags": ["t" * 61]},
    {"tags": [f"t{number}" for number in range(51)]},
    {"tags": None},
    {"tags": [1]},
    {"trusted_image_certificates": []},
    {"trusted_image_certificates": [5]},
    {"trusted_image_certificates": ["a", "a"]},
    {"networks": ...},
    {"networks": "nosuch"},
    {"networks": None},
    {"networks": [{}]},
    {"networks": [{"uuid": "nosuch"}]},
    {"networks": [{"uuid": NO_UUID}]},
    {"networks": [{"port": NO_UUID}]},
    {"networks": [{"port": NO_UUID, "fixed_ip": "10.0.0.9"}]},
    {"networks": [{"uuid": NO_UUID, "zzz": 1}]},
    {"networks": [{"uuid": NO_UUID, "fixed_ip": "nosuch"}]},
    {"availability_zone": ""},
    {"availability_zone": None},
    {"block_device_mapping": [{"volume_id": NO_UUID}]},
    {"block_device_mapping_v2": [{"uuid": NO_UUID, "source_type": "volume", "boot_index": 0}]},
    {"block_device_mapping_v2": [{"uuid": NO_UUID, "boot_index": 0}]},
    {"block_device_mapping_v2": [{"source_type": "blank", "destination_type": "local", "volume_size": 9}]},
    {"block_device_mapping_v2": [{"source_type": "image", "uuid": NO_UUID, "boot_index": 0}]},
    {
        "block_device_mapping_v2": [
            {"source_type": "image", "uuid": IMAGE, "boot_index": 0, "device_type": "nosuch"}
        ]
    },
]


def test_a_wrong_request_is_400_and_leaves_nothing(world):
    wrong = []
    for fields in WRONG:
        answer = create(world, **{"name": "n", **fields})
        if answer.status_code != 400 or list(answer.json) != ["badRequest"]:
            wrong.append((fields, answer.status_code, answer.text))
    assert wrong == []
    assert world.leftovers() == {}
    assert world.member("GET", "/v2.1/servers").json["servers"] == []


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "null",
        "[]",
        "5",
        '"x"',
        '{"server": null}',
        '{"server": []}',
        '{"zzz": 1}',
        '{"server": {"name": "a\\ud800"}}',
        '{"server": {"name": NaN}}',
    ],
)
def test_a_body_that_is_no_request_is_400(world, raw):
    answer = create(world, raw=raw or " ")
    assert answer.status_code == 400, answer.text


def test_hints_may_name_anything_but_must_have_their_form(world):
    world.conductor.waits = True
    for hints, status in (
        ({"foo": "bar"}, 202),
        ({"same_host": "abc"}, 202),
        ({"different_host": [NO_UUID]}, 202),
        ({"query": [">=", "$free_ram_mb", 1]}, 400),
        ({"build_near_host_ip": "300.1.1.1"}, 400),
        ({"cidr": "abc"}, 400),
        ({"group": NO_UUID}, 400),
        ({"group": []}, 400),
    ):
        body = world.body() | {"os:scheduler_hints": hints}
        assert create(world, raw=body).status_code == status, hints
    spec = world.conductor.orders[0][1]["request_specs"][0]
    assert spec.scheduler_hints == {"foo": ["bar"]}


def test_images_must_fit_their_flavor(world):
    world.add_flavor("small", memory_mb=64, root_gb=1)
    for wrong in (
        {"min_ram_mib": 128},
        {"min_disk_gib": 2},
        {"size_bytes": 2 << 30},
        {"status": "queued"},
        {"properties": {"hw_disk_bus": "nosuch"}},
    ):
        world.add_image(IMAGE, **wrong)
        assert create(world, flavorRef="small").status_code == 400, wrong


def test_a_flavor_without_a_disk_is_for_administrators(world):
    world.add_flavor("zero", root_gb=0)
    assert create(world, flavorRef="zero").status_code == 403
    assert create(world, who=world.admin, flavorRef="zero").status_code == 202


def test_a_disabled_flavor_is_not_there(world):
    world.add_flavor("off", disabled=True)
    assert create(world, flavorRef="off").status_code == 400


def test_a_flavor_may_be_named_by_its_url(world):
    assert create(world, flavorRef="http://localhost/flavors/1").status_code == 202


def test_too_much_metadata_is_over_quota(world):
    items = {f"k{number}": "v" for number in range(129)}
    assert create(world, metadata=items).status_code == 403
    items.pop("k128")
    assert create(world, metadata=items).status_code == 202


def test_readers_and_strangers_may_not_create(world):
    assert create(world, who=world.reader).status_code == 403
    assert world.member.client.simulate_post("/v2.1/servers").status_code == 401


def test_a_group_is_shown_once_for_each_port_in_it(world):
    """Golden: recording servers-create-two-networks."""
    other = world.neutron.server.add_network("net-b", PROJECT, cidr="10.1.0.0/24")
    world.neutron.server.add_security_group("web", PROJECT)
    networks = [{"uuid": world.network}, {"uuid": other}]
    uuid = world.boot("n", networks=networks, security_groups=[{"name": "web"}])
    assert world.show(uuid)["security_groups"] == [{"name": "web"}, {"name": "web"}]
