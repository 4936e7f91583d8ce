"""Objects for older peers: the same as Nova's makes of them, for every object, version and choice.

`oracle/backports.json` is what nova 34.0.0 answered; `oracle/ask.py` asks it anew.
"""

import json
from pathlib import Path

import pytest

from openkeel import objects
from openkeel.objects import enums
from openkeel.objects.base import CannotBackport, NovaObject, is_older
from tests.compat.oracle import specimens
from tests.fixtures.contract import facts

ANSWERS = json.loads((Path(__file__).parent / "oracle" / "backports.json").read_text())
KINDS = sorted({key.partition(" ")[0] for key in ANSWERS})


# Objects whose own way of going back leaves the objects in them as they are, which the peer then cannot read,
# and those that contain such objects. Ours takes the inner ones back as the peer asks for.
INNER_LEFT_NEW = {
    "BlockDeviceMapping",
    "BlockDeviceMappingList",
    "BuildRequest",
    "BuildRequestList",
    "Instance",
    "InstanceList",
    "MigrationContext",
}
# Where Nova fails over a field that is not set, or asks a database: nothing to be equal to.
FAILS_WITHOUT = {
    ("ComputeNode", "empty"),
    ("InstanceNUMACell", "cpu_policy=dedicated"),
    *(("Migration", f"migration_type={each}") for each in enums.MigrationType),
}
# Version 1.0 has no tags, but Nova takes them away from 1.1 and 1.2 only.
TAGS_BEFORE_THEIR_TIME = {("BuildRequest", "1.0"), ("BuildRequestList", "1.0")}
# Nova's class gives a new Service its own version; with us the daemon says which it has.
OWN_VERSION = {("Service", "bare")}


def _is_different(name, what, version, mine, their):
    variant, _, known = what.rpartition(" ")
    if mine == their or (known == "old" and name in INNER_LEFT_NEW):
        return False
    if (name, variant) in FAILS_WITHOUT and their == "!":
        return False
    return (name, variant) not in OWN_VERSION and (name, version) not in TAGS_BEFORE_THEIR_TIME


@pytest.fixture(scope="module", autouse=True)
def _registered():
    objects.register_all()


@pytest.mark.parametrize("name", KINDS)
def test_an_older_peer_gets_what_nova_would_send(name):
    versions = specimens.older(specimens.classes()[name].VERSION)
    differing = []
    for what, ours in specimens.backports(name, NovaObject.obj_from_primitive).items():
        theirs = ANSWERS[f"{name} {what}"].split()
        differing += [
            (what, version, mine, their)
            for version, mine, their in zip(versions, ours.split(), theirs, strict=True)
            if _is_different(name, what, version, mine, their)
        ]
    assert not differing


def _inner(value):
    """The objects inside of a wire form, itself included."""
    if isinstance(value, dict):
        if "nova_object.name" in value:
            yield value
        for each in value.values():
            yield from _inner(each)
    elif isinstance(value, list):
        for each in value:
            yield from _inner(each)


@pytest.mark.parametrize("name", KINDS)
def test_nothing_newer_than_asked_for_is_sent(name):
    manifest = specimens.manifests(name)["old"]
    whole = NovaObject.obj_from_primitive(specimens.specimen(name))
    for version in specimens.older(specimens.classes()[name].VERSION):
        asked_for = {**manifest, name: version}
        try:
            sent = whole.obj_to_primitive(target_version=version, version_manifest=asked_for)
        except CannotBackport:
            continue
        for item in _inner(sent):
            inner = item["nova_object.name"]
            assert not is_older(asked_for[inner], item["nova_object.version"]), (version, inner)


def test_every_rule_of_the_contract_is_tried():
    tried = 0
    for rule in facts("objects", "backport_rules"):
        name, version = rule["object"], rule["version"]
        assert name in KINDS
        newest = specimens.classes()[name].VERSION
        assert any(is_older(each, version) for each in specimens.older(newest)), rule
        tried += 1
    assert tried >= 157


def test_every_object_is_tried():
    assert set(KINDS) == {row["object"] for row in facts("objects", "objects")}
