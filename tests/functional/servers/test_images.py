"""The proxies to images and their metadata. Golden: recording image-proxies."""

import pytest

from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import IMAGE, NO_UUID

MINE = "22222222-3333-4444-5555-666666666666"


@pytest.fixture
def world(world):
    world.add_image(
        MINE,
        name="mine",
        status="queued",
        visibility="private",
        owner=PROJECT,
        size_bytes=None,
        properties={"prop": "val"},
    )
    return world


def ask(world, path="", method="GET", body=None, who=None, version="2.35"):
    return (who or world.member)(method, f"/v2.1/images{path}", body, version=version)


def ids(answer):
    return [image["id"] for image in answer.json["images"]]


def test_an_image_in_the_words_of_the_compute_api(world):
    image = ask(world, f"/{MINE}").json["image"]
    assert image.pop("links") == [
        {"rel": "self", "href": f"http://falconframework.org/v2.1/images/{MINE}"},
        {"rel": "bookmark", "href": f"http://falconframework.org/images/{MINE}"},
        {
            "rel": "alternate",
            "type": "application/vnd.openstack.image",
            "href": f"http://glance.invalid//images/{MINE}",
        },
    ]
    assert image == {
        "id": MINE,
        "name": "mine",
        "minRam": 0,
        "minDisk": 0,
        "metadata": {"prop": "val"},
        "created": "2026-01-01T00:00:00Z",
        "updated": "2026-01-01T00:00:00Z",
        "status": "SAVING",
        "progress": 25,
        "OS-EXT-IMG-SIZE:size": 0,
    }


@pytest.mark.parametrize(
    ("status", "shown", "progress"),
    [
        ("saving", "SAVING", 50),
        ("active", "ACTIVE", 100),
        ("killed", "ERROR", 0),
        ("deleted", "DELETED", 0),
        ("pending_delete", "DELETED", 0),
        ("importing", "UNKNOWN", 0),
    ],
)
def test_statuses(world, status, shown, progress):
    world.add_image(MINE, status=status)
    image = ask(world, f"/{MINE}").json["image"]
    assert (image["status"], image["progress"]) == (shown, progress)


def test_a_snapshot_names_its_server(world):
    world.add_image(MINE, properties={"instance_uuid": NO_UUID, "auto_disk_config": "True"})
    image = ask(world, f"/{MINE}").json["image"]
    assert image["server"]["id"] == NO_UUID
    assert [link["rel"] for link in image["server"]["links"]] == ["self", "bookmark"]
    assert image["OS-DCF:diskConfig"] == "AUTO"


def test_lists_in_brief_and_in_full(world):
    assert ids(ask(world)) == [MINE, IMAGE]
    assert ask(world).json["images"][0].keys() == {"id", "name", "links"}
    assert ask(world, "/detail").json["images"][0]["metadata"] == {"prop": "val"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name=mine", [MINE]),
        ("status=queued", [MINE]),
        ("status=QUEUED", [MINE]),
        ("status=SAVING", []),
        ("status=ACTIVE", [IMAGE]),
        (f"server={NO_UUID}", []),
        ("type=snapshot", []),
        ("property-prop=val", []),
        ("changes-since=2020-01-01T00:00:00Z", [MINE, IMAGE]),
        ("changes-since=2027-01-01T00:00:00Z", []),
        ("minDisk=0", [MINE, IMAGE]),
        ("minRam=1", []),
        ("nosuch=1", [MINE, IMAGE]),
    ],
)
def test_filters(world, query, found):
    assert ids(ask(world, f"?{query}")) == found


def test_pages(world):
    first = ask(world, "?limit=1&name=mine").json
    (link,) = first["images_links"]
    assert link == {
        "rel": "next",
        "href": f"http://falconframework.org/v2.1/images?limit=1&name=mine&marker={MINE}",
    }
    assert ids(ask(world, f"?marker={MINE}")) == [IMAGE]
    for wrong in ("limit=x", "limit=0", f"marker={NO_UUID}", "offset=x"):
        assert ask(world, f"?{wrong}").status_code == 400


def test_metadata_is_the_properties(world):
    path = f"/{MINE}/metadata"
    assert ask(world, path).json == {"metadata": {"prop": "val"}}
    more = ask(world, path, "POST", {"metadata": {"k1": "v1"}})
    assert more.json == {"metadata": {"prop": "val", "k1": "v1"}}
    assert ask(world, path, "PUT", {"metadata": {"k2": "v2"}}).json == {"metadata": {"k2": "v2"}}
    assert ask(world, f"{path}/k3", "PUT", {"meta": {"k3": "v3"}}).json == {"meta": {"k3": "v3"}}
    assert ask(world, f"{path}/k3", "PUT", {"meta": {"k4": "v3"}}).status_code == 400
    assert ask(world, f"{path}/k3", "PUT", {"meta": {"k3": "a", "k4": "b"}}).status_code == 400
    assert ask(world, f"{path}/k3").json == {"meta": {"k3": "v3"}}
    assert ask(world, f"{path}/nosuch").status_code == 404
    assert ask(world, f"{path}/k3", "DELETE").status_code == 204
    assert ask(world, f"{path}/k3", "DELETE").status_code == 404


def test_metadata_is_limited(world):
    world.limit(metadata_items=1)
    assert ask(world, f"/{MINE}/metadata", "POST", {"metadata": {"k1": "v1"}}).status_code == 403
    assert ask(world, f"/{MINE}/metadata", "PUT", {"metadata": {"k1": "v1"}}).status_code == 200


def test_glance_says_who_may(world):
    assert ask(world, f"/{MINE}", who=world.other).status_code == 404
    assert ask(world, f"/{MINE}/metadata", who=world.other).status_code == 404
    assert ask(world, f"/{MINE}", who=world.reader).status_code == 200
    assert ask(world, f"/{MINE}/metadata/prop", "DELETE", who=world.reader).status_code == 403
    assert ask(world, f"/{MINE}", "DELETE", who=world.other).status_code == 404
    assert ask(world, f"/{IMAGE}", "DELETE").status_code == 403
    assert ask(world, f"/{MINE}", "DELETE").status_code == 204
    assert ask(world, f"/{MINE}").status_code == 404


def test_the_proxies_end(world):
    for path in ("", "/detail", f"/{MINE}"):
        assert ask(world, path, version="2.35").status_code == 200
        assert ask(world, path, version="2.36").status_code == 404
    assert ask(world, f"/{MINE}/metadata", version="2.38").status_code == 200
    assert ask(world, f"/{MINE}/metadata", version="2.39").status_code == 404
    assert ask(world, f"/{MINE}", "DELETE", version="2.36").status_code == 404
