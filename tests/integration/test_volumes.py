"""Volumes and snapshots through the compute API of old, against a real Cinder."""

import pytest

from tests.integration.conftest import eventually

OLD = "2.1"


class VolumesOfOld:
    """The compute API at 2.1, as the demo project."""

    def __init__(self, session):
        self._session = session

    def __call__(self, method, path, body=None):
        return self._session.request(
            path,
            method,
            json=body,
            endpoint_filter={"service_type": "compute"},
            headers={"OpenStack-API-Version": f"compute {OLD}"},
            raise_exc=False,
        )

    def shown(self, kind, key):
        """The thing; None when it is gone."""
        answer = self("GET", f"/os-{kind}s/{key}")
        assert answer.status_code in {200, 404}, answer.text
        return answer.json()[kind] if answer.ok else None

    def becomes_available(self, kind, key):
        return eventually(
            lambda: (one := self.shown(kind, key)) and one["status"] == "available" and one, 120
        )

    def goes(self, kind, key):
        deleted = self("DELETE", f"/os-{kind}s/{key}")
        assert (deleted.status_code, deleted.content) == (202, b"")
        eventually(lambda: self.shown(kind, key) is None, 120)


@pytest.fixture
def ask(devstack):
    return VolumesOfOld(devstack.demo.session)


def test_the_life_of_a_volume_and_its_snapshot(devstack, ask):
    wanted = {"volume": {"size": 1, "display_name": "old", "metadata": {"a": "b"}}}
    made = ask("POST", "/os-volumes", wanted)
    assert made.status_code == 200, made.text
    volume = made.json()["volume"]["id"]
    assert made.headers["Location"].endswith(f"/os-volumes/{volume}")
    shown = ask.becomes_available("volume", volume)
    assert (shown["displayName"], shown["size"], shown["attachments"]) == ("old", 1, [{}])
    assert shown["metadata"] == {"a": "b"}
    assert devstack.demo.block_storage.get_volume(volume).name == "old"
    for path in ("/os-volumes", "/os-volumes/detail"):
        assert shown in ask("GET", path).json()["volumes"]
    assert ask("GET", "/os-volumes?limit=1").json()["volumes"] == [shown]

    body = {"snapshot": {"volume_id": volume, "display_name": "then"}}
    snapshot = ask("POST", "/os-snapshots", body).json()["snapshot"]["id"]
    kept = ask.becomes_available("snapshot", snapshot)
    assert (kept["volumeId"], kept["displayName"], kept["size"]) == (volume, "then", 1)
    assert kept in ask("GET", "/os-snapshots/detail").json()["snapshots"]
    assert ask("DELETE", f"/os-volumes/{volume}").status_code == 400

    ask.goes("snapshot", snapshot)
    ask.goes("volume", volume)


def test_what_cinder_refuses_is_refused(ask):
    for body, status in (
        ({"size": 1, "volume_type": "nosuch"}, 404),
        ({"size": 1, "availability_zone": "nosuch"}, 400),
        ({"size": 2_000_000}, 403),
    ):
        answer = ask("POST", "/os-volumes", {"volume": body})
        assert answer.status_code == status, answer.text


def test_there_is_no_bare_metal_here(devstack):
    answer = VolumesOfOld(devstack.admin.session)("GET", "/os-baremetal-nodes")
    assert answer.status_code == 404
    assert "bare metal" in answer.json()["itemNotFound"]["message"]
