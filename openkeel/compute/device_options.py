"""Options of the host's processors, memory pages and devices that single guests get for themselves."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_config.types import Dict

from openkeel.common.option_help import ignored, later

_PINNING: Final = "dedicated processors"
_PCI: Final = "PCI devices"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.StrOpt(
            "vcpu_pin_set",
            deprecated_for_removal=True,
            deprecated_since="20.0.0",
            deprecated_reason="cpu_dedicated_set and cpu_shared_set of [compute] say more.",
            help=later(
                _PINNING, "Processors of the host that guests may use, as 4-12,^8,15. All when not set."
            ),
        ),
        cfg.MultiOpt(
            "reserved_huge_pages",
            item_type=Dict(),
            help=later(
                "huge pages",
                "Pages that guests do not get, each as node:0,size:2048,count:64; node is a NUMA node, the "
                "size is in KiB or says its unit.",
            ),
        ),
        cfg.StrOpt(
            "pointer_model",
            choices=(None, "ps2mouse", "usbtablet"),
            default="usbtablet",
            help=later(
                "input devices",
                "Pointing device of guests whose image does not name one by the property hw_pointer_model.",
            ),
        ),
        cfg.IntOpt(
            "arq_binding_timeout",
            default=300,
            min=1,
            help=later("accelerators", "Seconds that a build waits for Cyborg to bind its accelerators."),
        ),
        cfg.IntOpt(
            "stale_share_access_reconcile_interval",
            default=1800,
            help=later(
                "shares",
                "Seconds between two looks for access to shares that no guest needs any longer.",
            ),
        ),
    ),
    "compute": (
        cfg.StrOpt(
            "cpu_shared_set",
            help=later(
                _PINNING,
                "Processors of the host for guests that share them, as 4-12,^8,15; these are the VCPU of "
                "Placement.",
            ),
        ),
        cfg.StrOpt(
            "cpu_dedicated_set",
            help=later(
                _PINNING,
                "Processors of the host of which each serves one processor of one guest, as 4-12,^8,15; "
                "these are the PCPU of Placement. Must have none in common with cpu_shared_set.",
            ),
        ),
        cfg.BoolOpt(
            "packing_host_numa_cells_allocation_strategy",
            default=False,
            help=later(
                _PINNING,
                "Fill the NUMA nodes of a host one after the other. If not, the emptiest comes first.",
            ),
        ),
    ),
    "devices": (
        cfg.ListOpt(
            "enabled_mdev_types",
            default=[],
            deprecated_name="enabled_vgpu_types",
            help=later(
                "virtual GPUs",
                "Types of mediated devices that guests may get. With several, the group [mdev_TYPE] of each "
                "says which devices have it.",
            ),
        ),
    ),
    "pci": (
        cfg.MultiStrOpt(
            "alias",
            default=[],
            deprecated_name="pci_alias",
            deprecated_group="DEFAULT",
            help=later(
                _PCI,
                "Names by which flavors ask for devices, each a JSON object: name, and vendor_id, "
                "product_id, device_type, numa_policy and others that a device must match. The API and the "
                "computes need the same.",
            ),
        ),
        cfg.MultiStrOpt(
            "device_spec",
            default=[],
            deprecated_opts=[
                cfg.DeprecatedOpt("passthrough_whitelist", group="pci"),
                cfg.DeprecatedOpt("pci_passthrough_whitelist", group="DEFAULT"),
            ],
            help=later(
                _PCI,
                "Devices of the host that guests may get, each a JSON object, or a list of them: address, "
                "vendor_id, product_id or devname, and tags such as physical_network.",
            ),
        ),
        cfg.BoolOpt(
            "report_in_placement",
            default=False,
            help=later(
                _PCI,
                "Tell Placement of the devices. Once on, it cannot be turned off again. For the scheduler to "
                "make use of it, see pci_in_placement of [filter_scheduler].",
            ),
        ),
    ),
    "workarounds": (
        cfg.BoolOpt(
            "disable_fallback_pcpu_query",
            default=False,
            deprecated_for_removal=True,
            deprecated_since="20.0.0",
            deprecated_reason="For upgrades to a release of long ago.",
            help=ignored(
                "Do not look for hosts that have no PCPU in Placement when a server asks for dedicated "
                "processors.",
                "the scheduler never does that",
            ),
        ),
        cfg.BoolOpt(
            "enable_numa_live_migration",
            default=False,
            deprecated_for_removal=True,
            deprecated_since="20.0.0",
            deprecated_reason="NUMA nodes are fitted anew at the host to go to.",
            help=ignored(
                "Let guests with NUMA nodes move live although nothing fits these to the other host.",
                "the cluster places the processors of a guest",
            ),
        ),
    ),
}
