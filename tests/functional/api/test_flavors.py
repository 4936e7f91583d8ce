"""Flavors. Golden: recordings flavors-*."""

import pytest

from tests.fixtures.api_client import PROJECT
from tests.functional.api.conftest import NO_UUID, OTHER

BODY = {"name": "n", "ram": 64, "vcpus": 1, "disk": 0}


def test_a_new_flavor_is_shown_as_each_version_knows_it(world):
    world.flavor("small")
    old = world.ask("GET", "/v2.1/flavors/small").json["flavor"]
    middle = world.ask("GET", "/v2.1/flavors/small", version="2.61").json["flavor"]
    new = world.ask("GET", "/v2.1/flavors/small", version="2.104").json["flavor"]
    base = {
        "id": "small",
        "name": "small",
        "ram": 64,
        "disk": 0,
        "OS-FLV-EXT-DATA:ephemeral": 0,
        "vcpus": 1,
        "os-flavor-access:is_public": True,
        "links": [
            {"rel": "self", "href": "http://falconframework.org/v2.1/flavors/small"},
            {"rel": "bookmark", "href": "http://falconframework.org/flavors/small"},
        ],
    }
    gone = {"OS-FLV-DISABLED:disabled": False, "rxtx_factor": 1.0}
    assert old == base | gone | {"swap": ""}
    assert middle == base | gone | {"swap": "", "description": None, "extra_specs": {}}
    assert new == base | {"swap": 0, "description": None, "extra_specs": {}}


def test_lists_show_no_swap_as_a_flavor_does(world):
    world.flavor("small")

    def listed(version):
        return world.ask("GET", "/v2.1/flavors/detail", version=version).json["flavors"][0]["swap"]

    assert (listed("2.74"), listed("2.75"), listed("2.102")) == ("", 0, 0)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"extra_specs": {"k": "\U0001f600"}}),
        ("PUT", "/k", {"k": "\U0001f600"}),
    ],
)
def test_extra_specs_hold_only_what_databases_keep(world, method, path, body):
    world.flavor("a")
    assert world.admin(method, f"/v2.1/flavors/a/os-extra_specs{path}", body).status_code == 400


def test_extra_specs_are_shown_by_rule_and_loaded_at_once(world):
    for name in ("a", "b"):
        world.flavor(name)
        world.admin("POST", f"/v2.1/flavors/{name}/os-extra_specs", {"extra_specs": {"k": name}})
    shown = world.ask("GET", "/v2.1/flavors/detail", version="2.61").json["flavors"]
    assert [flavor["extra_specs"] for flavor in shown] == [{"k": "a"}, {"k": "b"}]
    guest = world.as_("guest")("GET", "/v2.1/flavors/detail", version="2.61").json["flavors"]
    assert "extra_specs" not in guest[0]


def test_paging_goes_through_every_flavor_once(world):
    for name in ("a", "b", "c"):
        world.flavor(name, ram=64 if name != "b" else 32)
    path, seen = "/v2.1/flavors?limit=2&sort_key=memory_mb&sort_dir=desc", []
    while path:
        page = world.ask("GET", path).json
        seen += [flavor["id"] for flavor in page["flavors"]]
        links = page.get("flavors_links")
        path = links[0]["href"].removeprefix("http://falconframework.org") if links else None
    assert seen == ["c", "a", "b"]


def test_a_next_link_repeats_the_last_values(world):
    for name in ("1", "2", "3"):
        world.flavor(name)
    page = world.ask("GET", "/v2.1/flavors?limit=1&limit=2").json
    assert page["flavors_links"] == [
        {"rel": "next", "href": "http://falconframework.org/v2.1/flavors?limit=2&marker=2"}
    ]


@pytest.mark.parametrize(
    ("who", "query", "expected"),
    [
        ("admin", "is_public=true", ["a", "b"]),
        ("admin", "is_public=false", ["c"]),
        ("admin", "is_public=None", ["a", "b", "c"]),
        ("admin", "is_public=junk", 400),
        ("admin", "is_public=", 400),
        ("member", "is_public=false", ["a", "b"]),
        ("member", "is_public=junk", ["a", "b"]),
        ("member", "minRam=800", ["b"]),
        ("member", "minRam=x", 400),
        ("member", "minDisk=20", ["b"]),
        ("member", "minDisk=-1", ["a", "b"]),
        ("member", "sort_key=nosuch", 400),
        ("member", "sort_dir=junk", 400),
        ("member", "marker=a", ["b"]),
        ("member", "marker=nosuch", 400),
        ("member", "marker=c", 400),
        ("admin", "marker=c", []),
        ("member", "limit=0", []),
    ],
)
def test_list_queries(world, who, query, expected):
    world.flavor("a")
    world.flavor("b", ram=900, disk=30)
    world.flavor("c", ram=70, **{"os-flavor-access:is_public": False})
    ask = world.admin if who == "admin" else world.ask
    answer = ask("GET", f"/v2.1/flavors?{query}")
    if isinstance(expected, int):
        assert answer.status_code == expected
    else:
        assert [flavor["id"] for flavor in answer.json["flavors"]] == expected


