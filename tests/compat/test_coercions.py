"""Fields take, change and refuse what Nova's do, whether set or read from the wire.

`oracle/coercions.json` is what nova 34.0.0 made of everything offered; `oracle/ask.py` asks it anew.
"""

import json
import warnings
from pathlib import Path

import pytest

from openkeel import objects
from openkeel.objects import fields
from tests.compat.oracle import specimens
from tests.fixtures.contract import facts

ANSWERS = {
    field: answers
    for fields, answers in json.loads(
        (Path(__file__).parent / "oracle" / "coercions.json").read_text()
    ).items()
    for field in fields.split()
}


# NICs are dictionaries with us, kept as they come; Nova makes objects of them that have all keys.
KEPT_AS_THEY_COME = {"InstanceInfoCache.network_info", "VIFMigrateData.source_vif"}


@pytest.fixture(scope="module", autouse=True)
def _registered():
    objects.register_all()


def _differences(kind, field):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # oslo's about strings that are no uuids, which it takes
        ours = specimens.coercions(kind, field)
    for way, mine, theirs in zip(("set", "read"), ours, ANSWERS[f"{kind.__name__}.{field}"], strict=True):
        for offered, one, other in zip(specimens.OFFERED, mine.split(), theirs.split(), strict=True):
            if one != other:
                yield f"{field} {way} {offered!r}: {one} instead of {other}"


@pytest.mark.parametrize("name", sorted({key.partition(".")[0] for key in ANSWERS}))
def test_fields_make_of_values_what_novas_make(name):
    kind = specimens.classes()[name]
    compared = [field for field in sorted(kind.fields) if f"{name}.{field}" not in KEPT_AS_THEY_COME]
    assert not [each for field in compared for each in _differences(kind, field)]


@pytest.mark.parametrize("field", [fields.NetworkModelField(), fields.NetworkVIFModelField()])
@pytest.mark.parametrize("value", [7, True, "x", "{", "7", '["a"]', [1], ["a"], [None], 1.5])
def test_nics_that_are_none_are_refused(field, value):
    with pytest.raises(ValueError, match=r"must be|Expecting"):
        field.coerce(None, "nics", value)


def test_every_field_is_tried():
    assert set(ANSWERS) == {f"{row['object']}.{row['field']}" for row in facts("objects", "fields")}


def test_enums_refuse_what_is_not_of_them():
    """Each of Nova's fields with choices refuses the words that are none of them."""
    kinds = specimens.classes()
    tried = set()
    for row in facts("objects", "fields"):
        field = kinds[row["object"]].fields[row["field"]]
        choices = getattr(field._type, "valid_values", None)
        if choices:
            tried.add(type(field._type).__name__)
            for choice in choices:
                assert field.coerce(kinds[row["object"]](), row["field"], choice) == choice
            with pytest.raises(ValueError, match="martian"):
                field.coerce(kinds[row["object"]](), row["field"], "martian")
    assert len(tried) > 40
