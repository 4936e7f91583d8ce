"""What is written from the tables: types of answers, codes, documents, pages."""

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from openkeel.api.reference.answers import UntypedFieldError, answer, rendered
from openkeel.api.reference.openapi import document
from openkeel.api.reference.pages import pages
from openkeel.api.reference.windows import span
from openkeel.api.resources import operations
from openkeel.api.schema import Leaf
from openkeel.api.tables import ALWAYS, Field, Operation, View
from openkeel.api.versions import END, LATEST, V
from openkeel.cmd.manage import describe

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs/api"


def manage(what, **arguments):
    return describe.run(None, SimpleNamespace(what=what, **arguments))


OPERATIONS = [one for one in operations() if not one.is_removed]


@pytest.mark.parametrize("operation", OPERATIONS, ids=[f"{one.name} {one.since}" for one in OPERATIONS])
def test_every_field_of_every_version_has_a_type(operation):
    for version in operation.edges():
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


def test_the_pages_are_what_the_tables_declare():
    committed = {path.name: path.read_text() for path in PAGES.glob("*.md")}
    declared = pages()
    drifted = sorted(name for name in committed | declared if committed.get(name) != declared.get(name))
    assert drifted == [], "run scripts/reference"


@pytest.mark.parametrize("version", [V.BASE, V.UUID_SERVICES, LATEST])
def test_a_document_of_a_version_is_valid_openapi(version):
    assert [error.message for error in OpenAPIV31SpecValidator(document(version)).iter_errors()] == []


def test_a_document_has_the_operations_of_its_version():
    assert "/os-hypervisors/statistics" in document(V.UUID_SERVICES)["paths"]
    assert "/os-hypervisors/statistics" not in document(LATEST)["paths"]


def test_a_document_has_the_fields_and_the_codes_of_its_version():
    def keypair(version):
        done = document(version)["paths"]["/os-keypairs"]["post"]["responses"]
        code = next(iter(done))
        schema = done[code]["content"]["application/json"]["schema"]
        return code, "type" in schema["properties"]["keypair"]["properties"]

    assert keypair(V.BASE) == ("200", False)
    assert keypair(V.KEYPAIR_TYPE) == ("201", True)


def test_actions_are_one_operation_with_any_of_their_bodies():
    post = document(V.BASE)["paths"]["/servers/{id}/action"]["post"]
    bodies = post["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
    assert {"reboot", "os-start", "os-stop"} <= {name for body in bodies for name in body["properties"]}
    assert "409" in post["responses"]


def test_manage_prints_a_document(capsys):
    assert manage("openapi", microversion="2.53") == 0
    assert json.loads(capsys.readouterr().out)["info"]["version"] == "2.53"


def test_manage_renews_the_pages_and_drops_what_is_no_more(tmp_path):
    (tmp_path / "old.md").write_text("gone")
    assert manage("reference", to=str(tmp_path)) == 0
    assert {path.name for path in tmp_path.iterdir()} == set(pages())


def test_windows_are_told_as_far_as_they_are_narrower_than_the_operation():
    row = Operation("GET", "/things", lambda _: None, rule="", since=V.LOCKED_SHOWN, until=V.UUID_SERVICES)
    assert span(0, END, row) == ""
    assert span(V.SERVER_TAGS, END, row) == "from 2.26"
    assert span(0, V.SERVER_TAGS, row) == "to 2.25"
    assert span(V.SERVER_TAGS, V.FLAVOR_EMBEDDED, row) == "2.26 to 2.46"


TABLES = {"tables.py", "schema.py", "versions.py", "negotiation.py", "endpoint.py", "reference"}
NAMES = {"minor", "microversion", "api_version", "answer_minor"}
OUTSIDE = [
    path.relative_to(ROOT)
    for package in ("api", "services")
    for path in (ROOT / "openkeel" / package).rglob("*.py")
    if not TABLES & set(path.parts)
]


@pytest.mark.parametrize("path", OUTSIDE, ids=str)
def test_nothing_outside_the_tables_compares_with_a_version(path):
    def is_version(node):
        if isinstance(node, ast.Attribute):
            return (isinstance(node.value, ast.Name) and node.value.id == "V") or node.attr in NAMES
        return isinstance(node, ast.Name) and node.id in NAMES

    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Compare | ast.Match):
            parts = [node.subject] if isinstance(node, ast.Match) else [node.left, *node.comparators]
            assert not any(map(is_version, parts)), f"{path}:{node.lineno}"
