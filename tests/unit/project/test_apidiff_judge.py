"""The judge of apidiff: what counts as explained and what stays open."""

import pytest

from tests.apidiff import judge, tool
from tests.apidiff.judge import Difference, Explanation, Judge

pytestmark = pytest.mark.skipif(
    not (tool.folder() / "apidiff").exists(), reason="needs the shared tool apidiff beside the checkout"
)


def recording(answer, op="GET /servers/{id}"):
    return {
        "scenario": "example",
        "headers": [{}],
        "steps": [{"id": "1", "op": op, "req": "", "answers": [{"mv": ["2.1"], "h": 0, **answer}]}],
    }


def verdict(nova, ours, rows=(), op="GET /servers/{id}"):
    subject = Judge()
    subject._explanations = list(rows)
    (found,) = subject.verdicts(recording(nova, op), recording(ours, op))
    return found


def test_the_same_answer_is_equal():
    assert verdict({"st": 200, "b": {"a": 1}}, {"st": 200, "b": {"a": 1}}).column == "equal"


def test_another_status_is_open():
    assert verdict({"st": 202}, {"st": 409}).column == "status"


def test_a_key_that_is_missing_is_worse_than_another_value():
    found = verdict({"st": 200, "b": {"a": 1, "b": 2}}, {"st": 200, "b": {"a": 3}})
    assert found.column == "shape"


def test_an_answer_is_explained_only_when_all_of_its_differences_are():
    row = Explanation("zones", "lab", "they differ", path="$.zone")
    nova, ours = {"zone": "a", "host": "x"}, {"zone": "b", "host": "y"}
    half = verdict({"st": 200, "b": nova}, {"st": 200, "b": ours}, [row])
    assert (half.column, [one.path for one in half.differences]) == ("value", ["$.host"])
    whole = verdict({"st": 200, "b": nova}, {"st": 200, "b": {**nova, "zone": "b"}}, [row])
    assert (whole.column, whole.why) == ("lab", "zones")


def test_a_refusal_where_nova_fails_is_better():
    assert verdict({"st": 500}, {"st": 400}).column == "better"
    assert verdict({"st": 400}, {"st": 500}).column == "status"


def test_operations_that_are_not_there_are_told_from_the_routes():
    assert verdict({"st": 200}, {"st": 404}, op="GET /servers/{server_id}/tags").column == "status"
    assert not judge.absent_operations({"GET /servers/{server_id}/tags": {}})
    assert judge.absent_operations({"GET /no-such-thing": {}}) == {"GET /no-such-thing"}


def test_every_row_says_why_and_of_which_kind():
    rows = judge.explanations()
    assert {row.kind for row in rows} <= {"lab", "later", "better", "own"}
    assert all(len(row.reason) > 15 for row in rows)
    nothing = Difference("no op", "nowhere", "status", "no path", None, None)
    assert not [row.name for row in rows if row.covers(nothing)]
