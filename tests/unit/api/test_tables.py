"""Views, bodies and windows by themselves."""

import pytest

from openkeel.api import forms
from openkeel.api.schema import Array, Body, Object, OneOf, Param, Prop, Query
from openkeel.api.tables import ABSENT, Field, RawView, Rendering, Since, View, a, emit, itself
from openkeel.api.validation import Validator
from openkeel.api.versions import END, LATEST, VERSIONS, V, text
from openkeel.domain.errors import Invalid

PART = View(Field("tag", since=V.DEVICE_TAGS), Field("size"))
THING = View(
    Field("id", get=a("uuid")),
    Field("link", until=V.FLAVOR_EMBEDDED, shape=(".href", (".rel", V.KEYPAIR_TYPE, END))),
    Field("parts", view=PART, many=True),
    Field("owner", view=View(Field("name")), needs=("owner",)),
    Field("secret", rule="rule", needs=("vault",)),
    Field("maybe", get=lambda _row, _r: ABSENT),
)


class Row:
    uuid = "u"
    link = "l"
    parts = ({"tag": "t", "size": 1},)
    owner = None
    secret = "s"


def test_versions_are_complete_and_in_order():
    assert [int(version) for version in VERSIONS] == list(range(1, 105))
    assert (text(LATEST), END) == ("2.104", 105)
    assert V.SERVER_DESCRIPTION.summary == "servers have a description"


def test_a_view_renders_nested_rows_of_the_version():
    old = emit(THING.emitters(1, frozenset({"rule"})), Row, Rendering(None))
    new = emit(THING.emitters(104), Row, Rendering(None))
    assert old == {"id": "u", "link": "l", "parts": [{"size": 1}], "owner": None}
    assert new == {"id": "u", "parts": [{"tag": "t", "size": 1}], "owner": None, "secret": "s"}


def test_needs_leave_out_what_is_refused():
    assert THING.needs(1, frozenset()) == {"owner", "vault"}
    assert THING.needs(1, frozenset({"rule"})) == {"owner"}
    assert THING.list("things").needs(1, frozenset()) == {"owner", "vault"}


def test_paths_tell_every_window():
    paths = set(THING.list("things", each="thing").paths())
    assert (".things", 0, END) in paths
    assert (".things[].thing.link.href", 0, V.FLAVOR_EMBEDDED) in paths
    assert (".things[].thing.link.rel", V.KEYPAIR_TYPE, V.FLAVOR_EMBEDDED) in paths
    assert (".things[].thing.parts[].tag", V.DEVICE_TAGS, END) in paths


def test_a_raw_view_hands_the_mapping_through():
    wrapped = View(Field("raw", get=itself, view=RawView(".*")))
    assert emit(wrapped.emitters(1), {"k": "v"}, Rendering(None)) == {"raw": {"k": "v"}}


def test_values_since_a_version():
    status = Since({0: 200, V.KEYPAIR_TYPE: 201, V.ASYNC_VOLUME_ATTACH: 202})
    assert [status.at(minor) for minor in (0, 1, 2, 100, 101)] == [200, 200, 201, 201, 202]


BODY = Body(
    Prop("name", forms.NAME, required=True, until=V.HOSTNAME),
    Prop("name", forms.STRING, since=V.HOSTNAME),
    Prop("nets", Array(Object(Prop("id", forms.UUID)), maxItems=1), until=V.NETWORKS_AUTO_OR_NONE),
    Prop("nets", OneOf(forms.enum("auto"), Array(forms.UUID)), since=V.NETWORKS_AUTO_OR_NONE),
    Prop("free", Object(patterns={"^x": forms.integer(1, 3)}, extra=forms.STRING)),
)


def accepts(schema, value, *, relaxed=False):
    try:
        Validator(schema, relaxed=relaxed).check(value)
    except Invalid:
        return False
    return True


@pytest.mark.parametrize(
    ("minor", "value", "ok"),
    [
        (1, {"name": "n"}, True),
        (1, {}, False),
        (90, {}, True),
        (1, {"name": "n", "nets": [{}]}, True),
        (1, {"name": "n", "nets": [{}, {}]}, False),
        (1, {"name": "n", "nets": "auto"}, False),
        (37, {"name": "n", "nets": "auto"}, True),
        (37, {"name": "n", "nets": ["nouuid"]}, False),
        (1, {"name": "n", "free": {"x1": "3", "other": "text"}}, True),
        (1, {"name": "n", "free": {"x1": "4"}}, False),
        (1, {"name": "n", "free": {"x1": "x"}}, False),
        (1, {"name": "n", "free": {"other": 1}}, False),
    ],
)
def test_a_body_by_version(minor, value, ok):
    assert accepts(BODY.at(minor), value) is ok


def test_the_relaxed_validator_drops_unknown_keys_except_beside_patterns():
    schema = Body(Prop("o", Object(Prop("a"))), Prop("p", Object(patterns={"^x": forms.STRING}))).at(0)
    value = {"o": {"a": 1, "b": 2}, "c": 3}
    assert accepts(schema, value, relaxed=True)
    assert value == {"o": {"a": 1}}
    assert not accepts(schema, {"p": {"y": "1"}}, relaxed=True)


def test_a_query_is_strict_from_its_version_on():
    query = Query(
        Param("a"), Param("b", single=True), patterns={"^_": forms.STRING}, strict_since=V.STRICT_QUERIES
    )
    assert accepts(query.at(74), {"x": ["1"]})
    assert not accepts(query.at(75), {"x": ["1"]})
    assert accepts(query.at(75), {"_x": ["1"], "a": ["1", "2"]})
    assert not accepts(query.at(1), {"b": ["1", "2"]})
    assert set(query.paths()) == {(".a", 0, END), (".b", 0, END), (".*", 0, END)}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("name", ["a", "a b", "é"], [" a", "a ", "a\tb", "\U0001f600", "a\u2028b"]),
        ("name_with_leading_trailing_spaces", [" a "], ["  ", "a\n"]),
        ("az_name", ["a"], ["a:b", " a"]),
        ("uuid", ["11111111-2222-3333-4444-555555555555", "1" * 32], ["1", "x"]),
        ("ipv4", ["1.2.3.4"], ["1.2.3", "::1"]),
        ("ipv6", ["::1"], ["1.2.3.4", "x"]),
        ("cidr", ["10.0.0.0/8", "10.0.0.1/8"], ["10.0.0.0", "x/8"]),
        ("date-time", ["2026-01-01T00:00:00Z"], ["junk"]),
        ("base64", ["aGk="], ["a", "aGk"]),
        ("regex", ["a.*"], ["", "["]),
        ("uri", ["http://a/b"], ["a/b"]),
    ],
)
def test_formats(name, good, bad):
    schema = {"type": "string", "format": name}
    assert [text for text in good if not accepts(schema, text)] == []
    assert [text for text in bad if accepts(schema, text)] == []
