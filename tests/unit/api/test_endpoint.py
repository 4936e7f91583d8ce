"""One request through the edge: refusals in their order, versions, bodies, queries, answers."""

import pytest

from openkeel.api import forms
from openkeel.api.app import Settings
from openkeel.api.schema import Array, Body, Object, Param, Prop, Query
from openkeel.api.tables import ANYONE, Answer, Behaviour, Field, Operation, Since, View
from openkeel.api.versions import V
from openkeel.domain.errors import InvalidState, NoCapacity, NotFound
from openkeel.policies import servers
from tests.fixtures.api_client import PROJECT

COLOUR = Behaviour("colour", since=V.SERVER_TAGS)

THING = View(
    Field("id"),
    Field("name"),
    Field("colour", since=V.SERVER_TAGS),
    Field("secret", rule=servers.EXTENDED_ATTRIBUTES, needs=("secrets",)),
    Field("size", get=lambda row, _: str(row["size"]), until=V.FLAVOR_DESCRIPTION),
    Field("size", since=V.FLAVOR_DESCRIPTION),
)
ROW = {"id": "1", "name": "one", "colour": "red", "secret": "s", "size": 4}
BODY = Body(
    Prop(
        "thing",
        Object(
            Prop("name", forms.PADDED_NAME, required=True, until=V.BASE),
            Prop("name", forms.NAME, required=True, since=V.BASE),
            Prop("parts", Array(Object(Prop("tag", forms.STRING, since=V.DEVICE_TAGS)))),
            Prop("size", forms.integer(1, 10)),
        ),
        required=True,
    )
)
QUERY = Query(
    Param("limit", forms.NON_NEGATIVE), Param("colour", since=V.SERVER_TAGS), strict_since=V.STRICT_QUERIES
)


def load(request):
    if request.params["id"] != "1":
        raise NotFound("no such thing")
    return type("Thing", (), {"project_id": "theirs" if "theirs" in request.query else PROJECT})()


def create(request):
    return Answer(
        {**ROW, **request.body["thing"], "colour": "blue" if request.has(COLOUR) else None},
        headers={"Location": request.links.base + "/things/1"},
    )


def fail(request):
    raise {"state": InvalidState, "capacity": NoCapacity, "bug": RuntimeError}[request.params["how"]]("why")


def listing(request):
    return [{**ROW, "name": ",".join(sorted(request.query)) + f" {sorted(request.needs)}"}]


ROWS = (
    Operation("GET", "/things", listing, rule=ANYONE, query=QUERY, view=THING.list("things")),
    Operation(
        "POST",
        "/things",
        create,
        rule=servers.CREATE,
        body=BODY,
        view=THING.one("thing"),
        status=Since({0: 200, V.KEYPAIR_TYPE: 201}),
        behaviours=(COLOUR,),
    ),
    Operation("DELETE", "/things/{id}", lambda r: None, rule=servers.DELETE, target=load, status=204),
    Operation(
        "POST", "/things/{id}/action", lambda r: None, action="poke", rule=servers.START, target=load,
        body=Body(Prop("poke", forms.NULL, required=True)), status=202,
    ),
    Operation(
        "POST", "/things/{id}/action", lambda r: None, action="dump", rule=servers.START, target=load,
        since=V.CRASH_DUMP, status=202,
    ),
    Operation("GET", "/fail/{how}", fail, rule=ANYONE, errors={NoCapacity: 403}),
    Operation("GET", "/old", lambda r: {}, rule=ANYONE, until=V.PROXIES_GONE, view=View()),
)  # fmt: skip


@pytest.fixture
def ask(make_caller):
    return make_caller(ROWS)


def test_a_view_shows_what_the_version_has(ask):
    old = ask("GET", "/v2.1/things").json["things"][0]
    new = ask("GET", "/v2.1/things", version="2.104").json["things"][0]
    assert old == {"id": "1", "name": " []", "size": "4"}
    assert new == {"id": "1", "name": " []", "size": 4, "colour": "red"}


