"""Cinder: what callers may rely on, in memory and real."""

import time

import pytest
import requests

from openkeel.clients import errors as service_errors
from openkeel.clients.cinder import client as cinder_client
from openkeel.clients.cinder.fake import FakeCinder
from openkeel.clients.cinder.types import NewVolume
from openkeel.common.context import Context
from openkeel.domain.errors import Invalid, NotFound, SnapshotNotFound, VolumeNotFound


class Fake:
    """A Cinder in memory and two people."""

    def __init__(self):
        self.client = FakeCinder()
        self.member = Context("u", "mine", auth_token="t", overwrite=False)
        self.other = Context("o", "other", auth_token="t", overwrite=False)

    def until(self, _ready):
        self.client.server.settle()

    def clean(self):
        pass


class Real:
    """A devstack's Cinder, as the member of one project and the administrator in another."""

    def __init__(self, cloud):
        self.client = cinder_client.make_client(cloud.conf())
        self.member, self.other = cloud.context("demo"), cloud.context("admin")
        self._before = {one.id for one in self.client.list_volumes(self.member)}

    def until(self, ready):
        give_up = time.monotonic() + 60
        while not ready():
            assert time.monotonic() < give_up, "Cinder does not get there"
            time.sleep(0.2)

    def clean(self):
        for one in self.client.list_snapshots(self.member):
            if one.volume_id not in self._before:
                self.client.delete_snapshot(self.member, one.id)
        for volume in self.client.list_volumes(self.member):
            if volume.id not in self._before:
                self.until(lambda key=volume.id: self._has_no_snapshots(key))
                self.client.delete_volume(self.member, volume.id)

    def _has_no_snapshots(self, volume_id):
        return all(one.volume_id != volume_id for one in self.client.list_snapshots(self.member))


def _there_is_cinder(cloud):
    try:
        return requests.get(cloud.url("block-storage"), timeout=10).status_code < 500
    except (StopIteration, requests.ConnectionError):
        return False


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.integration)])
def cinder(request):
    if request.param == "real":
        cloud = request.getfixturevalue("cloud")
        if not _there_is_cinder(cloud):
            pytest.skip("this devstack has no Cinder")
        made = Real(cloud)
    else:
        made = Fake()
    yield made
    made.clean()


@pytest.fixture
def volume(cinder):
    """A volume that is there."""
    wanted = NewVolume(1, "n", "d", metadata={"a": "b"})
    made = cinder.client.create_volume(cinder.member, wanted)
    assert made.status == "creating"
    cinder.until(lambda: cinder.client.get_volume(cinder.member, made.id).status == "available")
    return cinder.client.get_volume(cinder.member, made.id)


def gone(read, error):
    def ask():
        try:
            read()
        except error:
            return True
        return False

    return ask


def test_a_volume_is_as_it_was_asked_for(cinder, volume):
    assert (volume.name, volume.description, volume.size_gib) == ("n", "d", 1)
    assert (volume.status, volume.metadata, volume.attachments) == ("available", {"a": "b"}, ())
    assert volume.availability_zone == "nova"
    assert volume.volume_type
    assert volume.snapshot_id is None
    assert len(volume.created_at) == len("2026-01-01T00:00:00.000000")
    assert volume.id in [one.id for one in cinder.client.list_volumes(cinder.member)]


def test_what_is_not_named_stays_unnamed(cinder):
    made = cinder.client.create_volume(cinder.member, NewVolume(1))
    assert (made.name, made.description, made.metadata) == (None, None, {})
    cinder.until(lambda: cinder.client.get_volume(cinder.member, made.id).status == "available")


def test_a_foreign_volume_is_not_there(cinder, volume):
    ids = [one.id for one in cinder.client.list_volumes(cinder.other)]
    assert volume.id not in ids


@pytest.mark.parametrize("key", ["6c6381d6-5a01-4a0a-9da6-95ccf87ad1a5", "abc", "", ".."])
def test_an_unknown_id_is_not_found(cinder, key):
    for call in (cinder.client.get_volume, cinder.client.delete_volume, cinder.client.create_snapshot):
        with pytest.raises(VolumeNotFound):
            call(cinder.member, key)
    for call in (cinder.client.get_snapshot, cinder.client.delete_snapshot):
        with pytest.raises(SnapshotNotFound):
            call(cinder.member, key)
    with pytest.raises(SnapshotNotFound):
        cinder.client.create_volume(cinder.member, NewVolume(1, snapshot_id=key))


def test_an_unknown_type_is_not_found(cinder):
    with pytest.raises(NotFound):
        cinder.client.create_volume(cinder.member, NewVolume(1, volume_type="nosuch"))


@pytest.mark.parametrize("wrong", [{"availability_zone": "nosuch"}, {"metadata": {"a": "x" * 256}}])
def test_nonsense_is_invalid_and_says_why(cinder, wrong):
    with pytest.raises(Invalid) as caught:
        cinder.client.create_volume(cinder.member, NewVolume(1, **wrong))
    assert caught.value.detail


def test_a_snapshot_holds_its_volume(cinder, volume):
    client, ctx = cinder.client, cinder.member
    made = client.create_snapshot(ctx, volume.id, "s", "d")
    assert (made.volume_id, made.name, made.description, made.size_gib) == (volume.id, "s", "d", 1)
    assert made.status == "creating"
    cinder.until(lambda: client.get_snapshot(ctx, made.id).status == "available")
    assert made.id in [one.id for one in client.list_snapshots(ctx)]
    copied = client.create_volume(ctx, NewVolume(2, snapshot_id=made.id))
    assert copied.snapshot_id == made.id
    cinder.until(lambda: client.get_volume(ctx, copied.id).status == "available")
    with pytest.raises(Invalid):
        client.delete_volume(ctx, volume.id)
    client.delete_snapshot(ctx, made.id)
    cinder.until(gone(lambda: client.get_snapshot(ctx, made.id), SnapshotNotFound))
    client.delete_volume(ctx, volume.id)
    cinder.until(gone(lambda: client.get_volume(ctx, volume.id), VolumeNotFound))


def test_lists_are_newest_first(cinder):
    client, ctx = cinder.client, cinder.member
    made = []
    for name in ("first", "second"):
        made.append(client.create_volume(ctx, NewVolume(1, name)).id)
        cinder.until(lambda: client.get_volume(ctx, made[-1]).status == "available")
        time.sleep(1.1 if isinstance(cinder, Real) else 0)  # Cinder's times have no fractions
    listed = [one.id for one in client.list_volumes(ctx) if one.id in made]
    assert listed == made[::-1]


def test_over_the_limit_is_said_as_such():
    fake = Fake()
    fake.client.server.limits = {"volumes": 0}
    with pytest.raises(service_errors.OverQuota):
        fake.client.create_volume(fake.member, NewVolume(1))
