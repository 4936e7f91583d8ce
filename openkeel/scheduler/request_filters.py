"""What the request means for the query of candidates: functions run in order over every request.

Each takes the request and what surrounds it and returns the request, changed or not. One that finds
that nothing can fit raises NoValidHost with the reason.

Contract: filters_weighers.json, request_filters; traits and options by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from oslo_utils import strutils

from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.host_state import ZONE_KEY, AggregateFacts
from openkeel.scheduler.request import Request, Target

TENANT_KEY: Final = "filter_tenant_id"
TRAIT_KEY: Final = "trait:"


@dataclass(frozen=True, slots=True)
class RequestFilterSettings:
    """Options of [scheduler] under their own names."""

    limit_tenants_to_placement_aggregate: bool = False
    placement_aggregate_required_for_tenants: bool = False
    query_placement_for_image_type_support: bool = False
    enable_isolated_aggregate_filtering: bool = False
    image_metadata_prefilter: bool = False
    default_availability_zone: str = "nova"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a request filter may look at besides the request."""

    aggregates: Sequence[AggregateFacts]
    settings: RequestFilterSettings


RequestFilter = Callable[[Request, Surroundings], Request]


def _in_one_of(request: Request, aggregates: Sequence[AggregateFacts]) -> Request:
    wanted = frozenset(one.uuid for one in aggregates)
    target = replace(request.target, aggregates=(*request.target.aggregates, wanted))
    return replace(request, target=target)


def _in_none_of(request: Request, aggregates: Sequence[AggregateFacts]) -> Request:
    unwanted = frozenset(one.uuid for one in aggregates)
    target: Target = replace(
        request.target, forbidden_aggregates=request.target.forbidden_aggregates | unwanted
    )
    return replace(request, target=target)


def _with_traits(request: Request, *traits: str) -> Request:
    return replace(request, root_required=request.root_required | set(traits))


def _wants(request: Request, name: str) -> str | None:
    """A hardware wish of flavor (hw:name) or image (hw_name)."""
    value = request.extra_specs.get(f"hw:{name}") or request.image_properties.get(f"hw_{name}")
    return None if value is None else str(value)


def require_tenant_aggregate(request: Request, around: Surroundings) -> Request:
    """A project with aggregates of its own goes there and nowhere else."""
    if not around.settings.limit_tenants_to_placement_aggregate:
        return request
    own = [
        one
        for one in around.aggregates
        if any(
            key.startswith(TENANT_KEY) and value == request.project_id for key, value in one.metadata.items()
        )
    ]
    if own:
        return _in_one_of(request, own)
    if around.settings.placement_aggregate_required_for_tenants:
        raise NoValidHost(reason="No host aggregate is open to this project.")
    return request


def map_az_to_placement_aggregate(request: Request, around: Surroundings) -> Request:
    """An availability zone is its aggregates; the default zone is what is in no other."""
    zone = request.availability_zone
    if not zone:
        return request
    zones = [one for one in around.aggregates if one.metadata.get(ZONE_KEY)]
    inside = [one for one in zones if one.metadata[ZONE_KEY] == zone]
    if inside:
        return _in_one_of(request, inside)
    if zone == around.settings.default_availability_zone:
        return _in_none_of(request, zones) if zones else request
    raise NoValidHost(reason=f"There is no host in availability zone {zone}.")


def require_image_type_support(request: Request, around: Surroundings) -> Request:
    """The host must be able to boot the image's disk format."""
    wanted = around.settings.query_placement_for_image_type_support and not request.is_volume_backed
    if not wanted or not request.image_disk_format:
        return request
    return _with_traits(request, f"COMPUTE_IMAGE_TYPE_{request.image_disk_format.upper()}")


def compute_status_filter(request: Request, _around: Surroundings) -> Request:
    """No host that an administrator has disabled."""
    return replace(request, root_forbidden=request.root_forbidden | {"COMPUTE_STATUS_DISABLED"})


def isolate_aggregates(request: Request, around: Surroundings) -> Request:
    """Aggregates that demand traits are closed to servers that do not require all of these."""
    if not around.settings.enable_isolated_aggregate_filtering:
        return request
    closed = []
    for one in around.aggregates:
        demanded = {
            key.removeprefix(TRAIT_KEY)
            for key, value in one.metadata.items()
            if key.startswith(TRAIT_KEY) and value == "required"
        }
        if not demanded <= request.required_traits:
            closed.append(one)
    return _in_none_of(request, closed) if closed else request


# Image property -> how the traits of hosts that can serve it begin.
_IMAGE_TRAITS: Final[dict[str, str]] = {
    "hw_cdrom_bus": "COMPUTE_STORAGE_BUS_",
    "hw_disk_bus": "COMPUTE_STORAGE_BUS_",
    "hw_video_model": "COMPUTE_GRAPHICS_MODEL_",
    "hw_vif_model": "COMPUTE_NET_VIF_MODEL_",
}


def transform_image_metadata(request: Request, around: Surroundings) -> Request:
    """Devices that the image asks for become traits."""
    if not around.settings.image_metadata_prefilter:
        return request
    traits = [
        prefix + str(request.image_properties[name]).upper().replace("-", "_")
        for name, prefix in _IMAGE_TRAITS.items()
        if request.image_properties.get(name)
    ]
    return _with_traits(request, *traits)


def accelerators_filter(request: Request, _around: Surroundings) -> Request:
    """Device profiles need a host that knows accelerators."""
    if request.extra_specs.get("accel:device_profile"):
        return _with_traits(request, "COMPUTE_ACCELERATORS")
    return request


def packed_virtqueue_filter(request: Request, _around: Surroundings) -> Request:
    """Packed virtqueues need a host that has them."""
    if strutils.bool_from_string(_wants(request, "virtio_packed_ring")):
        return _with_traits(request, "COMPUTE_NET_VIRTIO_PACKED")
    return request


def ephemeral_encryption_filter(request: Request, _around: Surroundings) -> Request:
    """Encrypted local disks need a host that can keep them so."""
    if not strutils.bool_from_string(_wants(request, "ephemeral_encryption")):
        return request
    kind = _wants(request, "ephemeral_encryption_format")
    traits = ["COMPUTE_EPHEMERAL_ENCRYPTION"]
    if kind:
        traits.append(f"COMPUTE_EPHEMERAL_ENCRYPTION_{kind.upper()}")
    return _with_traits(request, *traits)


def virtio_sound_filter(request: Request, _around: Surroundings) -> Request:
    """A virtio sound device needs a host that has it."""
    if _wants(request, "sound_model") == "virtio":
        return _with_traits(request, "COMPUTE_SOUND_MODEL_VIRTIO")
    return request


REQUEST_FILTERS: Final[tuple[RequestFilter, ...]] = (
    require_tenant_aggregate,
    map_az_to_placement_aggregate,
    require_image_type_support,
    compute_status_filter,
    isolate_aggregates,
    transform_image_metadata,
    accelerators_filter,
    packed_virtqueue_filter,
    ephemeral_encryption_filter,
    virtio_sound_filter,
)


def apply_request_filters(request: Request, around: Surroundings) -> Request:
    """Run them all. Raises: NoValidHost."""
    for request_filter in REQUEST_FILTERS:
        request = request_filter(request, around)
    return request
