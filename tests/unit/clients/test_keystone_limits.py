"""Limits in Keystone: for which endpoint, for everybody, for a project."""

from typing import cast

import pytest

from openkeel.clients.keystone.limits import KeystoneLimitsClient, OwnEndpoint
from openkeel.clients.session import Connection
from openkeel.domain.errors import Unavailable


class Keystone:
    """Answers what a `Connection` would, from its tables."""

    def __init__(self):
        self.asked = []
        self.tables = {
            "services": [
                {"id": "s1", "type": "compute", "name": "nova"},
                {"id": "s2", "type": "image", "name": "glance"},
            ],
            "endpoints": [
                {"id": f"e{n}", "service_id": "s1", "region_id": region, "interface": interface}
                for n, (region, interface) in enumerate(
                    [("one", "public"), ("one", "internal"), ("two", "public")]
                )
            ],
            "registered_limits": [
                {"service_id": "s1", "region_id": "one", "resource_name": "servers", "default_limit": 10},
                {"service_id": "s1", "region_id": "two", "resource_name": "servers", "default_limit": 20},
                {"service_id": "s2", "region_id": "one", "resource_name": "images", "default_limit": 5},
            ],
            "limits": [
                {
                    "service_id": "s1",
                    "region_id": "one",
                    "project_id": "mine",
                    "resource_name": "servers",
                    "resource_limit": 7,
                }
            ],
        }

    def json(self, method, path, *, params=None):
        assert method == "GET"
        self.asked.append(path)
        _, collection, *key = path.split("/")
        found = [
            row
            for row in self.tables[collection]
            if all(row[name] == value for name, value in (params or {}).items())
        ]
        if key:
            return {collection[:-1]: next(row for row in self.tables[collection] if row["id"] == key[0])}
        return {collection: found}


def client(keystone, **endpoint):
    return KeystoneLimitsClient(cast(Connection, keystone), OwnEndpoint(**endpoint))


@pytest.mark.parametrize(
    ("endpoint", "limit"),
    [
        ({"endpoint_id": "e0"}, 10),
        ({"endpoint_id": "e2"}, 20),
        ({"service_type": "compute", "region": "two"}, 20),
        ({"service_name": "nova", "region": "one", "interface": "internal"}, 10),
    ],
)
def test_limits_are_those_of_our_endpoint(endpoint, limit):
    assert client(Keystone(), **endpoint).registered() == {"servers": limit}


def test_a_project_has_what_is_set_for_it():
    limits = client(Keystone(), endpoint_id="e0")
    assert limits.of_project("mine") == {"servers": 7}
    assert limits.of_project("other") == {}


def test_the_endpoint_is_looked_for_once():
    keystone = Keystone()
    limits = client(keystone, service_type="compute", region="one")
    for _ in range(3):
        limits.registered()
    assert keystone.asked.count("/endpoints") == 1


@pytest.mark.parametrize("endpoint", [{"service_type": "compute"}, {"service_type": "nosuch"}])
def test_an_endpoint_that_is_not_the_only_one_is_not_guessed(endpoint):
    with pytest.raises(Unavailable, match="oslo_limit"):
        client(Keystone(), **endpoint).registered()
