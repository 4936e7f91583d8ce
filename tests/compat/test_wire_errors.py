"""Errors that cross the wire carry names and statuses of the contract."""

import pytest

from openkeel.rpc.errors import ROWS
from tests.fixtures.contract import facts


@pytest.fixture
def known():
    return {row["exception"]: row for row in facts("exceptions", "exceptions")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind.__name__)
def test_the_class_exists_with_this_status(known, row):
    assert row.wire in known
    assert row.code == known[row.wire]["code"]
