"""Glance and Keystone: what callers may rely on, in memory and real."""

import uuid

import pytest
import requests

from openkeel.clients.glance import client as glance_client
from openkeel.clients.glance.fake import FakeGlance
from openkeel.clients.glance.types import Image
from openkeel.clients.keystone import client as keystone_client
from openkeel.clients.keystone.fake import FakeKeystone
from openkeel.common.context import Context
from openkeel.domain.errors import ImageNotFound, Invalid

BITS = b"keel" * 700


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.integration)])
def glance(request):
    """Client, context of its user, id of an image with BITS, id of a foreign private image."""
    if request.param == "fake":
        client, ctx = FakeGlance(), Context("u", "mine", auth_token="t", overwrite=False)
        mine, foreign = (str(uuid.uuid4()) for _ in range(2))
        for key, owner in ((mine, "mine"), (foreign, "other")):
            image = Image(
                id=key, name="keel", status="active", visibility="private", owner=owner, disk_format="raw",
                container_format="bare", size_bytes=len(BITS), virtual_size_bytes=None, min_disk_gib=1,
                min_ram_mib=64, checksum="c", protected=False, created_at=None, updated_at=None,
                properties={"hw_disk_bus": "virtio"},
            )  # fmt: skip
            client.add(image, BITS)
        yield client, ctx, mine, foreign
        return
    cloud = request.getfixturevalue("cloud")
    made = []
    for person in ("demo", "admin"):
        values = {
            "name": "keel", "disk_format": "raw", "container_format": "bare", "min_disk": 1, "min_ram": 64,
            "visibility": "private", "hw_disk_bus": "virtio",
        }  # fmt: skip
        made.append(cloud.call("image", "POST", "/v2/images", values, person=person)["id"])
    token, _ = cloud.login("demo")
    requests.put(
        f"{cloud.url('image')}/v2/images/{made[0]}/file",
        data=BITS,
        headers={"X-Auth-Token": token, "Content-Type": "application/octet-stream"},
        timeout=60,
    ).raise_for_status()
    yield glance_client.make_client(cloud.conf()), cloud.context("demo"), *made
    for key in made:
        cloud.call("image", "DELETE", f"/v2/images/{key}")


def test_an_image_is_shown_with_its_properties(glance):
    client, ctx, mine, _ = glance
    image = client.get(ctx, mine)
    assert (image.id, image.name, image.disk_format, image.is_active) == (mine, "keel", "raw", True)
    assert (image.size_bytes, image.min_disk_gib, image.min_ram_mib) == (len(BITS), 1, 64)
    assert image.properties["hw_disk_bus"] == "virtio"
    assert not {"file", "schema", "self", "tags"} & set(image.properties)
    assert image.to_image_meta()["min_disk"] == 1


def test_an_absent_or_foreign_image_is_not_found(glance):
    client, ctx, _, foreign = glance
    for key in (str(uuid.uuid4()), foreign):
        with pytest.raises(ImageNotFound):
            client.get(ctx, key)
        with pytest.raises(ImageNotFound):
            client.download(ctx, key)


def test_the_bits_come_in_chunks(glance):
    client, ctx, mine, _ = glance
    with client.stream(ctx, mine, chunk_bytes=1000) as chunks:
        assert b"".join(chunks) == BITS


def test_a_download_says_where_and_with_which_token(glance):
    client, ctx, mine, _ = glance
    download = client.download(ctx, mine)
    assert download.url.endswith(f"/v2/images/{mine}/file")
    assert download.headers["X-Auth-Token"] == ctx.auth_token


@pytest.mark.integration
def test_a_download_can_be_fetched_by_others(cloud):
    key = cloud.call("image", "GET", "/v2/images?status=active")["images"][0]["id"]
    download = glance_client.make_client(cloud.conf()).download(cloud.context("demo"), key)
    answer = requests.get(download.url, headers=dict(download.headers), timeout=60, stream=True)
    with answer:
        assert answer.status_code == 200
        assert next(answer.iter_content(512))


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.integration)])
def keystone(request):
    if request.param == "fake":
        return FakeKeystone({"mine"}), Context("u", "mine", auth_token="t", overwrite=False)
    cloud = request.getfixturevalue("cloud")
    return keystone_client.make_client(cloud.conf()), cloud.context("admin")


def test_projects_exist_or_not(keystone):
    client, ctx = keystone
    assert client.project_exists(ctx, ctx.project_id) is True
    assert client.project_exists(ctx, uuid.uuid4().hex) is False


@pytest.mark.integration
def test_who_may_not_ask_is_not_refused(cloud):
    client = keystone_client.make_client(cloud.conf())
    assert client.project_exists(cloud.context("demo"), uuid.uuid4().hex) is True


def test_properties_are_set_and_removed(glance):
    client, ctx, mine, foreign = glance
    image = client.change_properties(ctx, mine, {"a/b": "1", "c~d": "2"})
    assert (image.properties["a/b"], image.properties["c~d"]) == ("1", "2")
    image = client.change_properties(ctx, mine, {"a/b": "3"}, ["c~d"])
    assert image.properties["a/b"] == "3"
    assert "c~d" not in image.properties
    assert client.change_properties(ctx, mine, {}).properties == image.properties
    with pytest.raises(ImageNotFound):
        client.change_properties(ctx, foreign, {"a": "1"})


def test_images_are_listed_by_filter_and_page(glance):
    client, ctx, mine, foreign = glance
    everything = [image.id for image in client.list(ctx)]
    assert mine in everything
    assert foreign not in everything
    assert [image.id for image in client.list(ctx, limit=1)] == everything[:1]
    assert [image.id for image in client.list(ctx, marker=everything[0])] == everything[1:]
    assert mine in [image.id for image in client.list(ctx, {"name": "keel", "status": "active"})]
    assert client.list(ctx, {"name": "nosuch"}) == []
    with pytest.raises(Invalid):
        client.list(ctx, marker=str(uuid.uuid4()))


def test_a_deleted_image_is_gone(glance):
    client, ctx, mine, foreign = glance
    with pytest.raises(ImageNotFound):
        client.delete(ctx, foreign)
    client.delete(ctx, mine)
    with pytest.raises(ImageNotFound):
        client.get(ctx, mine)
