"""Which flavor extra specs are known, and what values they take.

Names are checked within known namespaces only: what stands in a namespace of the operator's own, or
in none, is free. Contract: filters_weighers.json (extra_specs), microversion 2.86.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import os_resource_classes
import os_traits

from openkeel.domain.errors import Invalid


@dataclass(frozen=True, slots=True)
class Spec:
    """A known extra spec: its name as a regular expression, and what a value must be."""

    name: str
    kind: str = "text"  # text, whole or truth
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None

    def check(self, name: str, value: str) -> None:
        """Raises: Invalid."""
        if self.kind == "whole":
            self._check_number(name, value)
        elif self.kind == "truth" and value.lower() not in _TRUTH:
            raise Invalid(f"Extra spec {name} must be true or false, not {value!r}.")
        elif self.choices and value not in self.choices:
            raise Invalid(f"Extra spec {name} must be one of {', '.join(self.choices)}, not {value!r}.")
        elif self.pattern is not None and re.fullmatch(self.pattern, value) is None:
            raise Invalid(f"The value {value!r} of extra spec {name} is malformed.")

    def _check_number(self, name: str, value: str) -> None:
        if re.fullmatch(r"\s*[-+]?\d+\s*", value) is None:
            raise Invalid(f"Extra spec {name} must be a whole number, not {value!r}.")
        number = int(value)
        if self.minimum is not None and number < self.minimum:
            raise Invalid(f"Extra spec {name} must not be less than {self.minimum}.")
        if self.maximum is not None and number > self.maximum:
            raise Invalid(f"Extra spec {name} must not be more than {self.maximum}.")


_TRUTH: Final = frozenset({"1", "t", "true", "on", "y", "yes", "0", "f", "false", "off", "n", "no"})
_GROUP: Final = r"([a-zA-Z0-9_-]{1,64})?"
_CPUS: Final = r"\^?\d+((-\d+)?(,\^?\d+(-\d+)?)?)*"
_LEVELS: Final = ("custom", "high", "normal", "low")


def text(*names: str, pattern: str | None = None) -> list[Spec]:
    """Free texts, or texts of a pattern."""
    return [Spec(name, pattern=pattern) for name in names]


def whole(*names: str, at_least: int | None = None, at_most: int | None = None) -> list[Spec]:
    """Whole numbers."""
    return [Spec(name, "whole", minimum=at_least, maximum=at_most) for name in names]


def truth(*names: str) -> list[Spec]:
    """Yes or no."""
    return [Spec(name, "truth") for name in names]


def choice(name: str, *choices: str) -> list[Spec]:
    """One of some words."""
    return [Spec(name, choices=choices)]


SPECS: Final[tuple[Spec, ...]] = (
    # accel
    *text("accel:device_profile"),
    # aggregate_instance_extra_specs
    *text("aggregate_instance_extra_specs:.+"),
    # capabilities
    *text(
        "capabilities:aggregates",
        "capabilities:cell_uuid",
        "capabilities:cpu_allocation_ratio",
        r"capabilities:cpu_info(:\w+)*",
        "capabilities:current_workload",
        "capabilities:disk_allocation_ratio",
        "capabilities:disk_available_least",
        "capabilities:disk_mb_used",
        "capabilities:failed_builds",
        "capabilities:free_disk_gb",
        "capabilities:free_disk_mb",
        "capabilities:free_ram_mb",
        "capabilities:host",
        "capabilities:host_ip",
        "capabilities:hypervisor_hostname",
        "capabilities:hypervisor_type",
        "capabilities:hypervisor_version",
        "capabilities:id",
        r"capabilities:instances(:\w+)*",
        r"capabilities:limits(:\w+)*",
        "capabilities:local_gb",
        "capabilities:local_gb_used",
        "capabilities:mapped",
        "capabilities:memory_mb",
        "capabilities:memory_mb_used",
        r"capabilities:metrics(:\w+)*",
        r"capabilities:nodename(:\w+)*",
        "capabilities:num_instances",
        "capabilities:num_io_ops",
        r"capabilities:numa_topology(:\w+)*",
        r"capabilities:pci_device_pools(:\w+)*",
        r"capabilities:pci_stats(:\w+)*",
        "capabilities:ram_allocation_ratio",
        "capabilities:running_vms",
        "capabilities:service_id",
        r"capabilities:stats(:\w+)*",
        r"capabilities:supported_hv_specs(:\w+)*",
        r"capabilities:supported_instances(:\w+)*",
        "capabilities:total_usable_disk_gb",
        "capabilities:total_usable_ram_mb",
        "capabilities:updated",
        "capabilities:uuid",
        "capabilities:vcpus",
        "capabilities:vcpus_total",
        "capabilities:vcpus_used",
    ),
    # no namespace
    *choice("group_policy", "isolate", "none"),
    *truth("hide_hypervisor_id"),
    # hw
    *truth(
        "hw:boot_menu",
        "hw:cpu_realtime",
        "hw:ephemeral_encryption",
        "hw:hide_hypervisor_id",
        "hw:locked_memory",
        "hw:mem_encryption",
        "hw:pmu",
        "hw:vif_multiqueue_enabled",
        "hw:virtio_packed_ring",
    ),
    *whole(
        "hw:cpu_cores",
        "hw:cpu_max_cores",
        "hw:cpu_max_sockets",
        "hw:cpu_max_threads",
        "hw:cpu_sockets",
        "hw:cpu_threads",
        r"hw:numa_mem.\d+",
        "hw:numa_nodes",
        at_least=1,
    ),
    *text("hw:cpu_dedicated_mask", r"hw:numa_cpus.\d+", pattern=_CPUS),
    *choice("hw:cpu_policy", "dedicated", "shared", "mixed"),
    *text("hw:cpu_realtime_mask", pattern=r"(\^)?\d+((-\d+)?(,\^?\d+(-\d+)?)?)*"),
    *choice("hw:cpu_thread_policy", "prefer", "isolate", "require"),
    *choice("hw:emulator_threads_policy", "isolate", "share"),
    *choice("hw:ephemeral_encryption_format", "plain", "luks", "luksv2"),
    *choice("hw:mem_encryption_model", "amd-sev", "amd-sev-es", "amd-sev-snp", "intel-tdx"),
    *text("hw:mem_page_size", pattern=r"(large|small|any|\d+([kKMGT]i?)?(b|bit|B)?)"),
    *choice("hw:pci_numa_affinity_policy", "required", "preferred", "legacy", "socket"),
    *text("hw:pmem", pattern="([a-zA-Z0-9_]+(,)?)+"),
    *whole("hw:redirected_usb_ports", at_least=0, at_most=15),
    *whole("hw:serial_port_count", at_least=0),
    *choice("hw:sound_model", "sb16", "es1370", "pcspk", "ac97", "ich6", "ich9", "usb", "virtio"),
    *choice("hw:tpm_model", "tpm-tis", "tpm-crb"),
    *choice("hw:tpm_secret_security", "user", "host", "deployment"),
    *choice("hw:tpm_version", "1.2", "2.0"),
    *choice("hw:usb_model", "none", "nec-xhci", "qemu-xhci"),
    *choice("hw:viommu_model", "intel", "smmuv3", "virtio", "auto"),
    *choice("hw:watchdog_action", "none", "pause", "poweroff", "reset", "disabled"),
    # hw_rng
    *truth("hw_rng:allowed"),
    *whole("hw_rng:rate_bytes", "hw_rng:rate_period", at_least=0),
    # hw_video
    *whole("hw_video:ram_max_mb", at_least=0),
    # os
    *choice("os:secure_boot", "disabled", "required"),
    # pci_passthrough
    *text("pci_passthrough:alias", pattern=r"[^:]+:\d+(?:\s*,\s*[^:]+:\d+)*"),
    # quota
    *whole(
        "quota:cpu_limit",
        "quota:cpu_period",
        "quota:cpu_shares",
        "quota:cpu_shares_share",
        "quota:disk_io_limit",
        "quota:disk_io_shares_share",
        "quota:disk_read_bytes_sec",
        "quota:disk_read_iops_sec",
        "quota:disk_total_bytes_sec",
        "quota:disk_total_iops_sec",
        "quota:disk_write_bytes_sec",
        "quota:disk_write_iops_sec",
        "quota:memory_limit",
        "quota:memory_shares_share",
        "quota:vif_inbound_average",
        "quota:vif_inbound_burst",
        "quota:vif_inbound_peak",
        "quota:vif_limit",
        "quota:vif_outbound_average",
        "quota:vif_outbound_burst",
        "quota:vif_outbound_peak",
        "quota:vif_shares_share",
        at_least=0,
    ),
    *whole(
        "quota:cpu_quota",
        "quota:cpu_reservation",
        "quota:disk_io_reservation",
        "quota:memory_reservation",
        "quota:vif_reservation",
    ),
    *choice("quota:cpu_shares_level", *_LEVELS),
    *choice("quota:disk_io_shares_level", *_LEVELS),
    *choice("quota:memory_shares_level", *_LEVELS),
    *choice("quota:vif_shares_level", *_LEVELS),
    # vmware
    *text("vmware:hw_version", "vmware:storage_policy"),
)

_TABLE: Final[Mapping[str, Spec]] = {spec.name: spec for spec in SPECS if re.fullmatch(r"[\w:]+", spec.name)}
_PATTERNS: Final = [(re.compile(spec.name), spec) for spec in SPECS if spec.name not in _TABLE]
_NAMESPACES: Final = frozenset(name.split(":")[0] for name in _TABLE if ":" in name) | {
    "aggregate_instance_extra_specs"
}
_GROUPED: Final = re.compile(rf"(resources|trait){_GROUP}:(.+)")
_RESOURCE: Final = Spec("resource", "whole")
_TRAIT: Final = Spec("trait", choices=("required", "forbidden"))


@lru_cache(maxsize=1)
def _standard() -> Mapping[str, frozenset[str]]:
    return {
        "resources": frozenset(os_resource_classes.STANDARDS),
        "trait": frozenset(os_traits.get_traits()),
    }


def check(specs: Iterable[tuple[str, str]]) -> None:
    """Raises: Invalid, for the first spec that is not what it must be."""
    for name, value in specs:
        _check(name, value)


def _check(name: str, value: str) -> None:
    spec = _TABLE.get(name)
    if spec is None:
        spec = next((spec for pattern, spec in _PATTERNS if pattern.fullmatch(name)), None)
    if spec is not None:
        spec.check(name, value)
        return
    grouped = _GROUPED.fullmatch(name)
    if grouped is not None:
        kind, what = grouped[1], grouped[3]
        if what not in _standard()[kind] and re.fullmatch("CUSTOM_[A-Z0-9_]+", what) is None:
            raise Invalid(
                f"Extra spec {name} names no known {'trait' if kind == 'trait' else 'resource class'}."
            )
        (_TRAIT if kind == "trait" else _RESOURCE).check(name, value)
        return
    if name.split(":", maxsplit=1)[0] in _NAMESPACES and ":" in name:
        raise Invalid(f"Extra spec {name} is not known in its namespace.")
