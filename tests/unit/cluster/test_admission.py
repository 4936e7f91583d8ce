"""The webhooks of KubeVirt and CDI refuse what would never run."""

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import CLAIM, DATA_VOLUME, MACHINE, NETWORK, VOLUME
from tests.unit.cluster.world import data_volume, machine, network, networked


def template(obj):
    return obj["spec"]["template"]["spec"]


def devices(obj):
    return template(obj)["domain"]["devices"]


def with_disk(**disk):
    obj = machine()
    template(obj)["volumes"] = [{"name": "root", "emptyDisk": {"capacity": "1Gi"}}]
    devices(obj)["disks"] = [{"name": "root", **disk}]
    return obj


def changed(obj, change):
    change(obj)
    return obj


WRONG_MACHINES = {
    "no strategy": changed(machine(), lambda vm: vm["spec"].pop("runStrategy")),
    "two strategies": changed(machine(), lambda vm: vm["spec"].update(running=True)),
    "unknown strategy": changed(machine(), lambda vm: vm["spec"].update(runStrategy="Sometimes")),
    "no template spec": changed(machine(), lambda vm: vm["spec"]["template"].pop("spec")),
    "disk without volume": changed(machine(), lambda vm: devices(vm).update(disks=[{"name": "none"}])),
    "volume without source": changed(machine(), lambda vm: template(vm).update(volumes=[{"name": "a"}])),
    "volume with two sources": changed(
        machine(),
        lambda vm: template(vm).update(
            volumes=[{"name": "a", "emptyDisk": {"capacity": "1"}, "dataVolume": {"name": "b"}}]
        ),
    ),
    "ide disk": with_disk(disk={"bus": "ide"}),
    "virtio cdrom": with_disk(cdrom={"bus": "virtio"}),
    "disk and cdrom": with_disk(disk={}, cdrom={}),
    "boot order zero": with_disk(bootOrder=0),
    "unknown cache": with_disk(cache="unsafe"),
    "interface without network": changed(networked(), lambda vm: template(vm).pop("networks")),
    "network without interface": changed(networked(), lambda vm: devices(vm).pop("interfaces")),
    "bad mac": changed(networked(), lambda vm: devices(vm)["interfaces"][0].update(macAddress="fa:16")),
    "bad model": changed(networked(), lambda vm: devices(vm)["interfaces"][0].update(model="vmxnet3")),
    "two bindings": changed(networked(), lambda vm: devices(vm)["interfaces"][0].update(masquerade={})),
    "bad hostname": changed(machine(), lambda vm: template(vm).update(hostname="Not.A-Label")),
    "no memory": changed(machine(), lambda vm: template(vm)["domain"].pop("memory")),
    "pages do not fit": changed(
        machine(), lambda vm: template(vm)["domain"]["memory"].update(hugepages={"pageSize": "1Gi"})
    ),
    "secure boot without smm": changed(
        machine(), lambda vm: template(vm)["domain"].update(firmware={"bootloader": {"efi": {}}})
    ),
    "bios and efi": changed(
        machine(),
        lambda vm: template(vm)["domain"].update(
            firmware={"bootloader": {"bios": {}, "efi": {"secureBoot": False}}}
        ),
    ),
    "video without graphics": changed(
        machine(), lambda vm: devices(vm).update(autoattachGraphicsDevice=False, video={"type": "virtio"})
    ),
    "realtime without dedicated cpus": changed(
        machine(), lambda vm: template(vm)["domain"]["cpu"].update(realtime={})
    ),
    "long inline user data": changed(
        machine(),
        lambda vm: template(vm).update(
            volumes=[{"name": "ci", "cloudInitConfigDrive": {"userData": "x" * 2049}}]
        ),
    ),
}


@pytest.mark.parametrize("wrong", WRONG_MACHINES.values(), ids=WRONG_MACHINES.keys())
def test_a_machine_that_could_not_run_is_refused_with_its_field(world, wrong):
    with pytest.raises(ApiError) as refusal:
        world.make(MACHINE, wrong)
    assert refusal.value.code == 422
    assert refusal.value.message.startswith(
        'admission webhook "virtual-machine-validator.kubevirt.io" denied'
    )
    assert all(cause["field"].startswith("spec") for cause in refusal.value.details["causes"])


