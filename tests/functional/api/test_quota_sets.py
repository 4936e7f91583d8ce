"""Quotas of projects, users and classes. Golden: recordings quotas, quota-classes, quotas-enforced."""

import pytest

from openkeel.services.quota import QuotaService, QuotaSettings
from openkeel.services.quota_sets import QuotaSetService
from tests.fixtures.api_client import PROJECT
from tests.functional.api.conftest import NO_UUID, OTHER

SETS = f"/v2.1/os-quota-sets/{PROJECT}"
CLASS = "/v2.1/os-quota-class-sets/default"
ALWAYS = {"cores", "instances", "key_pairs", "metadata_items", "ram"}
GROUPS = {"server_groups", "server_group_members"}
FILES = {"injected_files", "injected_file_content_bytes", "injected_file_path_bytes"}
NETWORKS = {"fixed_ips", "floating_ips", "security_groups", "security_group_rules"}


def put(world, path=SETS, version="2.104", **limits):
    key = "quota_class_set" if "class" in path else "quota_set"
    return world.admin("PUT", path, {key: limits}, version=version)


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("2.1", ALWAYS | GROUPS | FILES | NETWORKS),
        ("2.35", ALWAYS | GROUPS | FILES | NETWORKS),
        ("2.36", ALWAYS | GROUPS | FILES),
        ("2.56", ALWAYS | GROUPS | FILES),
        ("2.57", ALWAYS | GROUPS),
        ("2.104", ALWAYS | GROUPS),
    ],
)
def test_names_by_version(world, version, names):
    shown = world.ask("GET", SETS, version=version).json["quota_set"]
    assert shown.keys() == names | {"id"}
    assert shown["id"] == PROJECT
    assert shown["cores"] == 20
    assert world.ask("GET", SETS + "/defaults", version=version).json["quota_set"] == shown
    detail = world.ask("GET", SETS + "/detail", version=version).json["quota_set"]
    assert detail.keys() == names | {"id"}
    assert detail["cores"] == {"limit": 20, "in_use": 0, "reserved": 0}
    updated = put(world, version=version, cores=3).json["quota_set"]
    assert updated.keys() == names
    assert updated["cores"] == 3
    for name in names & NETWORKS:
        assert shown[name] == -1
        assert detail[name] == {"limit": -1, "in_use": 0, "reserved": 0}


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("2.1", ALWAYS | FILES | NETWORKS),
        ("2.49", ALWAYS | FILES | NETWORKS),
        ("2.50", ALWAYS | FILES | GROUPS),
        ("2.57", ALWAYS | GROUPS),
    ],
)
def test_names_of_classes_by_version(world, version, names):
    shown = world.admin("GET", CLASS, version=version).json["quota_class_set"]
    assert shown.keys() == names | {"id"}
    assert put(world, CLASS, version, ram=7).json["quota_class_set"].keys() == names


def test_the_default_class_holds_for_projects_without_own_limits(world):
    put(world, CLASS, instances=7, cores=8)
    put(world, cores=9)
    limits = world.ask("GET", SETS).json["quota_set"]
    assert (limits["instances"], limits["cores"]) == (7, 9)
    assert world.ask("GET", SETS + "/defaults").json["quota_set"]["cores"] == 8
    assert put(world, "/v2.1/os-quota-class-sets/gold", cores=1).json["quota_class_set"]["cores"] == 1
    assert world.ask("GET", SETS).json["quota_set"]["cores"] == 9


def test_a_deleted_set_is_the_defaults_again(world):
    put(world, cores=9)
    assert world.ask("DELETE", SETS).status_code == 403
    assert world.admin("DELETE", SETS).status_code == 202
    assert world.ask("GET", SETS).json["quota_set"]["cores"] == 20


def test_nothing_is_set_below_what_is_in_use_but_by_force(world):
    world.server(vcpus=2, memory_mb=64)
    detail = world.ask("GET", SETS + "/detail").json["quota_set"]
    assert (detail["instances"]["in_use"], detail["cores"]["in_use"], detail["ram"]["in_use"]) == (1, 2, 64)
    assert put(world, cores=1).status_code == 400
    assert put(world, cores=-1).status_code == 200
    assert put(world, cores=1, force="True").json["quota_set"]["cores"] == 1