def test_a_soft_field_and_its_needs_come_only_for_whom_the_rule_allows(ask):
    ask.roles = "admin"
    thing = ask("GET", "/v2.1/things").json["things"][0]
    assert thing["secret"] == "s"
    assert thing["name"] == " ['secrets']"


def test_success_tells_version_headers_and_request_ids(ask):
    answer = ask("GET", "/v2.1/things", version="latest")
    assert answer.headers["openstack-api-version"] == "compute 2.104"
    assert answer.headers["x-openstack-nova-api-version"] == "2.104"
    assert answer.headers["vary"] == "OpenStack-API-Version, X-OpenStack-Nova-API-Version"
    assert answer.headers["x-openstack-request-id"] == answer.headers["x-compute-request-id"]
    assert answer.headers["content-type"] == "application/json"


def test_unknown_parameters_are_dropped_and_later_refused(ask):
    assert ask("GET", "/v2.1/things?nosuch=1&limit=2").json["things"][0]["name"] == "limit []"
    assert ask("GET", "/v2.1/things?colour=1").json["things"][0]["name"] == " []"
    assert ask("GET", "/v2.1/things?nosuch=1", version="2.75").status_code == 400
    assert ask("GET", "/v2.1/things?limit=-1").status_code == 400
    assert ask("GET", "/v2.1/things?limit=%FF").status_code == 400


def test_status_and_behaviour_follow_the_version(ask):
    old = ask("POST", "/v2.1/things", {"thing": {"name": "n"}})
    new = ask("POST", "/v2.1/things", {"thing": {"name": "n"}}, version="2.26")
    assert (old.status_code, new.status_code) == (200, 201)
    assert new.json["thing"]["colour"] == "blue"
    assert new.headers["location"] == "http://falconframework.org/v2.1/things/1"


@pytest.mark.parametrize(
    ("version", "thing", "status"),
    [
        ("2.1", {"name": " n"}, 400),
        ("2.1", {"name": "n", "size": "11"}, 400),
        ("2.1", {"name": "n", "size": "10"}, 200),
        ("2.1", {"name": "n", "nosuch": 1}, 400),
        ("2.31", {"name": "n", "parts": [{"tag": "t"}]}, 400),
        ("2.32", {"name": "n", "parts": [{"tag": "t"}]}, 201),
        ("2.1", {"name": "n\u0000"}, 400),
        ("2.1", {"name": "\U0001f600"}, 400),
    ],
)
def test_bodies_are_checked_by_version(ask, version, thing, status):
    assert ask("POST", "/v2.1/things", {"thing": thing}, version=version).status_code == status


def test_the_legacy_endpoint_drops_what_it_does_not_know_and_ignores_versions(ask):
    answer = ask(
        "POST", "/v2/things", {"thing": {"name": " n ", "nosuch": 1, "parts": [{"x": 1}]}}, version="spam"
    )
    assert answer.status_code == 200
    assert answer.json["thing"]["name"] == " n "
    assert "vary" not in answer.headers


def test_a_body_is_refused_before_rules_and_lookup(ask):
    ask.roles = ""
    assert ask("POST", "/v2.1/things", {"thing": {}}).status_code == 400
    assert ask("POST", "/v2.1/things", {"thing": {"name": "n"}}).status_code == 403
    assert ask("POST", "/v2.1/things/2/action", {"poke": 1}).status_code == 400
    assert ask("POST", "/v2.1/things/2/action", {"poke": None}).status_code == 404
    assert ask("POST", "/v2.1/things/1/action", {"poke": None}).status_code == 403


def test_a_rule_sees_the_owner_of_the_target(ask):
    assert ask("DELETE", "/v2.1/things/1").status_code == 204
    assert ask("DELETE", "/v2.1/things/1?theirs=1").status_code == 403


