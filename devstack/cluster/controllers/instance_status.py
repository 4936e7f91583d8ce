"""What an instance says about the domain that runs for it."""

from collections import defaultdict
from typing import Final

from devstack.cluster.controllers.launchers import claim_names, overhead_bytes, pod_interface
from devstack.cluster.kinds import CLAIM
from devstack.cluster.objects import Key, Object
from devstack.cluster.store import Store

GUEST_OS: Final = {
    "name": "Debian GNU/Linux",
    "kernelRelease": "6.1.0-standin-amd64",
    "kernelVersion": "#1 SMP PREEMPT_DYNAMIC",
    "prettyName": "Debian GNU/Linux 12 (bookworm)",
    "version": "12 (bookworm)",
    "versionId": "12",
    "machine": "x86_64",
    "id": "debian",
}


def describe(status: Object, spec: Object) -> None:
    """What a domain is made of, from its start on."""
    cpu = spec.get("domain", {}).get("cpu") or {}
    status["currentCPUTopology"] = {part: cpu.get(part) or 1 for part in ("sockets", "cores", "threads")}
    guest = (spec.get("domain", {}).get("memory") or {}).get("guest")
    if guest is not None:
        at_boot = {"guestAtBoot": guest, "guestCurrent": guest, "guestRequested": guest}
        status["memory"] = {**at_boot, "memoryOverhead": str(overhead_bytes(spec))}
    status["machine"] = {"type": "pc-q35-rhel9.6.0"}
    status["migrationMethod"] = "LiveMigration"
    status["migrationTransport"] = "Unix"
    status["runtimeUser"] = 107
    status["selinuxContext"] = "none"
    status["interfaces"] = interfaces_of(spec)


def volumes_of(obj: Object, store: Store) -> list[Object]:
    """The disks, with what claims they are on."""
    disks = {
        each["name"]: each for each in obj["spec"].get("domain", {}).get("devices", {}).get("disks") or ()
    }
    found = []
    letters: dict[str, int] = defaultdict(int)
    for volume in obj["spec"].get("volumes") or ():
        disk = disks.get(volume["name"], {})
        target = disk.get("disk") or disk.get("cdrom") or disk.get("lun") or {}
        prefix = {"virtio": "vd"}.get(
            target.get("bus", "virtio" if disk.get("cdrom") is None else "sata"), "sd"
        )
        entry: Object = {"name": volume["name"], "target": prefix + chr(ord("a") + letters[prefix] % 26)}
        letters[prefix] += 1
        name = next(iter(claim_names({"volumes": [volume]})), None)
        claim = store.find(CLAIM, Key(obj["metadata"]["namespace"], name)) if name else None
        if claim:
            entry["persistentVolumeClaimInfo"] = {
                "accessModes": claim["spec"]["accessModes"],
                "capacity": claim["status"].get("capacity") or {},
                "claimName": name,
                "filesystemOverhead": "0.055",
                "requests": claim["spec"]["resources"]["requests"],
                "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
            }
        found.append(entry)
    return found


def local_claim(obj: Object, store: Store) -> str:
    """A disk that no other node can have; empty when all can be shared."""
    for name in claim_names(obj["spec"]):
        claim = store.find(CLAIM, Key(obj["metadata"]["namespace"], name))
        if claim and "ReadWriteMany" not in claim["spec"]["accessModes"]:
            return name
    return ""


def interfaces_of(spec: Object) -> list[Object]:
    """The NICs."""
    found = []
    for number, each in enumerate(spec.get("domain", {}).get("devices", {}).get("interfaces") or ()):
        if each.get("state") == "absent":
            continue
        entry: Object = {
            "name": each["name"],
            "infoSource": "domain, multus-status",
            "interfaceName": f"eth{number}",
            "podInterfaceName": pod_interface(each["name"]),
            "linkState": each.get("state") or "up",
            "queueCount": 1,
        }
        if each.get("macAddress"):
            entry["mac"] = each["macAddress"]
        found.append(entry)
    return found