@pytest.mark.parametrize(
    "right",
    [
        with_disk(disk={"bus": "virtio"}, bootOrder=1),
        with_disk(cdrom={"bus": "sata"}),
        networked(),
        changed(
            machine(),
            lambda vm: template(vm)["domain"].update(firmware={"bootloader": {"efi": {"secureBoot": False}}}),
        ),
        changed(
            machine(),
            lambda vm: template(vm)["domain"].update(
                firmware={"bootloader": {"efi": {}}}, features={"smm": {"enabled": True}}
            ),
        ),
        changed(machine(), lambda vm: vm["spec"].update(runStrategy="Halted")),
    ],
)
def test_a_proper_machine_passes_and_is_completed(world, right):
    made = world.make(MACHINE, right)
    spec = made["spec"]["template"]["spec"]
    assert (spec["architecture"], spec["domain"]["machine"]["type"]) == ("amd64", "q35")


WRONG_VOLUMES = {
    "no source": data_volume("a", {}),
    "two sources": data_volume("a", {"blank": {}, "http": {"url": "http://x/y"}}),
    "no url": data_volume("a", {"http": {"url": "ftp//x"}}),
    "bad checksum": data_volume("a", {"http": {"url": "http://x/y", "checksum": "sha256:zz"}}),
    "no size": {"metadata": {"name": "a"}, "spec": {"source": {"blank": {}}, "storage": {}}},
    "zero size": data_volume("a", {"blank": {}}, size="0"),
    "no target": {"metadata": {"name": "a"}, "spec": {"source": {"blank": {}}}},
}


@pytest.mark.parametrize("wrong", WRONG_VOLUMES.values(), ids=WRONG_VOLUMES.keys())
def test_a_data_volume_that_could_not_be_filled_is_refused(world, wrong):
    with pytest.raises(ApiError, match=r"datavolume-validate\.cdi\.kubevirt\.io") as refusal:
        world.make(DATA_VOLUME, wrong)
    assert refusal.value.code == 422


def test_the_spec_of_a_data_volume_never_changes(world):
    world.make(DATA_VOLUME, data_volume("a", {"blank": {}}))
    with pytest.raises(ApiError, match="Cannot update DataVolume Spec"):
        world.change(
            DATA_VOLUME,
            "a",
            lambda obj: obj["spec"]["storage"]["resources"]["requests"].update(storage="2Gi"),
        )


def claim(**spec):
    return {
        "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec},
    }


def test_a_data_volume_does_not_take_over_a_foreign_claim(world):
    world.make(CLAIM, claim())
    with pytest.raises(ApiError, match="already exists"):
        world.make(DATA_VOLUME, data_volume("c", {"blank": {}}))


@pytest.mark.parametrize("wrong", [claim(accessModes=[]), claim(accessModes=["Any"]), claim(resources={})])
def test_a_claim_says_mode_and_size(world, wrong):
    with pytest.raises(ApiError) as refusal:
        world.make(CLAIM, wrong)
    assert refusal.value.code == 422


def test_a_claim_grows_and_never_shrinks(world):
    world.make(CLAIM, claim())
    world.change(CLAIM, "c", lambda obj: obj["spec"]["resources"]["requests"].update(storage="3Gi"))
    assert world.get(CLAIM, "c")["status"]["capacity"] == {"storage": "3Gi"}
    for change in ({"storage": "1Gi"},):
        with pytest.raises(ApiError, match="can not be less"):
            world.change(
                CLAIM, "c", lambda obj, size=change: obj["spec"]["resources"]["requests"].update(size)
            )
    with pytest.raises(ApiError, match="immutable"):
        world.change(CLAIM, "c", lambda obj: obj["spec"].update(storageClassName="local"))


def test_a_volume_has_exactly_one_source(world):
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"]}
    with pytest.raises(ApiError, match="exactly one volume type"):
        world.make(VOLUME, {"metadata": {"name": "v"}, "spec": spec})


def test_the_configuration_of_a_network_is_json(world):
    wrong = network()
    wrong["spec"]["config"] = "{not json"
    with pytest.raises(ApiError, match="not in JSON format"):
        world.make(NETWORK, wrong)