def test_actions_are_chosen_by_the_single_key(ask):
    path = "/v2.1/things/1/action"
    assert ask("POST", path, {"poke": None}).status_code == 202
    assert ask("POST", path, {"nosuch": None}).status_code == 400
    assert ask("POST", path, {"poke": None, "dump": None}).status_code == 400
    assert ask("POST", path, []).status_code == 400
    assert ask("POST", path, {"dump": None}, version="2.16").status_code == 404
    assert ask("POST", path, {"dump": {"any": "thing"}}, version="2.17").status_code == 202


def test_an_operation_outside_its_versions_is_not_found(ask):
    assert ask("GET", "/v2.1/old", version="2.35").status_code == 200
    answer = ask("GET", "/v2.1/old", version="2.36")
    assert (answer.status_code, answer.json["itemNotFound"]["code"]) == (404, 404)
    assert answer.headers["openstack-api-version"] == "compute 2.36"


def test_an_unknown_path_is_plainly_not_found_before_versions(ask):
    for path in ("/v2.1/nosuch", "/v2.1/things/", "/v2.1/not-a-project/things", "/v2.1/ABC/things"):
        answer = ask("GET", path, version="spam")
        assert answer.status_code == 404
        assert answer.json["code"] == "404 Not Found"
        assert "openstack-api-version" not in answer.headers
    assert ask("PATCH", "/v2.1/things").json["title"] == "Not Found"


def test_without_a_token_everything_is_unauthorized(ask):
    ask.roles = None
    assert ask("GET", "/v2.1/things").status_code == 401
    assert ask("GET", "/v2.1/nosuch").status_code == 401


def test_the_project_of_the_url_must_be_the_own(ask):
    mine = ask("POST", f"/v2.1/{PROJECT}/things", {"thing": {"name": "n"}})
    assert mine.headers["location"] == f"http://falconframework.org/v2.1/{PROJECT}/things/1"
    assert ask("GET", "/v2.1/0123abc/things").status_code == 400
    assert ask("GET", f"/v2/{PROJECT}/things").status_code == 200


@pytest.mark.parametrize(
    ("how", "status", "name"),
    [("state", 409, "conflictingRequest"), ("capacity", 403, "forbidden"), ("bug", 500, "computeFault")],
)
def test_errors_become_faults_by_kind(ask, how, status, name):
    answer = ask("GET", f"/v2.1/fail/{how}")
    assert answer.status_code == status
    assert answer.json[name]["code"] == status
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.json[name]["message"] == "why" or status == 500


def test_what_we_did_not_raise_on_purpose_is_not_told(ask):
    assert "why" not in ask("GET", "/v2.1/fail/bug").text


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json; charset=latin-1", 201),
        ("application/vnd.openstack.compute+json", 201),
        ("text/plain", 201),
        ("application/xml", 415),
        ("Application/JSON", 415),
        ("///", 415),
    ],
)
def test_media_types(ask, kind, status):
    answer = ask(
        "POST", "/v2.1/things", {"thing": {"name": "n"}}, version="2.2", headers={"Content-Type": kind}
    )
    assert answer.status_code == status


@pytest.mark.parametrize("raw", ["", "  ", "null", "5", "[]", "{", '{"a":1}{}', '{"thing":{"name":NaN}}'])
def test_what_is_no_json_object_is_refused(ask, raw):
    answer = ask("POST", "/v2.1/things", raw)
    assert answer.status_code == 400
    assert "badRequest" in answer.json


def test_too_large_a_body_is_refused_unread(make_caller):
    ask = make_caller(ROWS, settings=Settings(max_body_bytes=100))
    answer = ask("POST", "/v2.1/things", {"thing": {"name": "x" * 100}})
    assert answer.status_code == 413
    assert answer.json["code"] == "413 Request Entity Too Large"


def test_the_vendor_type_is_answered_when_asked_for(ask):
    kind = "application/vnd.openstack.compute+json"
    assert (
        ask("GET", "/v2.1/things", headers={"Accept": kind + ";version=2.1"}).headers["content-type"] == kind
    )
    assert (
        ask("GET", "/v2.1/things", headers={"Accept": "text/html"}).headers["content-type"]
        == "application/json"
    )
