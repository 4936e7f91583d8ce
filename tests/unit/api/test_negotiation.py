"""Which version a request gets. Golden: recordings of versions-negotiation."""

import pytest

from openkeel.api.errors import Fault
from openkeel.api.negotiation import negotiate


@pytest.mark.parametrize(
    ("new", "old", "minor"),
    [
        (None, None, 1),
        ("compute 2.1", None, 1),
        ("compute 2.104", None, 104),
        ("compute latest", None, 104),
        ("compute ", None, 1),
        ("", None, 1),
        ("2.30", None, 1),
        ("volume 3.1", None, 1),
        ("volume 3.1, compute 2.30", None, 30),
        ("compute 2.10, compute 2.30", None, 30),
        ("COMPUTE 2.30", None, 30),
        ("compute   2.30", None, 30),
        (None, "2.30", 30),
        (None, "latest", 104),
        ("compute 2.30", "2.10", 30),
        ("volume 3.1", "2.10", 10),
    ],
)
def test_the_asked_version(new, old, minor):
    assert negotiate(_headers(new, old)) == minor


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("compute LATEST", None),
        ("compute 2", None),
        ("compute 2.1.1", None),
        ("compute spam", None),
        ("compute 2.010", None),
        ("compute 2.-1", None),
        (None, "spam"),
        (None, "compute 2.30"),
        ("compute spam", "2.10"),
    ],
)
def test_malformed_versions_are_refused_without_an_echo(new, old):
    with pytest.raises(Fault) as refusal:
        negotiate(_headers(new, old))
    assert (refusal.value.status, refusal.value.headers) == (400, {})


@pytest.mark.parametrize("version", ["2.105", "2.0", "2.99999", "3.0", "1.1"])
def test_versions_out_of_range_are_echoed(version):
    with pytest.raises(Fault) as refusal:
        negotiate(_headers(f"compute {version}", None))
    assert refusal.value.status == 406
    assert refusal.value.headers["OpenStack-API-Version"] == f"compute {version}"


def _headers(new, old):
    headers = {}
    if new is not None:
        headers["openstack-api-version"] = new
    if old is not None:
        headers["x-openstack-nova-api-version"] = old
    return headers
