"""Version documents, health and tokens: what is there without any operation."""

import io

import pytest
from falcon import testing
from keystonemiddleware.opts import list_auth_token_opts
from oslo_config import cfg
from oslo_middleware.cors import CORS_OPTS

from openkeel.api.middleware import BodyLimit
from openkeel.api.wiring import make_app
from openkeel.common.options import register_all
from openkeel.policies import Enforcer

ROOT = "http://falconframework.org"


@pytest.fixture(scope="module")
def client():
    return client_of()


def client_of(*arguments, **cors):
    conf = cfg.ConfigOpts()
    register_all(conf)
    conf(list(arguments), project="openkeel", default_config_files=[], default_config_dirs=[])
    opts = dict(list_auth_token_opts())
    conf.register_opts(opts["keystone_authtoken"], group="keystone_authtoken")
    conf.set_override("www_authenticate_uri", "http://keystone/v3", group="keystone_authtoken")
    if cors:
        conf.register_opts(CORS_OPTS, group="cors")
    for name, value in cors.items():
        conf.set_override(name, value, group="cors")
    return testing.TestClient(make_app(conf, None, Enforcer(conf)))


def test_the_root_lists_the_versions(client):
    answer = client.simulate_get("/")
    assert answer.status_code == 200
    assert answer.json["versions"] == [
        {
            "id": "v2.0",
            "status": "DEPRECATED",
            "version": "",
            "min_version": "",
            "updated": "2025-07-04T12:00:00Z",
            "links": [{"rel": "self", "href": f"{ROOT}/v2/"}],
        },
        {
            "id": "v2.1",
            "status": "CURRENT",
            "version": "2.104",
            "min_version": "2.1",
            "updated": "2013-07-23T11:33:21Z",
            "links": [{"rel": "self", "href": f"{ROOT}/v2.1/"}],
        },
    ]


@pytest.mark.parametrize("path", ["/v2.1", "/v2.1/", "//v2.1//"])
def test_a_version_tells_of_itself_without_a_token(client, path):
    version = client.simulate_get(path).json["version"]
    assert (version["id"], version["version"], version["min_version"]) == ("v2.1", "2.104", "2.1")
    assert version["links"][0] == {"rel": "self", "href": f"{ROOT}/v2.1/"}
    assert version["media-types"] == [
        {"base": "application/json", "type": "application/vnd.openstack.compute+json;version=2.1"}
    ]


def test_an_unknown_root_offers_the_choices(client):
    answer = client.simulate_get("/v3/servers")
    assert answer.status_code == 300
    assert [choice["links"][0]["href"] for choice in answer.json["choices"]] == [
        f"{ROOT}/v2/v3/servers",
        f"{ROOT}/v2.1/v3/servers",
    ]


def test_health_is_told_without_a_token(client):
    assert client.simulate_get("/healthcheck").status_code == 200


def test_an_operator_takes_the_api_out_of_service_by_a_file(tmp_path):
    flag, options = tmp_path / "out-of-service", tmp_path / "openkeel.conf"
    options.write_text(f"[healthcheck]\nbackends = disable_by_file\ndisable_by_file_path = {flag}\n")
    client = client_of(f"--config-file={options}")
    assert client.simulate_head("/healthcheck").status_code == 204
    flag.touch()
    assert client.simulate_get("/healthcheck").status_code == 503
    assert client.simulate_get("/").status_code == 200  # the rest goes on
    flag.unlink()
    assert client.simulate_get("/healthcheck").status_code == 200


def test_without_a_token_keystones_middleware_refuses(client):
    answer = client.simulate_get("/v2.1/servers")
    assert answer.status_code == 401
    assert answer.json["error"]["title"] == "Unauthorized"
    assert "www-authenticate" in answer.headers
    assert answer.headers["x-openstack-request-id"].startswith("req-")


def test_too_large_a_body_is_refused_before_the_token(client):
    answer = client.simulate_post("/v2.1/servers", body="x" * 114689)
    assert (answer.status_code, answer.json["code"]) == (413, "413 Request Entity Too Large")
    assert "retry-after" not in answer.headers  # as Nova: the same body will not do later either


@pytest.mark.parametrize(
    ("size", "left"), [(100_000, 0), (1_000_000, 0), (20_000_000, 20_000_000 - 1_146_880)]
)
def test_a_body_that_nobody_reads_does_not_stand_before_the_next_request(size, left):
    """The server closes a connection that still holds much of a body, and the next request is lost."""
    limit = BodyLimit(lambda _environ, _start_response: [b"refused early"], 114_688)
    body = io.BytesIO(b"x" * size)
    environ = {"wsgi.input": body, "wsgi.input_terminated": True, "CONTENT_LENGTH": str(size)}
    limit(environ, lambda *_: None)
    assert size - body.tell() == left


@pytest.mark.parametrize("path", ["/v2.1", "/v2.1/"])
def test_the_document_of_the_version_is_negotiated(client, path):
    answer = client.simulate_get(path, headers={"OpenStack-API-Version": "compute 2.50"})
    assert answer.headers["OpenStack-API-Version"] == "compute 2.50"
    assert answer.headers["Vary"] == "OpenStack-API-Version, X-OpenStack-Nova-API-Version"
    too_high = client.simulate_get(path, headers={"OpenStack-API-Version": "compute 2.999"})
    assert (too_high.status_code, too_high.json["computeFault"]["code"]) == (406, 406)
    assert too_high.headers["X-OpenStack-Nova-API-Version"] == "2.999"
    malformed = client.simulate_get(path, headers={"X-OpenStack-Nova-API-Version": "x"})
    assert (malformed.status_code, malformed.json["badRequest"]["code"]) == (400, 400)
    assert "OpenStack-API-Version" not in malformed.headers


def test_the_document_of_the_legacy_endpoint_knows_no_versions(client):
    answer = client.simulate_get("/v2/", headers={"OpenStack-API-Version": "compute 2.999"})
    assert answer.json["version"]["id"] == "v2.0"
    assert "OpenStack-API-Version" not in answer.headers


@pytest.mark.parametrize("path", ["/v2.1/servers", "/v2/servers", "/nosuch"])
def test_what_a_browser_asks_first_is_answered_without_a_token(client, path):
    answer = client.simulate_options(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert client.simulate_options("/").json["versions"]


# Browsers of other origins, where the operator names them


@pytest.fixture(scope="module")
def browser():
    return client_of(allowed_origin=["https://horizon"])


def test_a_browser_may_ask_what_it_needs(browser):
    wishes = {
        "Origin": "https://horizon",
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "X-Auth-Token, OpenStack-API-Version",
    }
    answer = browser.simulate_options("/v2.1/servers", headers=wishes)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://horizon"
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
    assert "OpenStack-API-Version" in answer.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("path", ["/", "/v2.1/servers"])
def test_a_browser_sees_versions_and_request_ids_also_of_refusals(browser, path):
    answer = browser.simulate_get(path, headers={"Origin": "https://horizon"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://horizon"
    assert "X-Openstack-Request-Id" in answer.headers["Access-Control-Expose-Headers"]
    assert answer.headers["x-openstack-request-id"].startswith("req-")


def test_a_stranger_is_told_nothing_of_it(browser, client):
    assert (
        "Access-Control-Allow-Origin"
        not in browser.simulate_get("/", headers={"Origin": "https://a"}).headers
    )
    assert (
        "Access-Control-Allow-Origin"
        not in client.simulate_get("/", headers={"Origin": "https://horizon"}).headers
    )
