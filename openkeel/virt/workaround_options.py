"""Options of [workarounds] that avoid faults of other hypervisors. A `nova.conf` may have them."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_config.types import String

from openkeel.common.option_help import ignored

_LIBVIRT: Final = "it is about Nova's libvirt driver"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "workarounds": (
        cfg.BoolOpt(
            "disable_libvirt_livesnapshot",
            default=False,
            deprecated_for_removal=True,
            deprecated_since="19.0.0",
            deprecated_reason="The faults it avoids are gone.",
            help=ignored("Stop guests for their snapshots.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "ensure_libvirt_rbd_instance_dir_cleanup",
            default=False,
            help=ignored("Remove the folder of a guest whose disks are in Ceph when it leaves.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "never_download_image_if_on_rbd",
            default=False,
            help=ignored("Fail rather than copy an image into Ceph that is not there.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "libvirt_disable_apic",
            default=False,
            help=ignored("Give guests no interrupt controller, for hosts that are guests.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "enable_qemu_monitor_announce_self",
            default=False,
            help=ignored("Let guests announce their addresses again after a live migration.", _LIBVIRT),
        ),
        cfg.IntOpt(
            "qemu_monitor_announce_self_count",
            default=3,
            min=1,
            help=ignored("How often they do.", _LIBVIRT),
        ),
        cfg.IntOpt(
            "qemu_monitor_announce_self_interval",
            default=1,
            min=1,
            help=ignored("Seconds between two of these announcements.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "skip_cpu_compare_at_startup",
            default=False,
            help=ignored("Do not check at the start that the host offers the CPU model asked for.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "skip_cpu_compare_on_dest",
            default=False,
            help=ignored("Do not compare processors before a live migration.", _LIBVIRT),
        ),
        cfg.BoolOpt(
            "skip_hypervisor_version_check_on_lm",
            default=False,
            help=ignored("Allow live migrations to older hypervisors.", _LIBVIRT),
        ),
        cfg.ListOpt(
            "wait_for_vif_plugged_event_during_hard_reboot",
            item_type=String(
                choices=[
                    "normal",
                    "direct",
                    "macvtap",
                    "baremetal",
                    "direct-physical",
                    "virtio-forwarder",
                    "smart-nic",
                    "vdpa",
                    "accelerator-direct",
                    "accelerator-direct-physical",
                    "remote-managed",
                ]
            ),
            default=[],
            help=ignored(
                "Kinds of ports (vnic types) for which a hard reboot waits until Neutron says that they are "
                "plugged.",
                _LIBVIRT,
            ),
        ),
        cfg.BoolOpt(
            "skip_reserve_in_use_ironic_nodes",
            default=False,
            help=ignored("Do not reserve nodes that are in use.", "it is about Nova's ironic driver"),
        ),
    ),
}
