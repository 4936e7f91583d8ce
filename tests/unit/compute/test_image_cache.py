"""A host fetches images."""

import pytest

from openkeel.clients import errors as service_errors
from openkeel.clients.glance.types import Image
from openkeel.compute.image_cache import ImageCache
from openkeel.virt.driver import GuestRejected, GuestTimeout
from openkeel.virt.fake import FakeHypervisor


def image(image_id):
    return Image(
        id=image_id, name="keel", status="active", visibility="public", owner="o", disk_format="raw",
        container_format="bare", size_bytes=10, virtual_size_bytes=None, min_disk_gib=1, min_ram_mib=64,
        checksum="c", protected=False, created_at=None, updated_at=None,
    )  # fmt: skip


@pytest.fixture
def fetch(world):
    for one in ("a", "b", "c"):
        world.glance.add(image(one))
    return lambda *images: world.compute.cache_images(world.context(), image_ids=list(images))


def test_what_is_new_is_fetched_and_what_is_there_is_left(world, fetch):
    assert fetch("a") == {"a": "cached"}
    assert fetch("a", "b") == {"a": "existing", "b": "cached"}
    assert world.hypervisor.images == {"a", "b"}


@pytest.mark.parametrize(
    "error", [GuestRejected(reason="no image"), GuestTimeout(seconds=1, what="the image")]
)
def test_one_that_fails_costs_the_others_nothing(world, fetch, error):
    world.hypervisor.script.fail("cache", error)
    assert fetch("a", "b") == {"a": "error", "b": "cached"}


def test_an_image_that_is_gone_or_cannot_be_asked_for_has_failed(world, fetch):
    gone = service_errors.Unavailable(service="Glance", status=None, code="", detail="away")
    world.glance.faults.fail("get", gone)
    assert fetch("a", "nosuch", "b") == {"a": "error", "nosuch": "error", "b": "cached"}


def test_a_hypervisor_that_keeps_no_images_says_so(world):
    class Plain:
        driver = FakeHypervisor(caches_images=False).driver()

    capability = ImageCache(Plain(), world.glance)
    assert capability.cache_images(world.context(), ["a"]) == {"a": "unsupported"}
