"""KubeVirt's webhooks for virtual machines and their instances, beyond what the schemas say."""

import base64
import re
from collections import Counter
from typing import Final

from devstack.cluster.admission.review import Review
from devstack.cluster.objects import Object, is_label, quantity

MACHINE_WEBHOOK: Final = "virtual-machine-validator.kubevirt.io"
GUEST_CREATE_WEBHOOK: Final = "virtual-machine-instances-create-validator.kubevirt.io"
GUEST_UPDATE_WEBHOOK: Final = "virtual-machine-instances-update-validator.kubevirt.io"
RUN_STRATEGIES: Final = ("Halted", "Manual", "Always", "RerunOnFailure", "Once", "WaitAsReceiver")
DISK_BUSES: Final = frozenset({"virtio", "sata", "scsi", "usb"})
CDROM_BUSES: Final = frozenset({"sata", "scsi", "usb"})
NIC_MODELS: Final = frozenset({"virtio", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139"})
BINDINGS: Final = ("bridge", "masquerade", "sriov", "binding", "passtBinding", "passt", "slirp", "macvtap")
CLOUD_INIT: Final = ("cloudInitNoCloud", "cloudInitConfigDrive")
MAX_ITEMS: Final = 256
MAX_INLINE_BYTES: Final = 2048
MAX_DISK_SERIAL: Final = 256
ROOT: Final = "spec.template.spec"
_INTERFACE_NAME: Final = re.compile(r"[A-Za-z0-9-_]+")
_MAC: Final = re.compile(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")


def default_machine(review: Review) -> None:
    """Complete the template as KubeVirt's mutator does."""
    if review.subresource:
        return
    template = review.obj.get("spec", {}).get("template")
    if isinstance(template, dict) and isinstance(template.get("spec"), dict):
        _default_template(template["spec"])


def default_guest(review: Review) -> None:
    """Complete an instance as its mutator does."""
    if not review.is_create:
        return
    spec = review.obj.setdefault("spec", {})
    _default_template(spec)
    spec.setdefault("terminationGracePeriodSeconds", 30)
    review.obj.setdefault("status", {})


def _default_template(spec: Object) -> None:
    spec.setdefault("architecture", "amd64")
    domain = spec.setdefault("domain", {})
    if not (domain.setdefault("machine", {}) or {}).get("type"):
        domain["machine"] = {"type": "q35"}


def validate_machine(review: Review) -> None:
    """Judge a run strategy and a template."""
    if review.subresource:
        return
    spec = review.obj["spec"]
    strategy, running = spec.get("runStrategy"), spec.get("running")
    if strategy is not None and running is not None:
        message = "Running and RunStrategy are mutually exclusive, and Running is deprecated"
        review.require(False, "spec.running", message)
    elif strategy is None and running is None:
        review.require(False, "spec.running", "One of Running or RunStrategy must be specified")
    elif strategy is not None:
        review.require(strategy in RUN_STRATEGIES, "spec.runStrategy", f"Invalid RunStrategy ({strategy})")
    template = spec["template"].get("spec")
    if template is None:
        review.require(False, ROOT, "missing virtual machine instance template spec", "FieldValueRequired")
    else:
        _validate_guest_spec(review, template, ROOT)
    review.refuse_denied(MACHINE_WEBHOOK)


def validate_guest(review: Review) -> None:
    """Judge a new instance; nobody but KubeVirt changes an old one."""
    if review.is_create:
        _validate_guest_spec(review, review.obj["spec"], "spec")
        review.refuse_denied(GUEST_CREATE_WEBHOOK)
        return
    changed = review.old is not None and review.old["spec"] != review.obj["spec"]
    message = "update of VMI object is restricted"
    review.require(not changed, "spec", message, "FieldValueNotSupported")
    review.refuse_denied(GUEST_UPDATE_WEBHOOK)


def _validate_guest_spec(review: Review, spec: Object, path: str) -> None:
    domain = spec.get("domain", {})
    devices = domain.get("devices", {})
    volumes = spec.get("volumes") or []
    networks = spec.get("networks") or []
    for what, items in (
        ("volumes", volumes),
        ("networks", networks),
        ("accessCredentials", spec.get("accessCredentials") or []),
    ):
        message = f"{path}.{what} list exceeds the {MAX_ITEMS} element limit in length"
        review.require(len(items) <= MAX_ITEMS, f"{path}.{what}", message)
    if spec.get("hostname"):
        message = f"{path}.hostname does not conform to the kubernetes DNS_LABEL rules : {spec['hostname']}"
        review.require(is_label(spec["hostname"]), f"{path}.hostname", message)
    _validate_volumes(review, volumes, f"{path}.volumes")
    _validate_disks(review, devices.get("disks") or [], volumes, f"{path}.domain.devices.disks")
    _validate_networks(review, devices.get("interfaces") or [], networks, path)
    _validate_boot_order(review, devices, f"{path}.domain.devices")
    _validate_cpu_and_memory(review, domain, f"{path}.domain")
    _validate_firmware(review, domain, f"{path}.domain")
    if devices.get("autoattachGraphicsDevice") is False and devices.get("video"):
        message = "Video device type is not allowed when autoattachGraphicsDevice is set to false"
        review.require(False, f"{path}.domain.devices.video", message)


def _unique(review: Review, items: list[Object], path: str) -> None:
    for name, count in Counter(item["name"] for item in items).items():
        message = f"{path} must not contain duplicate names: {name}"
        review.require(count == 1, path, message, "FieldValueDuplicate")


def _validate_volumes(review: Review, volumes: list[Object], path: str) -> None:
    _unique(review, volumes, path)
    for index, volume in enumerate(volumes):
        where = f"{path}[{index}]"
        sources = [name for name, value in volume.items() if name != "name" and value is not None]
        review.require(len(sources) == 1, where, f"{where} must have exactly one source type set")
        review.require(
            is_label(volume["name"]), f"{where}.name", f"{where}.name is no DNS label: {volume['name']}"
        )
        for kind in CLOUD_INIT:
            if volume.get(kind) is not None:
                _validate_cloud_init(review, volume[kind], f"{where}.{kind}")


def _validate_cloud_init(review: Review, source: Object, path: str) -> None:
    for what in ("userData", "networkData"):
        size = len(source.get(what) or "")
        if source.get(f"{what}Base64"):
            size = len(base64.b64decode(source[f"{what}Base64"] + "==", validate=False))
        message = f"{path}.{what} exceeds {MAX_INLINE_BYTES} byte limit, use a secret for larger data"
        review.require(size <= MAX_INLINE_BYTES, f"{path}.{what}", message)
    given = [name for name, value in source.items() if value and name != "metaData"]
    review.require(
        bool(given), path, f"{path} must have at least one userdatasource or one networkdatasource set."
    )


def _validate_disks(review: Review, disks: list[Object], volumes: list[Object], path: str) -> None:
    _unique(review, disks, path)
    known = {volume["name"] for volume in volumes}
    for index, disk in enumerate(disks):
        where = f"{path}[{index}]"
        review.require(disk["name"] in known, f"{where}.name", f"{where}.Name '{disk['name']}' not found.")
        kinds = [name for name in ("disk", "lun", "cdrom") if disk.get(name) is not None]
        review.require(len(kinds) <= 1, where, f"{where} can only have a single target type defined")
        allowed = CDROM_BUSES if kinds == ["cdrom"] else DISK_BUSES
        bus = (disk.get(kinds[0]) or {}).get("bus") if len(kinds) == 1 else None
        if bus:
            message = f"{where} has an unsupported bus {bus}, must be one of: {sorted(allowed)}"
            review.require(bus in allowed, f"{where}.{kinds[0]}.bus", message)
        review.require(
            disk.get("cache") in {None, "", "none", "writethrough", "writeback"},
            f"{where}.cache",
            f"{where}.cache has invalid value",
        )
        review.require(
            disk.get("io") in {None, "", "native", "threads"}, f"{where}.io", f"{where}.io has invalid value"
        )
        review.require(
            len(disk.get("serial") or "") <= MAX_DISK_SERIAL, f"{where}.serial", f"{where}.serial is too long"
        )


def _validate_networks(review: Review, interfaces: list[Object], networks: list[Object], path: str) -> None:
    where = f"{path}.domain.devices.interfaces"
    _unique(review, interfaces, where)
    _unique(review, networks, f"{path}.networks")
    names = {network["name"] for network in networks}
    used = {interface["name"] for interface in interfaces}
    for network in networks:
        kinds = [name for name in ("pod", "multus", "resourceClaim") if network.get(name) is not None]
        review.require(len(kinds) == 1, f"{path}.networks", "should have only one network type")
        if network["name"] not in used:
            review.require(
                False,
                f"{path}.networks",
                f"{path}.networks[{network['name']}] has no interface",
                "FieldValueRequired",
            )
    macs: set[str] = set()
    for index, interface in enumerate(interfaces):
        place = f"{where}[{index}]"
        name = interface["name"]
        review.require(name in names, f"{place}.name", f"{place}.name '{name}' not found.")
        review.require(
            _INTERFACE_NAME.fullmatch(name) is not None,
            f"{place}.name",
            "Network interface name can only contain letters, numbers, dashes (-) or underscores (_)",
        )
        given = [binding for binding in BINDINGS if interface.get(binding) is not None]
        review.require(len(given) <= 1, place, f"{place} may have only one binding")
        model = interface.get("model")
        message = f"interface {place}.name uses model {model} that is not supported."
        review.require(not model or model in NIC_MODELS, f"{place}.model", message, "FieldValueNotSupported")
        mac = interface.get("macAddress")
        review.require(
            not mac or _MAC.fullmatch(mac) is not None,
            f"{place}.macAddress",
            f"interface {place}.name has malformed MAC address ({mac}).",
        )
        review.require(
            not mac or mac.lower() not in macs, f"{place}.macAddress", f"{place}.macAddress is used twice"
        )
        macs.add((mac or "").lower())
        state = interface.get("state")
        review.require(
            state in {None, "", "up", "down", "absent"},
            f"{place}.state",
            f"logical {name} interface state value is unsupported: {state}",
        )


def _validate_boot_order(review: Review, devices: Object, path: str) -> None:
    seen: set[int] = set()
    for what in ("disks", "interfaces"):
        for index, device in enumerate(devices.get(what) or []):
            order = device.get("bootOrder")
            if order is None:
                continue
            where = f"{path}.{what}[{index}].bootOrder"
            review.require(order >= 1, where, f"{where} must have a boot order > 0, if supplied")
            review.require(
                order not in seen, where, f"Boot order for {where} already set for a different device."
            )
            seen.add(order)


def _validate_cpu_and_memory(review: Review, domain: Object, path: str) -> None:
    memory = domain.get("memory") or {}
    resources = domain.get("resources") or {}
    guest = memory.get("guest")
    if guest is not None:
        review.require(
            quantity(guest) > 0,
            f"{path}.memory.guest",
            f"{path}.memory.guest '{guest}': must be greater than 0",
        )
    limit = (resources.get("limits") or {}).get("memory")
    if guest is not None and limit is not None:
        message = f"{path}.memory.guest '{guest}' must be equal to or less than the memory limit {limit}"
        review.require(quantity(guest) <= quantity(limit), f"{path}.memory.guest", message)
    requested = (resources.get("requests") or {}).get("memory")
    has_memory = any(value is not None for value in (guest, limit, requested, memory.get("hugepages")))
    review.require(
        has_memory,
        f"{path}.memory",
        "no memory requested: set memory.guest, memory.hugepages or resources.requests.memory",
    )
    page = (memory.get("hugepages") or {}).get("pageSize")
    if page and guest is not None and quantity(page) > 0:
        message = f"{path}.memory.guest '{guest}' is not a multiple of the page size {page}"
        review.require(quantity(guest) % quantity(page) == 0, f"{path}.memory.guest", message)
    cpu = domain.get("cpu") or {}
    for name in ("sockets", "cores", "threads", "maxSockets"):
        review.require(cpu.get(name, 1) >= 0, f"{path}.cpu.{name}", f"{path}.cpu.{name} must not be negative")
    if cpu.get("realtime") is not None:
        review.require(
            bool(cpu.get("dedicatedCpuPlacement")),
            f"{path}.cpu.realtime",
            f"{path}.cpu.dedicatedCpuPlacement must be set to true when {path}.cpu.realtime is used",
        )
    if cpu.get("isolateEmulatorThread"):
        review.require(
            bool(cpu.get("dedicatedCpuPlacement")),
            f"{path}.cpu.isolateEmulatorThread",
            "IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement",
        )


def _validate_firmware(review: Review, domain: Object, path: str) -> None:
    bootloader = (domain.get("firmware") or {}).get("bootloader") or {}
    where = f"{path}.firmware.bootloader"
    review.require(
        not (bootloader.get("bios") is not None and bootloader.get("efi") is not None),
        where,
        f"{where} has both EFI and BIOS configured, but they are mutually exclusive.",
    )
    efi = bootloader.get("efi")
    if efi is None:
        return
    smm = (domain.get("features") or {}).get("smm") or {}
    needs_smm = efi.get("secureBoot", True)  # EFI means secure boot unless it is said otherwise
    has_smm = "smm" in (domain.get("features") or {}) and smm.get("enabled", True)
    message = f"{where}.efi.secureBoot requires SMM to be enabled"
    review.require(not needs_smm or bool(has_smm), f"{where}.efi.secureBoot", message)
