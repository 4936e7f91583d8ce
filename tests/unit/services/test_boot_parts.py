"""Pieces of a boot that ask nobody anything."""

from types import SimpleNamespace

import pytest

from openkeel.clients.glance.types import Image
from openkeel.clients.neutron.types import (
    NetworkFacts,
    NicRequest,
    NicRequests,
    PortResourceGroup,
    PortResources,
)
from openkeel.domain.errors import Invalid, OverQuota, Unsupported
from openkeel.services import boot, boot_disks, boot_hosts, boot_images, boot_networks
from openkeel.services.boot_request import DiskRequest

UUID = "11111111-2222-3333-4444-555555555555"
IMAGE = "99999999-2222-3333-4444-555555555555"


def image(**values):
    defaults = {
        "name": "cirros",
        "status": "active",
        "visibility": "public",
        "owner": None,
        "disk_format": "qcow2",
        "container_format": "bare",
        "size_bytes": 1 << 20,
        "virtual_size_bytes": None,
        "min_disk_gib": 0,
        "min_ram_mib": 0,
        "checksum": None,
        "protected": False,
        "created_at": None,
        "updated_at": None,
    }
    return Image(**{**defaults, "id": IMAGE, **values})


FLAVOR = SimpleNamespace(memory_mb=512, root_gb=2, ephemeral_gb=10, swap=1024)


# Zones


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (None, (None, None, None)),
        ("nova", ("nova", None, None)),
        ("nova:h", ("nova", "h", None)),
        ("nova:h:n", ("nova", "h", "n")),
        ("nova::n", ("nova", None, "n")),
        (":h", (None, "h", None)),
        (":", (None, None, None)),
    ],
)
def test_a_zone_may_carry_host_and_node(text, place):
    found = boot_hosts.parse_zone(text)
    assert (found.zone, found.forced_host, found.forced_node) == place


def test_a_zone_has_three_parts_at_most():
    with pytest.raises(Invalid):
        boot_hosts.parse_zone("a:b:c:d")


# Images


def test_properties_become_typed_under_their_present_names():
    meta = boot_images.image_meta(
        image(
            properties={
                "architecture": "x86_64",
                "hw_cpu_sockets": "2",
                "os_require_quiesce": "yes",
                "trait:HW_CPU_X86_AVX": "required",
                "trait:CUSTOM_X": "forbidden",
                "whatever": "else",
            }
        )
    )
    assert meta.properties.hw_architecture == "x86_64"
    assert meta.properties.hw_cpu_sockets == 2
    assert meta.properties.os_require_quiesce is True
    assert meta.properties.traits_required == ["HW_CPU_X86_AVX"]
    assert meta.id == IMAGE
    assert not meta.obj_attr_is_set("owner")


def test_a_property_with_a_value_its_name_forbids_is_refused():
    with pytest.raises(Invalid, match="hw_cpu_sockets"):
        boot_images.image_meta(image(properties={"hw_cpu_sockets": "many"}))


def test_without_an_image_there_is_an_empty_one():
    assert boot_images.image_meta(None).properties.obj_what_changed() == set()
    assert boot_images.system_metadata(None, FLAVOR) == {}


def test_long_properties_are_cut_to_the_column():
    kept = boot_images.system_metadata(image(properties={"x": "y" * 300, "mappings": "[]"}), FLAVOR)
    assert kept["image_x"] == "y" * 255
    assert "image_mappings" not in kept


def test_what_only_glance_says_is_not_kept_and_the_disk_counts_as_the_least_one():
    """As nova-api 34.0.0 writes it down."""
    glances = {"os_hash_algo": "sha512", "os_hash_value": "f00", "os_hidden": "False"}
    kept = boot_images.system_metadata(image(properties=glances), FLAVOR)
    assert kept == {
        "image_base_image_ref": IMAGE,
        "image_container_format": "bare",
        "image_disk_format": "qcow2",
        "image_min_disk": str(FLAVOR.root_gb),
        "image_min_ram": "0",
    }


def test_clients_see_properties_with_a_known_name_only():
    kept = {
        "image_hw_disk_bus": "virtio",
        "image_architecture": "x86_64",
        "image_mine": "1",
        "image_min_ram": "0",
    }
    assert boot_images.shown_properties(kept) == {"hw_disk_bus": "virtio", "hw_architecture": "x86_64"}


@pytest.mark.parametrize(
    "values",
    [
        {"status": "queued"},
        {"min_ram_mib": 513},
        {"min_disk_gib": 3},
        {"size_bytes": (2 << 30) + 1},
    ],
)
def test_an_image_that_does_not_fit_is_refused(values):
    with pytest.raises(Invalid):
        boot_images.check_fits(image(**values), FLAVOR)


def test_a_flavor_without_a_disk_takes_any_image():
    boot_images.check_fits(image(min_disk_gib=50), SimpleNamespace(memory_mb=512, root_gb=0))


# Disks


