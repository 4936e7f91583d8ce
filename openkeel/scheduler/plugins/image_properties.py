"""Can the host run what the image says it is? And: does it run servers of such images already?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from oslo_utils import versionutils

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import PASS, Verdict, Weighing, refuse
from openkeel.scheduler.request import Request

# Compat: names of hypervisors that old images still carry.
_HV_ALIASES: Final = {"xapi": "xen", "powervm": "phyp"}
_VM_MODES: Final = {"pv": "xen", "hv": "hvm", "baremetal": "hvm"}


@dataclass(frozen=True, slots=True)
class ImagePropertiesFilter:
    """Architecture, hypervisor, vm mode, hypervisor version and address width of the image.

    Contract: ImagePropertiesFilter, option image_properties_default_architecture.
    """

    default_architecture: str | None = None
    name: ClassVar[str] = "ImagePropertiesFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        properties = request.image_properties
        wanted = (
            _text(properties.get("hw_architecture")) or self.default_architecture,
            _aliased(properties.get("img_hv_type"), _HV_ALIASES),
            _aliased(properties.get("hw_vm_mode"), _VM_MODES),
        )
        if any(wanted) and not _supports(host, wanted):
            return refuse("image properties are not supported")
        if not _has_version(host, properties.get("img_hv_requested_version")):
            return refuse("hypervisor version does not match the image")
        if not _has_address_bits(host, properties.get("hw_maxphysaddr_bits")):
            return refuse("address width is less than the image wants")
        return PASS


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _aliased(value: Any, aliases: Mapping[str, str]) -> str | None:
    text = _text(value)
    return None if text is None else aliases.get(text, text)


def _supports(host: HostState, wanted: tuple[str | None, ...]) -> bool:
    return any(
        all(wish is None or wish == has for wish, has in zip(wanted, one, strict=True))
        for one in host.supported
    )


def _has_version(host: HostState, predicate: Any) -> bool:
    """The image's predicate, e.g. ">=1.5,<2", on the version number 1009000 of 1.9.0."""
    if not predicate or not host.hypervisor_version:
        return True
    version = versionutils.convert_version_to_str(host.hypervisor_version)
    return bool(versionutils.VersionPredicate(str(predicate)).satisfied_by(version))


def _has_address_bits(host: HostState, wanted: Any) -> bool:
    if not wanted or not isinstance(host.cpu_info, Mapping):
        return True
    width = host.cpu_info.get("maxphysaddr") or {}
    bits = width.get("bits") if isinstance(width, Mapping) else None
    return bits is None or int(bits) >= int(wanted)


@dataclass(frozen=True, slots=True)
class ImagePropertiesWeigher(Weighing):
    """Hosts that run servers with equal image properties, each property with its own weight.

    `weights` is property -> weight; empty means that all properties count 1.
    Contract: ImagePropertiesWeigher, options image_props_weight_multiplier and image_props_weight_setting.
    """

    weights: Mapping[str, float]
    name: ClassVar[str] = "ImagePropertiesWeigher"
    multiplier_key: ClassVar[str] = "image_props_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:
        wanted = {name: str(value) for name, value in request.image_properties.items()}
        if self.weights:
            wanted = {name: value for name, value in wanted.items() if name in self.weights}
        return sum(
            self.weights.get(name, 1.0)
            for present in host.image_properties
            for name, value in wanted.items()
            if present.get(name) == value
        )


_SETTING: Final = re.compile(r"\s*(?P<name>[^=\s]+)\s*=\s*(?P<weight>[-+.0-9eE]+)\s*")


def parse_weights(settings: list[str] | tuple[str, ...]) -> dict[str, float]:
    """Read "name=weight" entries. Raises: ValueError."""
    weights: dict[str, float] = {}
    for setting in settings:
        match = _SETTING.fullmatch(setting)
        if match is None:
            raise ValueError(f"{setting!r} is not of the form name=weight")
        weights[match["name"]] = float(match["weight"])
    return weights
