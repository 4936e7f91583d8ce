"""Guest specs become the objects that docs/kubevirt.md describes."""

import base64
import dataclasses
import json

import pytest

from openkeel.virt.driver import DiskSpec, GuestRejected, GuestSpec, ImageSpec, NicSpec
from openkeel.virt.kubevirt import manifest, names
from openkeel.virt.kubevirt.settings import Settings

UUID = "6f70656e-6b65-456c-8000-000000000001"
PORT = "6f70656e-6b65-456c-8000-0000000000aa"
PROJECT = "0123456789abcdef0123456789abcdef"
SETTINGS = Settings(node_name="node-1", tolerations=("dedicated=vm", "gpu"))
IMAGE = ImageSpec("img", "qcow2", "bare", 1024, 1)
NIC = NicSpec(PORT, "fa:16:3e:00:00:01", "net", "br-int", "ovs", mtu=1442)
SPEC = GuestSpec(
    instance_uuid=UUID,
    name="instance-00000001",
    display_name="a <b> & c",
    project_id=PROJECT,
    user_id="u",
    vcpus=2,
    memory_mib=512,
    disks=(
        DiskSpec("root", 0, 1024, image=IMAGE, boot_index=0),
        DiskSpec("ephemeral", 0, 2048),
        DiskSpec("swap", 0, 64),
    ),
    nics=(NIC,),
    hostname="Web-1.example.org",
)


def rendered(spec=SPEC):
    return manifest.virtual_machine(spec, SETTINGS, "label-of-node-1", f"ok-{PROJECT}")


def domain(spec=SPEC):
    return rendered(spec)["spec"]["template"]["spec"]["domain"]


def test_only_openkeel_decides_when_the_guest_runs():
    assert rendered()["spec"]["runStrategy"] == "Manual"


def test_the_guest_is_pinned_to_the_node_by_the_nodes_own_label():
    template = rendered()["spec"]["template"]["spec"]
    assert template["nodeSelector"] == {"kubernetes.io/hostname": "label-of-node-1"}
    assert template["tolerations"] == [
        {"key": "dedicated", "operator": "Equal", "value": "vm"},
        {"key": "gpu", "operator": "Exists"},
    ]


def test_the_host_label_is_on_the_vm_only():
    vm = rendered()
    assert vm["metadata"]["labels"][names.HOST] == "node-1"
    assert names.HOST not in vm["spec"]["template"]["metadata"]["labels"]


def test_names_are_made_of_uuids_and_user_text_stays_in_annotations():
    vm = rendered()
    assert vm["metadata"]["name"] == f"i-{UUID}"
    assert vm["metadata"]["annotations"][names.DISPLAY_NAME] == "a <b> & c"
    assert "a <b>" not in json.dumps(vm["spec"])


def test_size_and_identity_of_the_guest():
    found = domain()
    assert found["cpu"]["sockets"] == 2
    assert found["memory"]["guest"] == "512Mi"
    assert found["firmware"]["uuid"] == UUID
    assert found["chassis"]["asset"] == "OpenStack Nova"


def test_disks_in_order_and_only_the_root_boots():
    found = domain()["devices"]["disks"]
    assert [(disk["name"], disk.get("bootOrder")) for disk in found] == [
        ("root", 1),
        ("eph0", None),
        ("swap", None),
    ]
    volumes = rendered()["spec"]["template"]["spec"]["volumes"]
    assert [volume["dataVolume"]["name"] for volume in volumes] == [
        f"i-{UUID}-root",
        f"i-{UUID}-eph0",
        f"i-{UUID}-swap",
    ]


def test_networks_are_neutrons_ports_and_nothing_else():
    template = rendered()["spec"]["template"]["spec"]
    assert template["domain"]["devices"]["autoattachPodInterface"] is False
    assert template["networks"] == [{"name": f"p-{PORT}", "multus": {"networkName": f"okp-{PORT}"}}]
    assert template["domain"]["devices"]["interfaces"][0]["macAddress"] == NIC.mac_address
    none = rendered(dataclasses.replace(SPEC, nics=()))["spec"]["template"]["spec"]
    assert none["networks"] == []
    assert none["domain"]["devices"]["interfaces"] == []


def test_the_attachment_tells_ovs_cni_the_port():
    config = json.loads(manifest.attachment(SPEC, NIC, "ns")["spec"]["config"])
    assert config["args"] == {"cni": {"ovnPort": PORT, "mac": NIC.mac_address}}
    assert (config["type"], config["bridge"], config["mtu"]) == ("ovs", "br-int", 1442)


@pytest.mark.parametrize("change", [{"vif_type": "binding_failed"}, {"vnic_type": "direct"}])
def test_a_port_that_is_not_plain_ovs_is_refused(change):
    with pytest.raises(GuestRejected):
        manifest.attachment(SPEC, dataclasses.replace(NIC, **change), "ns")


@pytest.mark.parametrize(
    "change",
    [
        {"disks": (DiskSpec("root", 0, 1, bus="ide", image=IMAGE),)},
        {"nics": (dataclasses.replace(NIC, model="vmxnet3"),)},
        {"firmware": "coreboot"},
    ],
)
def test_hardware_kubevirt_does_not_have_is_refused(change):
    with pytest.raises(GuestRejected):
        rendered(dataclasses.replace(SPEC, **change))


def test_uefi_says_explicitly_that_secure_boot_is_off():
    assert domain(dataclasses.replace(SPEC, firmware="uefi"))["firmware"]["bootloader"] == {
        "efi": {"secureBoot": False, "persistent": True}
    }


def test_hostname_is_cut_to_a_dns_label():
    assert rendered()["spec"]["template"]["spec"]["hostname"] == "web-1"
    assert "hostname" not in rendered(dataclasses.replace(SPEC, hostname="_bad_"))["spec"]["template"]["spec"]


def test_a_config_drive_carries_the_user_data_in_a_secret():
    user_data = base64.b64encode(b"#!/bin/sh\n\xff").decode()
    spec = dataclasses.replace(SPEC, config_drive=True, user_data=user_data)
    volumes = rendered(spec)["spec"]["template"]["spec"]["volumes"]
    assert volumes[-1] == {
        "name": "cfg",
        "cloudInitConfigDrive": {"secretRef": {"name": f"i-{UUID}-cfg"}},
    }
    secret = manifest.config_drive_secret(spec, "ns")
    assert base64.b64decode(secret["data"]["userdata"]) == b"#!/bin/sh\n\xff"
    assert user_data not in json.dumps(rendered(spec))


def test_the_spec_hash_changes_with_the_hardware_and_not_with_the_display_name():
    hash_of = lambda spec: rendered(spec)["metadata"]["annotations"][names.SPEC_HASH]  # noqa: E731
    assert hash_of(SPEC) == hash_of(dataclasses.replace(SPEC, display_name="other"))
    assert hash_of(SPEC) != hash_of(dataclasses.replace(SPEC, vcpus=3))


@pytest.mark.parametrize("project", ["", "a/b", "../x", "A_b", "x" * 61])
def test_a_project_id_that_cannot_name_a_namespace_is_refused(project):
    with pytest.raises(ValueError, match="cannot name a namespace"):
        names.namespace("ok-", project)
