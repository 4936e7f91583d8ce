"""`limits migrate_to_unified_limits`: what is copied to Keystone, and what flavors still lack."""

import pytest

from openkeel import objects
from openkeel.clients.errors import Unavailable
from openkeel.clients.keystone.limit_registry import FakeLimitRegistry
from openkeel.cmd.manage import limits as module
from openkeel.common.context import admin_context
from openkeel.db.cells import ApiStores
from openkeel.db.session import Database, DatabaseSettings
from tests.fixtures.cloud import flavor

PROJECT = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def registry(monkeypatch):
    fake = FakeLimitRegistry()
    regions = []

    def make(_conf, region_id):
        regions.append(region_id)
        return fake

    monkeypatch.setattr(module, "make_registry", make)
    fake.regions = regions
    return fake


@pytest.fixture
def api(deployment, tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/api.sqlite"))
    yield ApiStores(database)
    database.dispose()


@pytest.fixture
def migrate(manage, deployment, registry):
    return lambda *words: manage("limits", "migrate_to_unified_limits", *words)


def test_limits_of_everybody_and_of_projects_are_copied_once(migrate, api, registry):
    api.quotas.set_class("default", {"cores": 40})
    api.quotas.set_project(PROJECT, {"instances": 3, "floating_ips": 9})
    api.quotas.set_user(PROJECT, "u", {"instances": 1})
    registry.everybody["servers"] = 77
    code, out = migrate("--verbose")
    assert code == 0
    assert "servers is registered already, with 77" in out
    assert registry.everybody == {
        "servers": 77,
        "class:VCPU": 40,
        "class:MEMORY_MB": 51200,
        "server_metadata_items": 128,
        "server_injected_files": 5,
        "server_injected_file_content_bytes": 10240,
        "server_injected_file_path_bytes": 255,
        "server_key_pairs": 100,
        "server_groups": 10,
        "server_group_members": 10,
    }
    assert registry.projects == {PROJECT: {"servers": 3}}
    before = dict(registry.everybody)
    code, out = migrate()
    assert (code, out) == (0, "0 limits were made.\n")
    assert (registry.everybody, registry.projects) == (before, {PROJECT: {"servers": 3}})


def test_one_project_and_a_region(migrate, api, registry):
    for project in (PROJECT, "other"):
        api.quotas.set_project(project, {"ram": 1})
    assert migrate("--project-id", PROJECT, "--region-id", "east", "--quiet") == (0, "")
    assert registry.projects == {PROJECT: {"class:MEMORY_MB": 1}}
    assert registry.regions == ["east"]


def test_a_rehearsal_makes_nothing(migrate, api, registry):
    api.quotas.set_project(PROJECT, {"ram": 1})
    code, out = migrate("--dry-run")
    assert code == 0
    assert "server_key_pairs" in out
    assert PROJECT in out
    assert (registry.everybody, registry.projects) == ({}, {})


def test_resources_of_flavors_without_a_limit_are_named(migrate, api, cell):
    api.flavors.create(flavor("1", "gold", extra_specs={"resources:CUSTOM_GOLD": "1"}))
    api.flavors.create(flavor("2", "none", root_gb=0, is_public=False, extra_specs={"resources:VCPU": "0"}))
    old = flavor("3", "old", id=3, root_gb=0, extra_specs={"hw:cpu_policy": "dedicated"})
    cell.instances.create(objects.Instance(project_id=PROJECT, user_id="u", flavor=old, system_metadata={}))
    code, out = migrate()
    assert code == 3
    assert [name for name in ("CUSTOM_GOLD", "DISK_GB", "PCPU") if f"class:{name}" in out] == [
        "CUSTOM_GOLD",
        "DISK_GB",
        "PCPU",
    ]
    code, out = migrate("--no-embedded-flavor-scan")
    assert code == 3
    assert "PCPU" not in out
    assert migrate("--quiet") == (3, "")


def test_a_database_that_does_not_answer_is_2(manage, registry):
    assert manage("limits", "migrate_to_unified_limits")[0] == 2


def test_a_keystone_that_does_not_answer_is_1(migrate, registry, monkeypatch):
    def down():
        raise Unavailable(service="Keystone", detail="down")

    monkeypatch.setattr(registry, "registered", down)
    assert migrate()[0] == 1


def test_flavors_of_all_kinds_are_looked_at(api):
    api.flavors.create(flavor("1", "off", disabled=True))
    found = api.flavors.list(admin_context(), inactive=True, filters={"is_public": None})
    assert [one.name for one in found] == ["off"]
