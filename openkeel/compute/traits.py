"""What a host is able to do, as traits of its provider (contract: COMPUTE_* traits of Nova's drivers).

Traits of the families COMPUTE_ and HW_ are the daemon's: those it does not claim are taken away.
All others (CUSTOM_, and whatever operators and other services set) stay as they are.
"""

from collections.abc import Collection
from typing import Final

import os_traits

from openkeel.virt.driver import Capabilities

_OWN_FAMILIES: Final = ("COMPUTE_", "HW_")

_BY_CAPABILITY: Final = (
    ("attach_interface", os_traits.COMPUTE_NET_ATTACH_INTERFACE),
    ("device_tagging", os_traits.COMPUTE_DEVICE_TAGGING),
    ("multiattach", os_traits.COMPUTE_VOLUME_MULTI_ATTACH),
    ("extend_volume", os_traits.COMPUTE_VOLUME_EXTEND),
    ("trusted_certs", os_traits.COMPUTE_TRUSTED_CERTS),
)


def capability_traits(capabilities: Capabilities) -> frozenset[str]:
    """Traits that say what the driver is able to do, and whose host this is.

    Compat: Nova's scheduler asks for OWNER_NOVA, so that no other service's provider is taken for a host.
    """
    known = frozenset(os_traits.get_traits("COMPUTE_IMAGE_TYPE_"))
    formats = {f"COMPUTE_IMAGE_TYPE_{name.upper()}" for name in capabilities.image_formats}
    able = {trait for name, trait in _BY_CAPABILITY if getattr(capabilities, name)}
    return frozenset({os_traits.COMPUTE_NODE, os_traits.OWNER_NOVA, *able, *(formats & known)})


def provider_traits(
    present: Collection[str],
    capabilities: Capabilities,
    node_traits: Collection[str],
    *,
    is_disabled: bool,
) -> frozenset[str]:
    """The traits the provider shall have, given those it has."""
    standard = frozenset(os_traits.get_traits())
    foreign = {trait for trait in present if not trait.startswith(_OWN_FAMILIES)}
    able = {trait for trait in node_traits if trait in standard or trait.startswith("CUSTOM_")}
    state = {os_traits.COMPUTE_STATUS_DISABLED} if is_disabled else set()
    return frozenset(foreign | able | state | capability_traits(capabilities))
