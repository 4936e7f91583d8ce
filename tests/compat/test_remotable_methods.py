"""The conductor's table of remotable methods and the contract: no row is missing, none is dead."""

import inspect

import pytest

from openkeel.conductor.object_methods import METHODS, OnClass
from tests.fixtures.contract import facts

NAMED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@pytest.fixture
def contract():
    return {(row["object"], row["method"]): row for row in facts("objects", "remotable_methods")}


def test_every_remotable_method_is_served_and_nothing_else(contract):
    assert set(METHODS) == set(contract)
    assert len(METHODS) == 248


@pytest.mark.parametrize(("kind", "method"), sorted(METHODS), ids=lambda name: name)
def test_a_row_takes_the_arguments_of_the_contract(contract, kind, method):
    row, fact = METHODS[kind, method], contract[kind, method]
    assert (fact["kind"] == "class") == isinstance(row, OnClass)
    ours = list(inspect.signature(row.run).parameters.values())[2 if isinstance(row, OnClass) else 3 :]
    theirs = fact["args"][2 if isinstance(row, OnClass) else 1 :]
    taken = [one for one in ours if one.kind in NAMED]
    assert [one.name for one in taken] == [arg["name"] for arg in theirs]
    # What a peer may leave out, it may leave out here.
    for mine, arg in zip(taken, theirs, strict=True):
        assert (mine.default is not inspect.Parameter.empty) or "default" not in arg, mine.name
    rest = {one.kind for one in ours} - set(NAMED)
    assert (inspect.Parameter.VAR_POSITIONAL in rest) == bool(fact["varargs"])
    assert (inspect.Parameter.VAR_KEYWORD in rest) == bool(fact["kwargs"])