@pytest.mark.parametrize(
    ("version", "query", "expected"),
    [
        ("2.1", "name=b", ["a", "b"]),
        ("2.101", "name=b", 400),
        ("2.102", "name=b", ["b"]),
        ("2.102", "name=", ["a", "b"]),
        ("2.102", "name=[", 400),
        ("2.102", "name=a{99999999999}", 400),
        ("2.101", "sort_key=rxtx_factor", ["a", "b"]),
        ("2.102", "sort_key=rxtx_factor", 400),
    ],
)
def test_list_queries_by_version(world, version, query, expected):
    world.flavor("a")
    world.flavor("b")
    answer = world.ask("GET", f"/v2.1/flavors/detail?{query}", version=version)
    if isinstance(expected, int):
        assert answer.status_code == expected
    else:
        assert [flavor["id"] for flavor in answer.json["flavors"]] == expected


@pytest.mark.parametrize(
    ("changes", "version", "status"),
    [
        ({}, "2.1", 200),
        ({"id": None}, "2.1", 200),
        ({"id": 7}, "2.1", 200),
        ({"id": " x"}, "2.1", 400),
        ({"name": " n"}, "2.1", 400),
        ({"ram": "x"}, "2.1", 400),
        ({"ram": "64"}, "2.1", 200),
        ({"ram": 0}, "2.1", 400),
        ({"disk": 1 << 31}, "2.1", 400),
        ({"rxtx_factor": "1.5"}, "2.101", 200),
        ({"rxtx_factor": 0}, "2.1", 400),
        ({"rxtx_factor": "0"}, "2.1", 400),
        ({"rxtx_factor": 1.5}, "2.102", 400),
        ({"description": "d"}, "2.54", 400),
        ({"description": "d"}, "2.55", 200),
        ({"os-flavor-access:is_public": "off"}, "2.1", 200),
        ({"os-flavor-access:is_public": "maybe"}, "2.1", 400),
    ],
)
def test_create_bodies(world, changes, version, status):
    answer = world.admin("POST", "/v2.1/flavors", {"flavor": BODY | changes}, version=version)
    assert answer.status_code == status, answer.text


def test_names_and_ids_are_unique(world):
    world.flavor("one")
    again = world.admin("POST", "/v2.1/flavors", {"flavor": BODY | {"name": "one"}})
    same_id = world.admin("POST", "/v2.1/flavors", {"flavor": BODY | {"id": "one"}})
    assert (again.status_code, same_id.status_code) == (409, 409)


def test_the_description_can_be_changed_since_2_55(world):
    world.flavor("one")
    body = {"flavor": {"description": "better"}}
    assert world.admin("PUT", "/v2.1/flavors/one", body, version="2.54").status_code == 404
    answer = world.admin("PUT", "/v2.1/flavors/one", body, version="2.55")
    assert answer.json["flavor"]["description"] == "better"
    assert world.ask("PUT", "/v2.1/flavors/one", body, version="2.55").status_code == 403
    assert world.admin("PUT", "/v2.1/flavors/nosuch", body, version="2.55").status_code == 404


def test_a_deleted_flavor_is_gone(world):
    world.flavor("one")
    assert world.ask("DELETE", "/v2.1/flavors/one").status_code == 403
    assert world.admin("DELETE", "/v2.1/flavors/one").status_code == 202
    assert world.ask("GET", "/v2.1/flavors/one").status_code == 404
    assert world.admin("DELETE", "/v2.1/flavors/one").status_code == 404


# Access


def act(world, flavor, action, project, version="2.7"):
    body = {action: {"tenant": project}}
    return world.admin("POST", f"/v2.1/flavors/{flavor}/action", body, version=version)


def test_a_private_flavor_is_seen_by_whom_it_was_given(world):
    world.flavor("p", **{"os-flavor-access:is_public": False})
    assert world.ask("GET", "/v2.1/flavors/p").status_code == 404
    given = act(world, "p", "addTenantAccess", PROJECT)
    assert given.json == {"flavor_access": [{"flavor_id": "p", "tenant_id": PROJECT}]}
    assert world.ask("GET", "/v2.1/flavors/p").status_code == 200
    assert [one["id"] for one in world.ask("GET", "/v2.1/flavors").json["flavors"]] == ["p"]
    other = world.as_("member,reader", project=OTHER)
    assert other("GET", "/v2.1/flavors").json["flavors"] == []
    assert act(world, "p", "removeTenantAccess", PROJECT).json == {"flavor_access": []}
    assert world.ask("GET", "/v2.1/flavors/p").status_code == 404