def test_users_get_parts_of_what_the_project_has(world):
    mine = SETS + "?user_id=user"
    assert put(world, mine, cores=15).json["quota_set"]["cores"] == 15
    assert put(world, SETS + "?user_id=else", cores=6).status_code == 400
    assert put(world, SETS + "?user_id=else", cores=5).status_code == 200
    assert put(world, cores=19).status_code == 400
    assert world.ask("GET", mine).json["quota_set"]["cores"] == 15
    assert world.ask("GET", SETS).json["quota_set"]["cores"] == 20
    world.server(user_id="user", vcpus=2)
    world.server(user_id="else", vcpus=3)
    shown = world.ask("GET", SETS + "/detail?user_id=user").json["quota_set"]["cores"]
    assert shown == {"limit": 15, "in_use": 2, "reserved": 0}
    assert world.admin("DELETE", mine).status_code == 202
    assert world.ask("GET", mine).json["quota_set"]["cores"] == 20
    assert world.ask("GET", SETS + "?user_id=else").json["quota_set"]["cores"] == 5


@pytest.mark.parametrize(
    ("version", "limits", "status"),
    [
        ("2.1", {"instances": -2}, 400),
        ("2.1", {"instances": "13"}, 200),
        ("2.1", {"instances": "junk"}, 400),
        ("2.1", {"instances": 2147483648}, 400),
        ("2.1", {"instances": 1.5}, 400),
        ("2.1", {"instances": None}, 400),
        ("2.1", {"force": True}, 200),
        ("2.1", {"tenant_id": "x"}, 400),
        ("2.1", {"networks": 5}, 400),
        ("2.35", {"fixed_ips": 5}, 200),
        ("2.36", {"fixed_ips": 5}, 400),
        ("2.56", {"injected_files": 5}, 200),
        ("2.57", {"injected_files": 5}, 400),
    ],
)
def test_bodies(world, version, limits, status):
    assert put(world, version=version, **limits).status_code == status


def test_limits_of_networks_are_kept_and_shown(world):
    updated = put(world, version="2.1", fixed_ips=5, security_groups=6).json["quota_set"]
    shown = world.ask("GET", SETS, version="2.1").json["quota_set"]
    for limits in (updated, shown):
        assert (limits["fixed_ips"], limits["security_groups"], limits["floating_ips"]) == (5, 6, -1)
    detail = world.ask("GET", SETS + "/detail", version="2.1").json["quota_set"]
    assert detail["fixed_ips"] == {"limit": 5, "in_use": 0, "reserved": 0}


def test_limits_of_networks_may_come_from_the_default_class(world):
    updated = put(world, CLASS, "2.1", floating_ips=44).json["quota_class_set"]
    shown = world.admin("GET", CLASS, version="2.1").json["quota_class_set"]
    project = world.ask("GET", SETS, version="2.1").json["quota_set"]
    for limits in (updated, shown, project):
        assert (limits["floating_ips"], limits["fixed_ips"]) == (44, -1)
    absolute = world.ask("GET", "/v2.1/limits", version="2.1").json["limits"]["absolute"]
    assert (absolute["maxTotalFloatingIps"], absolute["maxSecurityGroups"]) == (44, -1)


def test_who_may_see_and_set(world):
    stranger = world.as_("member,reader", project=OTHER)
    assert stranger("GET", SETS).status_code == 403
    assert stranger("GET", SETS + "/detail").status_code == 403
    assert stranger("GET", SETS + "/defaults").status_code == 200
    assert stranger("GET", CLASS).status_code == 403
    assert world.ask("PUT", SETS, {"quota_set": {"cores": 1}}).status_code == 403
    assert world.ask("PUT", CLASS, {"quota_class_set": {"cores": 1}}).status_code == 403


def test_unknown_projects_are_refused_but_can_be_forgotten(world):
    path = f"/v2.1/os-quota-sets/{NO_UUID}"
    assert world.admin("GET", path).status_code == 400
    assert world.admin("GET", path + "/defaults").status_code == 400
    assert put(world, path, cores=1).status_code == 400
    assert world.admin("DELETE", path).status_code == 202


@pytest.mark.parametrize(("version", "status"), [("2.74", 200), ("2.75", 400)])
def test_unknown_parameters(world, version, status):
    assert world.ask("GET", SETS + "?nosuch=1", version=version).status_code == status
    assert world.ask("GET", SETS + "/defaults?nosuch=1", version=version).status_code == 200


def test_without_enforcement_nothing_has_a_limit(world, cells):
    quota = QuotaService(cells, QuotaSettings(is_enforced=False))
    world.services.quota_sets = QuotaSetService(cells, quota, world.keystone)
    assert put(world, cores=3).status_code == 200
    assert world.ask("GET", SETS).json["quota_set"]["cores"] == -1


def test_a_user_without_a_name_uses_nothing(world):
    """Found by schemathesis: an empty user_id was no user to one part, and a user to another."""
    detail = world.admin("GET", SETS + "/detail?user_id=", version="2.104").json["quota_set"]
    assert {detail[name]["in_use"] for name in ("cores", "instances", "server_groups")} == {0}