def test_asked_for_disks_come_in_place_of_the_flavors():
    asked = [
        DiskRequest("image", "local", IMAGE, 0, tag="root"),
        DiskRequest("blank", "local", size=4),
        DiskRequest("blank", "local", size=6, guest_format="ext4"),
        DiskRequest("blank", "local", size=512, guest_format="swap"),
    ]
    boot_disks.check(asked, IMAGE, FLAVOR)
    made = boot_disks.mappings(asked, IMAGE, FLAVOR, UUID)
    assert [(one.source_type, one.volume_size, one.guest_format, one.tag) for one in made] == [
        ("image", None, None, "root"),
        ("blank", 4, None, None),
        ("blank", 6, "ext4", None),
        ("blank", 512, "swap", None),
    ]
    assert all(one.delete_on_termination and one.destination_type == "local" for one in made)
    assert not any(one.obj_attr_is_set("uuid") for one in made)  # rows are made of them for each server


@pytest.mark.parametrize(
    "disks",
    [
        [DiskRequest(None)],
        [DiskRequest("image", "local", IMAGE, 1)],
        [DiskRequest("image", "local", None, 0)],
        [DiskRequest("image", "local", UUID, 0)],
        [DiskRequest("image", "local", IMAGE, 0), DiskRequest("image", "local", IMAGE, 0)],
        [DiskRequest("blank", "local", boot_index=0, size=1)],
        [DiskRequest("blank", "local", size=6), DiskRequest("blank", "local", size=6)],
        [DiskRequest("blank", "local", size=1025, guest_format="swap")],
        [DiskRequest("blank", guest_format="swap"), DiskRequest("blank", guest_format="swap")],
    ],
)
def test_disks_that_make_no_sense_are_refused(disks):
    with pytest.raises(Invalid):
        boot_disks.check(disks, IMAGE, FLAVOR)


@pytest.mark.parametrize(("most", "fits"), [(-1, True), (4, True), (3, False), (0, False)])
def test_disks_on_the_host_are_counted_with_those_of_the_flavor(most, fits):
    two = [DiskRequest("blank", "local", size=4), DiskRequest("blank", "local", size=6)]
    if fits:
        boot_disks.check(two, IMAGE, FLAVOR, most=most)  # with the boot disk and swap these are four
    else:
        with pytest.raises(Invalid, match="4 disks"):
            boot_disks.check(two, IMAGE, FLAVOR, most=most)


@pytest.mark.parametrize(
    "disk",
    [
        DiskRequest("volume", "volume", UUID, 0),
        DiskRequest("snapshot", uuid=UUID),
        DiskRequest("image", "volume", IMAGE, 0),
        DiskRequest("blank", "volume", size=1),
        DiskRequest("volume", is_legacy=True),
    ],
)
def test_volumes_are_said_to_be_absent(disk):
    with pytest.raises(Unsupported, match="Volumes"):
        boot_disks.check([disk], IMAGE, FLAVOR)


# Networks


@pytest.mark.parametrize("networks", [NicRequests.auto(), NicRequests.none(), NicRequests.any()])
def test_a_choice_of_networks_survives_the_wire(networks):
    assert NicRequests.from_object(boot_networks.requested_networks(networks)) == networks


def test_named_networks_survive_the_wire():
    networks = NicRequests.given(
        [NicRequest(network_id=UUID, fixed_ip="10.0.0.9", tag="t"), NicRequest(port_id=IMAGE)]
    )
    assert NicRequests.from_object(boot_networks.requested_networks(networks)) == networks


@pytest.mark.parametrize("nic", [NicRequest(network_id=UUID, fixed_ip="10.0.0.9"), NicRequest(port_id=UUID)])
def test_what_is_one_of_a_kind_is_for_one_server(nic):
    boot_networks.check_count(NicRequests.given([nic]), 1)
    with pytest.raises(Invalid):
        boot_networks.check_count(NicRequests.given([nic]), 2)


def test_what_ports_want_reaches_the_scheduler():
    groups = (
        PortResourceGroup("g1", {"NET_BW_EGR_KILOBIT_PER_SEC": 1000}, frozenset({"CUSTOM_PHYSNET_A"})),
        PortResourceGroup("g2", {"NET_PACKET_RATE_KILOPACKET_PER_SEC": 5}, frozenset()),
    )
    facts = NetworkFacts(resources=(PortResources(UUID, groups, frozenset({"g2", "g1"})),))
    wanted = boot_networks.wanted_resources(facts, allowed=True)
    assert [group.requester_id for group in wanted.groups] == ["g1", "g2"]
    assert wanted.groups[0].required_traits == {"CUSTOM_PHYSNET_A"}
    assert wanted.same_subtree == (("g1", "g2"),)
    with pytest.raises(Unsupported, match=r"2\.72"):
        boot_networks.wanted_resources(facts, allowed=False)


# Counts and passwords


@pytest.mark.parametrize("fits", range(1, 12))
def test_as_many_servers_as_fit(fits):
    asked = []

    def check(count):
        asked.append(count)
        if count > fits:
            raise OverQuota(overs="instances")

    assert boot._most(1, 10, check) == min(fits, 10)
    assert len(asked) <= 6


def test_too_few_that_fit_are_over_quota():
    def check(count):
        raise OverQuota(overs="instances")

    with pytest.raises(OverQuota):
        boot._most(2, 10, check)


def test_passwords_have_their_length_and_every_kind_of_letter():
    for length in (0, 1, 3, 12, 40):
        assert len(boot.generate_password(length)) == length
    password = boot.generate_password(12)
    assert any(letter.isdigit() for letter in password)
    assert any(letter.isupper() for letter in password)
    assert any(letter.islower() for letter in password)
    assert boot.generate_password(12) != password
