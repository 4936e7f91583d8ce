"""Writing limits to Keystone: of one region, or of none."""

from typing import cast

import pytest

from openkeel.clients.keystone.limit_registry import LimitRegistryClient
from openkeel.clients.session import Connection
from openkeel.domain.errors import Unavailable

EVERYBODY = {"service_id": "s1", "resource_name": "servers", "default_limit": 10, "region_id": None}


class Keystone:
    """Answers what a `Connection` would, and keeps what it is given."""

    def __init__(self):
        self.tables = {
            "services": [{"id": "s1", "type": "compute"}, {"id": "s2", "type": "image"}],
            "registered_limits": [EVERYBODY, {**EVERYBODY, "region_id": "east", "default_limit": 20}],
            "limits": [],
        }

    def json(self, method, path, *, params=None):
        assert method == "GET"
        rows = self.tables[path[1:]]
        wanted = (params or {}).items()
        return {path[1:]: [row for row in rows if all(row[name] == value for name, value in wanted)]}

    def request(self, method, path, *, body):
        assert method == "POST"
        for row in body[path[1:]]:
            self.tables[path[1:]].append({"region_id": None, **row})


@pytest.fixture
def keystone():
    return Keystone()


def registry(keystone, region=None):
    return LimitRegistryClient(cast("Connection", keystone), region)


@pytest.mark.parametrize(("region", "limit"), [(None, 10), ("east", 20)])
def test_limits_of_the_region_are_read(keystone, region, limit):
    assert registry(keystone, region).registered() == {"servers": limit}


@pytest.mark.parametrize("region", [None, "east"])
def test_what_is_written_is_read_again_in_its_region(keystone, region):
    registry(keystone, region).register({"class:VCPU": 5})
    registry(keystone, region).set_project("p", {"servers": 1, "class:VCPU": 2})
    assert registry(keystone, region).registered()["class:VCPU"] == 5
    assert registry(keystone, region).of_projects() == {"p": {"servers": 1, "class:VCPU": 2}}
    other = registry(keystone, "west")
    assert (other.registered(), other.of_projects()) == ({}, {})


def test_a_cloud_with_several_compute_services_is_refused(keystone):
    keystone.tables["services"].append({"id": "s3", "type": "compute"})
    with pytest.raises(Unavailable, match="2 compute services"):
        registry(keystone).registered()
