"""Closed sets of values in fields of the objects (contract: objects.json, enums)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Architecture(StrEnum):
    ALPHA = "alpha"
    ARMV6 = "armv6"
    ARMV7L = "armv7l"
    ARMV7B = "armv7b"
    AARCH64 = "aarch64"
    CRIS = "cris"
    I686 = "i686"
    IA64 = "ia64"
    LM32 = "lm32"
    M68K = "m68k"
    MICROBLAZE = "microblaze"
    MICROBLAZEEL = "microblazeel"
    MIPS = "mips"
    MIPSEL = "mipsel"
    MIPS64 = "mips64"
    MIPS64EL = "mips64el"
    OPENRISC = "openrisc"
    PARISC = "parisc"
    PARISC64 = "parisc64"
    PPC = "ppc"
    PPCLE = "ppcle"
    PPC64 = "ppc64"
    PPC64LE = "ppc64le"
    PPCEMB = "ppcemb"
    S390 = "s390"
    S390X = "s390x"
    SH4 = "sh4"
    SH4EB = "sh4eb"
    SPARC = "sparc"
    SPARC64 = "sparc64"
    UNICORE32 = "unicore32"
    X86_64 = "x86_64"
    XTENSA = "xtensa"
    XTENSAEB = "xtensaeb"


class BlockDeviceDestinationType(StrEnum):
    LOCAL = "local"
    VOLUME = "volume"


class BlockDeviceEncryptionFormatType(StrEnum):
    PLAIN = "plain"
    LUKS = "luks"
    LUKSV2 = "luksv2"


class BlockDeviceSourceType(StrEnum):
    BLANK = "blank"
    IMAGE = "image"
    SNAPSHOT = "snapshot"
    VOLUME = "volume"


class BlockDeviceType(StrEnum):
    CDROM = "cdrom"
    DISK = "disk"
    FLOPPY = "floppy"
    FS = "fs"
    LUN = "lun"


class CPUAllocationPolicy(StrEnum):
    DEDICATED = "dedicated"
    SHARED = "shared"
    MIXED = "mixed"


class CPUEmulatorThreadsPolicy(StrEnum):
    SHARE = "share"
    ISOLATE = "isolate"


class CPUFeaturePolicy(StrEnum):
    FORCE = "force"
    REQUIRE = "require"
    OPTIONAL = "optional"
    DISABLE = "disable"
    FORBID = "forbid"


class CPUMatch(StrEnum):
    MINIMUM = "minimum"
    EXACT = "exact"
    STRICT = "strict"


class CPUMode(StrEnum):
    CUSTOM = "custom"
    HOST_MODEL = "host-model"
    HOST_PASSTHROUGH = "host-passthrough"


class CPUThreadAllocationPolicy(StrEnum):
    PREFER = "prefer"
    ISOLATE = "isolate"
    REQUIRE = "require"


class ConfigDrivePolicy(StrEnum):
    OPTIONAL = "optional"
    MANDATORY = "mandatory"


class DiskBus(StrEnum):
    FDC = "fdc"
    IDE = "ide"
    SATA = "sata"
    SCSI = "scsi"
    USB = "usb"
    VIRTIO = "virtio"
    XEN = "xen"
    LXC = "lxc"
    UML = "uml"


class DiskConfig(StrEnum):
    MANUAL = "MANUAL"
    AUTO = "AUTO"


class DiskFormat(StrEnum):
    RBD = "rbd"
    LVM = "lvm"
    QCOW2 = "qcow2"
    RAW = "raw"
    PLOOP = "ploop"
    VHD = "vhd"
    VMDK = "vmdk"
    VDI = "vdi"
    ISO = "iso"


class ExternalEventName(StrEnum):
    NETWORK_CHANGED = "network-changed"
    NETWORK_VIF_PLUGGED = "network-vif-plugged"
    NETWORK_VIF_UNPLUGGED = "network-vif-unplugged"
    NETWORK_VIF_DELETED = "network-vif-deleted"
    VOLUME_EXTENDED = "volume-extended"
    POWER_UPDATE = "power-update"
    ACCELERATOR_REQUEST_BOUND = "accelerator-request-bound"
    VOLUME_REIMAGED = "volume-reimaged"


class ExternalEventStatus(StrEnum):
    FAILED = "failed"
    COMPLETED = "completed"
    IN_PROGRESS = "in-progress"


class FirmwareType(StrEnum):
    UEFI = "uefi"
    BIOS = "bios"


class HVType(StrEnum):
    BAREMETAL = "baremetal"
    BHYVE = "bhyve"
    DOCKER = "docker"
    FAKE = "fake"
    HYPERV = "hyperv"
    IRONIC = "ironic"
    KQEMU = "kqemu"
    KVM = "kvm"
    LXC = "lxc"
    LXD = "lxd"
    OPENVZ = "openvz"
    PARALLELS = "parallels"
    PHYP = "phyp"
    QEMU = "qemu"
    TEST = "test"
    UML = "uml"
    VBOX = "vbox"
    VZ = "vz"
    VMWARE = "vmware"
    XEN = "xen"
    ZVM = "zvm"
    PRSM = "prsm"


class HostStatus(StrEnum):
    UP = "UP"
    DOWN = "DOWN"
    MAINTENANCE = "MAINTENANCE"
    UNKNOWN = "UNKNOWN"
    NONE_ = ""


class HypervisorDriver(StrEnum):
    LIBVIRT = "libvirt"
    XENAPI = "xenapi"
    VMWAREAPI = "vmwareapi"
    IRONIC = "ironic"
    HYPERV = "hyperv"


class ImageSignatureHashType(StrEnum):
    SHA_224 = "SHA-224"
    SHA_256 = "SHA-256"
    SHA_384 = "SHA-384"
    SHA_512 = "SHA-512"


class ImageSignatureKeyType(StrEnum):
    DSA = "DSA"
    ECC_SECP384R1 = "ECC_SECP384R1"
    ECC_SECP521R1 = "ECC_SECP521R1"
    ECC_SECT409K1 = "ECC_SECT409K1"
    ECC_SECT409R1 = "ECC_SECT409R1"
    ECC_SECT571K1 = "ECC_SECT571K1"
    ECC_SECT571R1 = "ECC_SECT571R1"
    RSA_PSS = "RSA-PSS"


class InputBus(StrEnum):
    USB = "usb"
    VIRTIO = "virtio"


class MaxPhyAddrMode(StrEnum):
    PASSTHROUGH = "passthrough"
    EMULATE = "emulate"


class MemEncryptionModel(StrEnum):
    AMD_SEV = "amd-sev"
    AMD_SEV_ES = "amd-sev-es"
    AMD_SEV_SNP = "amd-sev-snp"
    INTEL_TDX = "intel-tdx"


class MigrationType(StrEnum):
    MIGRATION = "migration"
    RESIZE = "resize"
    LIVE_MIGRATION = "live-migration"
    EVACUATION = "evacuation"


class MonitorMetricType(StrEnum):
    CPU_FREQUENCY = "cpu.frequency"
    CPU_USER_TIME = "cpu.user.time"
    CPU_KERNEL_TIME = "cpu.kernel.time"
    CPU_IDLE_TIME = "cpu.idle.time"
    CPU_IOWAIT_TIME = "cpu.iowait.time"
    CPU_USER_PERCENT = "cpu.user.percent"
    CPU_KERNEL_PERCENT = "cpu.kernel.percent"
    CPU_IDLE_PERCENT = "cpu.idle.percent"
    CPU_IOWAIT_PERCENT = "cpu.iowait.percent"
    CPU_PERCENT = "cpu.percent"
    NUMA_MEMBW_MAX = "numa.membw.max"
    NUMA_MEMBW_CURRENT = "numa.membw.current"


class OSType(StrEnum):
    LINUX = "linux"
    WINDOWS = "windows"


class PCINUMAAffinityPolicy(StrEnum):
    REQUIRED = "required"
    LEGACY = "legacy"
    PREFERRED = "preferred"
    SOCKET = "socket"


class PciDeviceStatus(StrEnum):
    AVAILABLE = "available"
    CLAIMED = "claimed"
    ALLOCATED = "allocated"
    REMOVED = "removed"
    DELETED = "deleted"
    UNAVAILABLE = "unavailable"
    UNCLAIMABLE = "unclaimable"


class PciDeviceType(StrEnum):
    TYPE_PCI = "type-PCI"
    TYPE_PF = "type-PF"
    TYPE_VF = "type-VF"
    VDPA = "vdpa"


class PointerModelType(StrEnum):
    USBTABLET = "usbtablet"


class RNGModel(StrEnum):
    VIRTIO = "virtio"


class SCSIModel(StrEnum):
    BUSLOGIC = "buslogic"
    IBMVSCSI = "ibmvscsi"
    LSILOGIC = "lsilogic"
    LSISAS1068 = "lsisas1068"
    LSISAS1078 = "lsisas1078"
    VIRTIO_SCSI = "virtio-scsi"
    VMPVSCSI = "vmpvscsi"


class SecureBoot(StrEnum):
    REQUIRED = "required"
    DISABLED = "disabled"
    OPTIONAL = "optional"


class ShareMappingProto(StrEnum):
    NFS = "NFS"
    CEPHFS = "CEPHFS"


class ShareMappingStatus(StrEnum):
    ATTACHING = "attaching"
    DETACHING = "detaching"
    ACTIVE = "active"
    INACTIVE = "inactive"
    ERROR = "error"


class SoundModelType(StrEnum):
    SB16 = "sb16"
    ES1370 = "es1370"
    PCSPK = "pcspk"
    AC97 = "ac97"
    ICH6 = "ich6"
    ICH9 = "ich9"
    USB = "usb"
    VIRTIO = "virtio"


class TPMModel(StrEnum):
    TPM_TIS = "tpm-tis"
    TPM_CRB = "tpm-crb"


class TPMVersion(StrEnum):
    V1_2 = "1.2"
    V2_0 = "2.0"


class USBControllerModelType(StrEnum):
    NONE = "none"
    NEC_XHCI = "nec-xhci"
    QEMU_XHCI = "qemu-xhci"


class VIFModel(StrEnum):
    VIRTIO = "virtio"
    NE2K_PCI = "ne2k_pci"
    PCNET = "pcnet"
    RTL8139 = "rtl8139"
    E1000 = "e1000"
    E1000E = "e1000e"
    NETFRONT = "netfront"
    SPAPR_VLAN = "spapr-vlan"
    LAN9118 = "lan9118"
    SRIOV = "sriov"
    VMXNET = "vmxnet"
    VMXNET3 = "vmxnet3"
    IGB = "igb"


class VIOMMUModel(StrEnum):
    INTEL = "intel"
    SMMUV3 = "smmuv3"
    VIRTIO = "virtio"
    AUTO = "auto"


class VMMode(StrEnum):
    HVM = "hvm"
    XEN = "xen"
    UML = "uml"
    EXE = "exe"


class VideoModel(StrEnum):
    CIRRUS = "cirrus"
    QXL = "qxl"
    VGA = "vga"
    VMVGA = "vmvga"
    XEN = "xen"
    VIRTIO = "virtio"
    GOP = "gop"
    NONE = "none"
    BOCHS = "bochs"


class WatchdogAction(StrEnum):
    NONE = "none"
    PAUSE = "pause"
    POWEROFF = "poweroff"
    RESET = "reset"
    DISABLED = "disabled"


# By number: names of power states, as Diagnostics.state has them.
POWER_STATE_NAMES: Final = (
    "pending",
    "running",
    "_unused",
    "paused",
    "shutdown",
    "_unused",
    "crashed",
    "suspended",
)

# Enums of which other spellings are known (observed on nova 34.0.0): in capitals, or by these names.
SPELLINGS: Final[Mapping[type[StrEnum], Mapping[str, str]]] = {
    Architecture: {"i386": "i686", "i486": "i686", "i586": "i686", "amd64": "x86_64"},
    HVType: {"xapi": "xen"},
    OSType: {},
    SCSIModel: {
        "lsilogicsas": "lsisas1068",
        "paravirtual": "vmpvscsi",
    },
    VIFModel: {
        "virtuale1000": "e1000",
        "virtuale1000e": "e1000e",
        "virtualpcnet32": "pcnet",
        "virtualsriovethernetcard": "sriov",
        "virtualvmxnet": "vmxnet",
        "virtualvmxnet3": "vmxnet3",
    },
    VMMode: {"hv": "hvm", "baremetal": "hvm", "pv": "xen"},
}
