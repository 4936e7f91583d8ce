"""The fixed list of extensions. Golden: recordings versions-who-may, versions-odd-queries."""

import pytest

ONE = "/v2.1/extensions/os-keypairs"


def test_the_list_is_always_the_same(world):
    for roles in ("reader", "member,reader", "admin"):
        extensions = world.as_(roles)("GET", "/v2.1/extensions").json["extensions"]
        assert len(extensions) == 99
        assert [one["alias"] for one in extensions] == sorted(one["alias"] for one in extensions)


def test_one_extension(world):
    extension = world.ask("GET", ONE).json["extension"]
    assert extension.pop("description")
    assert extension == {
        "alias": "os-keypairs",
        "links": [],
        "name": "Keypairs",
        "namespace": "http://docs.openstack.org/compute/ext/fake_xml",
        "updated": "2014-12-03T00:00:00Z",
    }
    assert world.ask("GET", "/v2.1/extensions/nosuch").status_code == 404


@pytest.mark.parametrize(("version", "status"), [("2.1", 200), ("2.101", 200), ("2.102", 400)])
def test_unknown_parameters(world, version, status):
    assert world.ask("GET", ONE + "?nosuch=1", version=version).status_code == status
