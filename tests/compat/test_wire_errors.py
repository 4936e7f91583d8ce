"""Errors: names and statuses on the wire, and what the API makes of them, against the contract."""

import importlib
import inspect
import pkgutil
from collections import defaultdict

import pytest

import openkeel
from openkeel.api.errors import ENVELOPES, KINDS, OTHER_ENVELOPE, status_of
from openkeel.api.resources import operations
from openkeel.domain.errors import Forbidden, Internal, KeelError, NotFound, OverQuota, Unsupported
from openkeel.rpc.errors import ROWS, from_wire, to_wire, wire_class
from tests.fixtures.contract import facts

# What Nova raises in an API of its own where ours cannot come from.
NOT_OURS = {
    ("POST /os-aggregates", "ObjectActionError"),
    # There it stands for a conductor that is too old, which is Unsupported here.
    ("POST /os-aggregates/{id}/images", "NovaException"),
}
# A limit of the project is 403 at the API, whatever an exception says of itself.
STATUS_AT_THE_API = {413: 403}


@pytest.fixture
def known():
    return {row["exception"]: row for row in facts("exceptions", "exceptions")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind.__name__)
def test_the_class_exists_with_this_status(known, row):
    assert row.wire in known
    assert row.code == known[row.wire]["code"]


def _kinds():
    for module in pkgutil.walk_packages(openkeel.__path__, "openkeel."):
        if ".migrations." not in module.name and not module.name.endswith("__main__"):
            loaded = importlib.import_module(module.name)
            for _, each in inspect.getmembers(loaded, inspect.isclass):
                if issubclass(each, KeelError):
                    yield each


def test_every_error_of_ours_leaves_under_a_name_of_novas(known):
    kinds = set(_kinds())
    assert len(kinds) > 50
    for kind in kinds:
        leaving = to_wire(kind("text"))
        if issubclass(kind, Unsupported):
            assert isinstance(leaving, NotImplementedError)
            continue
        assert type(leaving).__module__ == "nova.exception"
        assert type(leaving).__name__ in known, kind
        assert leaving.kwargs["code"] == known[type(leaving).__name__]["code"], kind


def test_every_error_of_novas_is_received_as_a_kind_with_its_status(known):
    assert len(known) == 539
    for name, row in known.items():
        received = from_wire(wire_class(name)("text", code=row["code"], host="node-1"))
        assert isinstance(received, KeelError), name
        assert str(received) == "text"
        if any(one.wire == name for one in ROWS):
            continue
        status = KINDS[next(kind for kind in type(received).__mro__ if kind in KINDS)]
        wanted = STATUS_AT_THE_API.get(row["code"], row["code"])
        assert status == (wanted if wanted in KINDS.values() else 500), name


def test_an_error_comes_back_as_the_kind_it_left_as():
    for row in ROWS:
        first = next(one for one in ROWS if one.wire == row.wire)
        if first is row and not issubclass(row.kind, Unsupported):
            back = from_wire(to_wire(row.kind("text", thing="a fact")))
            assert type(back) is row.kind
            assert back.facts["thing"] == "a fact"


def test_faults_are_wrapped_in_novas_envelopes():
    names = {row["code"]: row["name"] for row in facts("exceptions", "fault_envelope_names")}
    assert names.pop("other") == OTHER_ENVELOPE
    assert dict(ENVELOPES) == names


def test_what_goes_for_all_operations_goes_here():
    rows = {
        (row["layer"], row["exception"]): row["result"] for row in facts("exceptions", "global_conversions")
    }
    assert rows["resource", "Forbidden"] == status_of(Forbidden(), {})
    assert rows["controller decorator expected_errors", "any other, undeclared"] == status_of(Internal(), {})
    assert rows["controller decorator expected_errors", "NotSupported and subclasses"] == status_of(
        Unsupported(), {}
    )
    assert rows["resource", "no such controller method"] == status_of(NotFound(), {})
    assert status_of(OverQuota(), {}) == STATUS_AT_THE_API[413]


def test_operations_answer_errors_as_novas_do():
    """Each conversion of an error that we know, in an operation that we have."""
    kinds = {row.wire: row.kind for row in reversed(ROWS)}
    declared = defaultdict(list)
    for operation in operations():
        declared[operation.name].append(operation)
    compared = 0
    for row in facts("exceptions", "handler_conversions"):
        kind = kinds.get(row["exception"])
        if kind is None or row["code"] is None or (row["op"], row["exception"]) in NOT_OURS:
            continue
        for operation in declared[row["op"]][:1]:
            compared += 1
            ours = {status_of(kind("text"), each.errors) for each in declared[row["op"]]}
            assert row["code"] in ours, (operation.name, row["exception"], ours)
    assert compared > 200
