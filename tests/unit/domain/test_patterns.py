"""Patterns of clients: anything may come."""

import time
from contextlib import suppress

import pytest

from openkeel.domain.errors import Invalid
from openkeel.domain.patterns import check, is_found, is_pattern

ADDRESS = "fe80:1234:1234:1234:1234:1234:1234:1234"


@pytest.mark.parametrize("text", ["", "^10\\.", "a{2}", "(?i)x", "(a+)+$"])
def test_expressions_are_told_from_what_is_none(text):
    assert is_pattern(text)
    assert check(text) == text


@pytest.mark.parametrize("text", ["[", "*", "(?<n>a)", "a{99999999999}", "(" * 4000 + ")" * 4000, "a{2,1}"])
def test_what_no_engine_can_read_is_no_expression(text):
    assert not is_pattern(text)
    with pytest.raises(Invalid):
        check(text)


def test_a_search_knows_no_case():
    assert is_found("^FE80", ADDRESS)
    assert not is_found("^10", ADDRESS)


@pytest.mark.parametrize("pattern", ["(([0-9a-f:])+)+[xy]", "(.*)" * 20 + "[xy]", "(.|.)*[xy]"])
def test_a_search_that_would_not_end_is_refused(pattern):
    before = time.monotonic()
    with suppress(Invalid):  # some engines see at once that it cannot be
        is_found(pattern, ADDRESS)
    assert time.monotonic() - before < 5
