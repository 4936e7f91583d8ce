import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkeel.domain.hostnames import hostname_for

UUID = "11111111-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("name", "hostname"),
    [
        ("web", "web"),
        ("My Server_1.x", "my-server-1-x"),
        ("a.b.c", "a-b-c"),
        ("--x--", "x"),
        ("Zürich", "zurich"),
        ("x" * 80, "x" * 63),
        ("x" * 62 + ".y", "x" * 62),
    ],
)
def test_a_name_becomes_a_label(name, hostname):
    assert hostname_for(name, UUID) == hostname


@pytest.mark.parametrize("name", ["!!!", "...", "", "日本"])
def test_a_name_of_which_nothing_is_left_gives_way_to_the_uuid(name):
    assert hostname_for(name, UUID) == f"Server-{UUID}"


@given(st.text(max_size=300))
def test_whatever_the_name_it_is_a_label_of_dns(name):
    hostname = hostname_for(name, UUID)
    assert hostname == f"Server-{UUID}" or re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", hostname)
