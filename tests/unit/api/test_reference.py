"""What is written from the tables: types of answers, codes, documents, pages."""

import pytest

from openkeel.api.reference.answers import UntypedFieldError, answer, rendered
from openkeel.api.resources import operations
from openkeel.api.schema import Leaf
from openkeel.api.tables import ALWAYS, Field, View
from openkeel.api.versions import VERSIONS, V

OPERATIONS = [one for one in operations() if not one.is_removed]


@pytest.mark.parametrize("operation", OPERATIONS, ids=[f"{one.name} {one.since}" for one in OPERATIONS])
def test_every_field_of_every_version_has_a_type(operation):
    for version in VERSIONS:
        if operation.covers(version):
            answer(operation, version)


def test_a_field_that_nobody_knows_is_refused():
    with pytest.raises(UntypedFieldError, match="unheard_of"):
        rendered(View(Field("unheard_of")), V.BASE)


def test_a_row_that_may_miss_a_field_does_not_require_it():
    view = View(
        Field("id"),
        Field("tag", optional_since=ALWAYS),
        Field("name", optional_since=V.DOWN_CELLS),
        Field("host", rule="some:rule"),
    )
    assert rendered(view, V.BASE)["required"] == ["id", "name"]
    assert rendered(view, V.DOWN_CELLS)["required"] == ["id"]


def test_shapes_become_schemas():
    view = View(
        Field("links", shape=("[].href", "[].rel")),
        Field("addresses", shape=(".*", ".*[].addr")),
        Field("metadata", shape=(".*",)),
        Field("hosts", shape=("[]",)),
        Field("image", shape=(".id",), type=Leaf({"const": ""})),
    )
    found = rendered(view, V.BASE)["properties"]
    link = found["links"]["items"]["properties"]
    assert (link["href"]["format"], link["rel"]["type"]) == ("uri", "string")
    assert found["addresses"]["additionalProperties"]["items"]["properties"].keys() == {"addr"}
    assert found["metadata"]["additionalProperties"] == {"type": "string"}
    assert found["hosts"] == {"type": "array", "items": {"type": "string"}}
    assert [one.get("const", one.get("type")) for one in found["image"]["anyOf"]] == ["object", ""]
