"""Faults match, are used up, and are refused when they make no sense."""

import asyncio

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.faults import Faults


def test_a_fault_matches_by_pattern_and_ends_after_its_uses():
    faults = Faults()
    faults.add({"action": "start-fail", "match": {"name": "i-*"}, "times": 2})
    assert faults.find("start-fail", name="other") is None
    assert faults.find("import-fail", name="i-1") is None
    assert faults.find("start-fail", name="i-1")
    assert faults.find("start-fail", name="i-2")
    assert faults.find("start-fail", name="i-3") is None
    assert faults.list() == []


def test_a_fault_without_uses_stays_until_it_is_removed():
    faults = Faults()
    fault = faults.add({"action": "no-agent"})
    assert all(faults.find("no-agent") for _ in range(3))
    assert faults.list()[0]["used"] == 3
    assert faults.remove(fault.id)
    assert faults.find("no-agent") is None
    assert not faults.remove(fault.id)


@pytest.mark.parametrize(
    "body", [{"action": "explode"}, {"action": "no-agent", "match": {"colour": "red"}}, {}]
)
def test_an_unknown_action_or_match_is_refused(body):
    with pytest.raises(ApiError):
        Faults().add(body)


def test_a_request_can_be_answered_with_too_many_requests():
    faults = Faults()
    faults.add(
        {"action": "http-error", "match": {"method": "GET", "path": "/api/*"}, "code": 429, "retryAfter": 3}
    )
    asyncio.run(faults.before_request("POST", "/api/v1/pods"))
    with pytest.raises(ApiError) as refusal:
        asyncio.run(faults.before_request("GET", "/api/v1/pods"))
    assert (refusal.value.code, refusal.value.headers) == (429, {"Retry-After": "3"})
    assert refusal.value.status()["reason"] == "TooManyRequests"


def test_access_is_allowed_unless_a_fault_denies_it():
    faults = Faults()
    review = {
        "spec": {
            "resourceAttributes": {"verb": "update", "resource": "virtualmachines", "subresource": "start"}
        }
    }
    assert faults.review_access(review)["status"] == {"allowed": True}
    faults.add({"action": "access-denied", "match": {"resource": "virtualmachines/start"}})
    assert faults.review_access(review)["status"]["allowed"] is False
