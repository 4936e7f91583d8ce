"""Fingerprints of the objects: md5 over their fields and the signatures of their remotable methods.

Ours have no such methods, stores have them instead. Their signatures are taken from the contract, so what
is proved is that our fields enter the fingerprint with the very same text: types, their names, nesting,
defaults, choices and their order. That the methods are served with these arguments is proved in
`test_remotable_methods`.
"""

import hashlib
from collections import OrderedDict, defaultdict, namedtuple

import pytest

from openkeel import objects
from openkeel.objects.base import VersionedObjectRegistry
from tests.fixtures.contract import facts

ArgSpec = namedtuple("ArgSpec", ("args", "varargs", "keywords", "defaults"))  # noqa: PYI024 its text counts


@pytest.fixture(scope="module")
def signatures():
    """The signatures of the remotable methods of each object, as fingerprints have them."""
    found = defaultdict(list)
    for row in sorted(facts("objects", "remotable_methods"), key=lambda row: row["method"]):
        defaults = tuple(each["default"] for each in row["args"] if "default" in each)
        spec = ArgSpec(
            [each["name"] for each in row["args"]], row["varargs"], row["kwargs"], defaults or None
        )
        found[row["object"]].append((row["method"], spec))
    return found


@pytest.fixture(scope="module")
def ours():
    objects.register_all()
    return {name: classes[0] for name, classes in VersionedObjectRegistry.obj_classes().items()}


def fingerprint(kind, methods):
    parts = (sorted(kind.fields.items()), methods)
    if hasattr(kind, "child_versions"):  # lists have an empty one
        parts += (OrderedDict(sorted(kind.child_versions.items())),)
    return hashlib.md5(repr(parts).encode(), usedforsecurity=False).hexdigest()


def test_fingerprints_are_novas(ours, signatures):
    differing = {
        row["object"]
        for row in facts("objects", "objects")
        if fingerprint(ours[row["object"]], signatures[row["object"]]) != row["fingerprint"]
    }
    assert not differing


def test_every_field_says_the_same_of_itself(ours):
    for row in facts("objects", "fields"):
        field = ours[row["object"]].fields[row["field"]]
        assert repr(field) == row["repr"], (row["object"], row["field"])
        assert field.read_only == row["read_only"], (row["object"], row["field"])


def test_enums_have_novas_values_in_their_order(ours):
    fields = [field for kind in ours.values() for field in kind.fields.values()]
    kinds = {
        type(field._type).__name__: field._type for field in fields if hasattr(field._type, "valid_values")
    }
    compared = 0
    for row in facts("objects", "enums"):
        if row["enum"] in kinds:
            compared += 1
            assert list(kinds[row["enum"]].valid_values) == row["values"], row["enum"]
    assert compared > 40
