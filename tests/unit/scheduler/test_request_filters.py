"""What request filters make of requests."""

import pytest

from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.host_state import AggregateFacts
from openkeel.scheduler.request import Request
from openkeel.scheduler.request_filters import RequestFilterSettings, Surroundings, apply_request_filters

from .conftest import make_spec

PREFILTER = {"image_metadata_prefilter": True}


def aggregate(name, **metadata):
    return AggregateFacts(uuid=f"uuid-{name}", name=name, metadata=metadata)


def filtered(*aggregates, settings=None, **values):
    around = Surroundings(aggregates, RequestFilterSettings(**(settings or {})))
    return apply_request_filters(Request.from_spec(make_spec(**values)), around)


def test_disabled_hosts_are_forbidden_always():
    assert filtered().root_forbidden == {"COMPUTE_STATUS_DISABLED"}


def test_a_zone_is_its_aggregates():
    one, two = aggregate("a", availability_zone="az1"), aggregate("b", availability_zone="az1")
    other = aggregate("c", availability_zone="az2")
    request = filtered(one, two, other, availability_zone="az1")
    assert request.target.aggregates == (frozenset({"uuid-a", "uuid-b"}),)


def test_the_default_zone_is_what_is_in_no_other():
    request = filtered(aggregate("a", availability_zone="az1"), aggregate("b"), availability_zone="nova")
    assert request.target.forbidden_aggregates == {"uuid-a"}
    assert filtered(availability_zone="nova").target.forbidden_aggregates == frozenset()


def test_an_unknown_zone_has_no_host():
    with pytest.raises(NoValidHost, match="az9"):
        filtered(availability_zone="az9")


def test_a_project_with_aggregates_of_its_own_stays_there():
    settings = {"limit_tenants_to_placement_aggregate": True}
    own = aggregate("own", filter_tenant_id3="project")
    request = filtered(own, aggregate("other", filter_tenant_id="q"), settings=settings)
    assert request.target.aggregates == (frozenset({"uuid-own"}),)
    assert filtered(own).target.aggregates == ()


def test_a_project_without_aggregates_may_be_refused():
    settings = {"limit_tenants_to_placement_aggregate": True}
    assert filtered(settings=settings).target.aggregates == ()
    with pytest.raises(NoValidHost):
        filtered(settings=settings | {"placement_aggregate_required_for_tenants": True})


def test_the_disk_format_of_the_image_may_be_required():
    settings = {"query_placement_for_image_type_support": True}
    assert "COMPUTE_IMAGE_TYPE_QCOW2" in filtered(settings=settings).root_required
    assert filtered(settings=settings, is_bfv=True).root_required == frozenset()
    assert filtered().root_required == frozenset()


def test_isolated_aggregates_are_closed_to_those_who_do_not_ask():
    settings = {"enable_isolated_aggregate_filtering": True}
    gpu = AggregateFacts(uuid="gpu", name="gpu", metadata={"trait:CUSTOM_GPU": "required"})
    assert filtered(gpu, settings=settings).target.forbidden_aggregates == {"gpu"}
    asking = filtered(gpu, settings=settings, extra_specs={"trait:CUSTOM_GPU": "required"})
    assert asking.target.forbidden_aggregates == frozenset()


@pytest.mark.parametrize(
    ("values", "settings", "trait"),
    [
        ({"image": {"hw_vif_model": "e1000e"}}, PREFILTER, "COMPUTE_NET_VIF_MODEL_E1000E"),
        ({"image": {"hw_disk_bus": "scsi"}}, PREFILTER, "COMPUTE_STORAGE_BUS_SCSI"),
        ({"extra_specs": {"accel:device_profile": "fpga"}}, {}, "COMPUTE_ACCELERATORS"),
        ({"image": {"hw_virtio_packed_ring": True}}, {}, "COMPUTE_NET_VIRTIO_PACKED"),
        ({"extra_specs": {"hw:ephemeral_encryption": "true"}}, {}, "COMPUTE_EPHEMERAL_ENCRYPTION"),
        ({"image": {"hw_sound_model": "virtio"}}, {}, "COMPUTE_SOUND_MODEL_VIRTIO"),
    ],
)  # fmt: skip
def test_wishes_for_devices_become_traits(values, settings, trait):
    assert trait in filtered(settings=settings, **values).root_required