@pytest.mark.parametrize(
    ("flavor", "action", "project", "version", "status"),
    [
        ("p", "addTenantAccess", NO_UUID, "2.1", 400),
        ("p", "removeTenantAccess", OTHER, "2.1", 404),
        ("o", "addTenantAccess", OTHER, "2.6", 200),
        ("o", "addTenantAccess", OTHER, "2.7", 409),
        ("nosuch", "addTenantAccess", OTHER, "2.1", 404),
    ],
)
def test_access_actions(world, flavor, action, project, version, status):
    world.flavor("p", **{"os-flavor-access:is_public": False})
    world.flavor("o")
    assert act(world, flavor, action, project, version).status_code == status


def test_access_is_given_once(world):
    world.flavor("p", **{"os-flavor-access:is_public": False})
    act(world, "p", "addTenantAccess", OTHER)
    assert act(world, "p", "addTenantAccess", OTHER).status_code == 409


def test_the_access_list_of_a_public_flavor_is_not_found(world):
    world.flavor("o")
    world.flavor("p", **{"os-flavor-access:is_public": False})
    assert world.admin("GET", "/v2.1/flavors/o/os-flavor-access").status_code == 404
    assert world.admin("GET", "/v2.1/flavors/p/os-flavor-access").json == {"flavor_access": []}
    assert world.ask("GET", "/v2.1/flavors/p/os-flavor-access").status_code == 403
    assert world.ask("GET", "/v2.1/flavors/nosuch/os-flavor-access").status_code == 403


# Extra specs


@pytest.mark.parametrize(
    ("specs", "old", "new"),
    [
        ({"hw:cpu_policy": "dedicated"}, 200, 200),
        ({"hw:cpu_policy": "junk"}, 200, 400),
        ({"hw:nosuch": "1"}, 200, 400),
        ({"acme:thing": "1"}, 200, 200),
        ({"thing": "1"}, 200, 200),
        ({"trait:HW_CPU_X86_AVX": "required"}, 200, 200),
        ({"trait:HW_CPU_X86_AVX": "wanted"}, 200, 400),
        ({"trait:CUSTOM_X": "forbidden"}, 200, 200),
        ({"trait1:NOSUCH": "required"}, 200, 400),
        ({"resources:VCPU": "2"}, 200, 200),
        ({"resources:VCPU": "two"}, 200, 400),
        ({"hw:cpu_threads": 2}, 200, 200),
        ({"hw:boot_menu": True}, 400, 400),
        ({"hw:boot_menu": "true"}, 200, 200),
        ({"hw:numa_cpus.0": "0-3"}, 200, 200),
        ({"a": [1]}, 400, 400),
        ({"a": None}, 400, 400),
        ({}, 200, 200),
        ({"k" * 256: "v"}, 400, 400),
        ({"k": "v" * 256}, 400, 400),
        ({"a/b": "v"}, 400, 400),
        ({"": "v"}, 400, 400),
        ({" ": "v"}, 200, 200),
    ],
)
def test_extra_specs_are_validated_since_2_86(world, specs, old, new):
    world.flavor("f")
    for version, status in (("2.85", old), ("2.86", new)):
        answer = world.admin(
            "POST", "/v2.1/flavors/f/os-extra_specs", {"extra_specs": specs}, version=version
        )
        assert answer.status_code == status, answer.text
        if status == 200:
            assert answer.json == {"extra_specs": specs}


def test_extra_specs_are_kept_shown_and_removed_one_by_one(world):
    world.flavor("f")
    path = "/v2.1/flavors/f/os-extra_specs"
    world.admin("POST", path, {"extra_specs": {"a": "1", "b": 2}})
    assert world.admin("PUT", f"{path}/a", {"a": "x"}).json == {"a": "x"}
    assert world.admin("PUT", f"{path}/a", {"b": "x"}).status_code == 400
    assert world.admin("PUT", f"{path}/a", {"a": "x", "b": "y"}).status_code == 400
    assert world.ask("GET", path).json == {"extra_specs": {"a": "x", "b": "2"}}
    assert world.ask("GET", f"{path}/b").json == {"b": "2"}
    assert world.admin("DELETE", f"{path}/b").status_code == 200
    assert world.admin("DELETE", f"{path}/b").status_code == 404
    assert world.ask("GET", f"{path}/b").status_code == 404
    assert world.ask("GET", "/v2.1/flavors/nosuch/os-extra_specs").status_code == 404
    assert world.ask("POST", path, {"extra_specs": {}}).status_code == 403
