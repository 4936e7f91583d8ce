"""Connections: who asks, how often, and what answers mean."""

import json

import pytest
import requests
from keystoneauth1 import noauth, token_endpoint
from keystoneauth1.session import Session
from requests.adapters import BaseAdapter

from openkeel.clients import errors
from openkeel.clients.session import Connection, Retries
from openkeel.common.context import Context


class Canned(BaseAdapter):
    """Answers in order: an exception to raise, or (status, body)."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)
        self.seen = []

    def send(self, request, **kwargs):
        self.seen.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        response = requests.Response()
        response.status_code, body = answer
        response._content = body if isinstance(body, bytes) else json.dumps(body).encode()
        response.headers["Content-Type"] = "application/json"
        response.request, response.url = request, request.url
        return response

    def close(self):
        pass


CATALOG = [
    {
        "type": "network",
        "name": "neutron",
        "endpoints": [{"region": "R", "publicURL": "http://users.invalid:9696/"}],
    }
]


def connect(adapter, **values):
    pool = requests.Session()
    pool.mount("http://", adapter)
    values.setdefault("service_auth", token_endpoint.Token("http://service.invalid:9696", "service"))
    values.setdefault("retries", Retries(first_pause_s=0.0))
    return Connection(
        "Neutron",
        Session(session=pool),
        adapter={"service_type": "network", "interface": ["internal", "public"]},
        version_path="/v2.0",
        **values,
    )


def user(**values):
    values.setdefault("service_catalog", CATALOG)
    return Context("u", "p", auth_token="users", overwrite=False, **values)


def refused():
    return requests.exceptions.ConnectionError("refused")


def test_without_a_user_the_service_account_asks():
    adapter = Canned((200, {"ports": []}))
    assert connect(adapter).json("GET", "/ports", params=[("id", "a"), ("id", "b")]) == {"ports": []}
    [request] = adapter.seen
    assert request.url == "http://service.invalid:9696/v2.0/ports?id=a&id=b"
    assert request.headers["X-Auth-Token"] == "service"


def test_a_user_asks_with_his_token_at_his_catalogue_and_the_service_token_beside_it():
    adapter = Canned((200, {}))
    ctx = user(request_id="req-1")
    connect(adapter, token_auth=token_endpoint.Token("http://x.invalid", "beside")).json(
        "GET", "/ports", ctx=ctx
    )
    [request] = adapter.seen
    assert request.url == "http://users.invalid:9696/v2.0/ports"
    assert request.headers["X-Auth-Token"] == "users"
    assert request.headers["X-Service-Token"] == "beside"
    assert request.headers["X-OpenStack-Request-ID"] == "req-1"


def test_a_user_without_a_catalogue_goes_to_the_address_the_service_knows():
    adapter = Canned((200, {}))
    connect(adapter).json("GET", "/ports", ctx=user(service_catalog=[]))
    [request] = adapter.seen
    assert request.url == "http://service.invalid:9696/v2.0/ports"
    assert request.headers["X-Auth-Token"] == "users"
    assert "X-Service-Token" not in request.headers


def test_an_address_that_ends_with_the_version_gets_no_second_one():
    adapter = Canned((200, {}))
    auth = token_endpoint.Token("http://service.invalid/v2.0", "service")
    connect(adapter, service_auth=auth).json("GET", "/ports")
    assert adapter.seen[0].url == "http://service.invalid/v2.0/ports"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_lost_connection_is_tried_again(method):
    adapter = Canned(refused(), refused(), (200, {}))
    connect(adapter).request(method, "/ports")
    assert len(adapter.seen) == 3


def test_after_the_last_attempt_the_service_is_unavailable():
    adapter = Canned(*[refused() for _ in range(3)])
    with pytest.raises(errors.Unavailable) as caught:
        connect(adapter).request("GET", "/ports")
    assert caught.value.facts["status"] is None
    assert caught.value.__cause__ is not None
    # Users read this: neither where the service runs nor what we are made of.
    assert "service.invalid" not in str(caught.value)
    assert "cannot be reached" in str(caught.value)


def test_what_is_not_idempotent_is_asked_once():
    adapter = Canned(refused())
    with pytest.raises(errors.Unavailable):
        connect(adapter).request("POST", "/ports", body={})
    assert len(adapter.seen) == 1


def test_no_retry_begins_behind_the_deadline():
    adapter = Canned(refused())
    with pytest.raises(errors.Unavailable):
        connect(adapter, retries=Retries(first_pause_s=5.0, timeout_s=1.0)).request("GET", "/ports")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.Rejected), (403, errors.Forbidden), (404, errors.NotFound), (405, errors.Rejected),
        (409, errors.Conflict), (413, errors.OverQuota), (429, errors.Unavailable),
        (500, errors.Unavailable), (503, errors.Unavailable),
    ],
)  # fmt: skip
def test_statuses_are_kinds(status, kind):
    with pytest.raises(kind) as caught:
        connect(Canned((status, {}))).request("GET", "/ports")
    assert type(caught.value) is kind
    assert caught.value.facts["status"] == status


@pytest.mark.parametrize(
    ("body", "code", "detail"),
    [
        ({"NeutronError": {"type": "PortInUse", "message": "taken"}}, "PortInUse", "taken"),
        ({"errors": [{"code": "placement.concurrent_update", "detail": "again"}]},
         "placement.concurrent_update", "again"),
        ({"error": {"title": "Conflict", "message": "no"}}, "Conflict", "no"),
        ({"conflictingRequest": {"code": 409, "message": "in use"}}, "conflictingRequest", "in use"),
    ],
)  # fmt: skip
def test_the_services_own_words_are_kept(body, code, detail):
    with pytest.raises(errors.Conflict) as caught:
        connect(Canned((409, body))).request("GET", "/ports")
    assert (caught.value.code, caught.value.detail) == (code, detail)


def test_an_exceeded_quota_is_known_by_its_type():
    with pytest.raises(errors.OverQuota):
        connect(Canned((409, {"NeutronError": {"type": "OverQuota", "message": "ports"}}))).request(
            "POST", "/ports", body={}
        )


def test_a_refused_token_is_the_users_matter_and_our_own_is_not():
    with pytest.raises(errors.Forbidden):
        connect(Canned((401, {}))).request("GET", "/ports", ctx=user())
    with pytest.raises(errors.Unavailable, match="our own credentials"):
        connect(Canned((401, {}))).request("GET", "/ports")


def test_an_answer_that_is_no_json_is_the_services_fault():
    with pytest.raises(errors.Unavailable, match="not JSON"):
        connect(Canned((200, b"<html>"))).json("GET", "/ports")


def test_a_service_nobody_knows_is_unavailable():
    connection = connect(Canned(), service_auth=noauth.NoAuth())
    with pytest.raises(errors.Unavailable):
        connection.request("GET", "/ports", ctx=user(service_catalog=[]))
