"""Paths, methods and versions before any operation. Golden: recordings versions-*, and a Nova beside us."""

import pytest

from tests.fixtures.api_client import PROJECT


@pytest.mark.parametrize(("root", "id_"), [("/v2.1", "v2.1"), ("/v2", "v2.0")])
def test_the_root_of_a_project_is_the_document_of_the_version(world, root, id_):
    assert world.ask("GET", f"{root}/{PROJECT}/").json["version"]["id"] == id_
    assert world.ask("GET", f"{root}/{PROJECT}").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v2.1/nosuch"),
        ("GET", "/v2.1/limits/"),
        ("GET", "/v2.1/servers/"),
        ("GET", "/v2.1/limits.json"),
        ("GET", f"/v2.1/{PROJECT}/nosuch"),
        ("GET", "/v2.1/zzz/limits"),
        ("PUT", "/v2.1/limits"),
        ("HEAD", "/v2.1/limits"),
        ("TRACE", "/v2.1/limits"),
    ],
)
def test_what_has_no_route_is_refused_before_its_version(world, method, path):
    answer = world.ask(method, path, version="2.999")
    assert answer.status_code == 404
    assert "OpenStack-API-Version" not in answer.headers
    if method != "HEAD":
        assert answer.json.keys() == {"message", "code", "title"}
        assert answer.json["code"] == "404 Not Found"


@pytest.mark.parametrize("path", ["//v2.1/limits", f"/v2.1/{PROJECT}/limits"])
def test_doubled_slashes_and_the_project_do_not_matter(world, path):
    assert world.ask("GET", path).status_code == 200


def test_another_project_in_the_url_is_refused(world):
    assert world.ask("GET", "/v2.1/0123456789abcdef/limits").status_code == 400


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ({}, "2.1"),
        ({"OpenStack-API-Version": ""}, "2.1"),
        ({"OpenStack-API-Version": "2.5"}, "2.1"),
        ({"OpenStack-API-Version": "compute"}, "2.1"),
        ({"OpenStack-API-Version": "volume 3.1"}, "2.1"),
        ({"OpenStack-API-Version": "volume 3.1, compute 2.5"}, "2.5"),
        ({"OpenStack-API-Version": "compute 2.5, compute 2.6"}, "2.6"),
        ({"OpenStack-API-Version": "compute latest"}, "2.104"),
        ({"X-OpenStack-Nova-API-Version": "2.5"}, "2.5"),
        ({"X-OpenStack-Nova-API-Version": "latest"}, "2.104"),
        ({"OpenStack-API-Version": "compute 2.5", "X-OpenStack-Nova-API-Version": "2.6"}, "2.5"),
        ({"OpenStack-API-Version": "volume 2.5", "X-OpenStack-Nova-API-Version": "2.6"}, "2.6"),
        ({"X-OpenStack-Nova-API-Version": ""}, 400),
        ({"OpenStack-API-Version": "compute LATEST"}, 400),
        ({"OpenStack-API-Version": "compute 2.05"}, 400),
        ({"OpenStack-API-Version": "compute 2.105"}, 406),
        ({"OpenStack-API-Version": "compute 2.0"}, 406),
        ({"OpenStack-API-Version": "compute 3.0"}, 406),
    ],
)
def test_negotiation(world, headers, version):
    answer = world.ask("GET", "/v2.1/limits", headers=headers)
    if isinstance(version, int):
        assert answer.status_code == version
    else:
        assert answer.headers["OpenStack-API-Version"] == f"compute {version}"
        assert answer.headers["X-OpenStack-Nova-API-Version"] == version


LEGACY_BODIES = [
    ("POST", "/os-keypairs", {"keypair": {"name": " padded ", "zzz": 1}, "more": 1}, 200, 400),
    ("PUT", f"/os-quota-sets/{PROJECT}", {"quota_set": {"cores": 1, "zzz": 1}, "more": 1}, 200, 400),
    ("PUT", f"/os-quota-sets/{PROJECT}", {"quota_set": {"cores": "x"}}, 400, 400),
    ("PUT", "/os-quota-class-sets/c", {"quota_class_set": {"cores": 1}}, 200, 200),
    (
        "POST",
        "/flavors",
        {"flavor": {"name": " f ", "ram": 1, "vcpus": 1, "disk": 0, "zzz": 1}},
        200,
        400,
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "legacy", "strict"), LEGACY_BODIES)
def test_the_legacy_endpoint_drops_what_it_does_not_know(world, method, path, body, legacy, strict):
    assert world.admin(method, f"/v2.1{path}", body).status_code == strict
    assert world.admin(method, f"/v2{path}", body).status_code == legacy


def test_the_legacy_endpoint_answers_like_the_first_version(world):
    for path in ("/limits", "/extensions/os-keypairs", f"/os-quota-sets/{PROJECT}"):
        old = world.ask("GET", f"/v2{path}", version="2.999")
        assert old.json == world.ask("GET", f"/v2.1{path}", version="2.1").json
        assert "OpenStack-API-Version" not in old.headers
        assert "x-openstack-request-id" in old.headers
