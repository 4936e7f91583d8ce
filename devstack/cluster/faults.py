"""Faults that a test or a person asks for: slow, failing, absent, too many.

A fault matches by kind of trouble and by what it names; it lasts until removed, or `times` uses.
"""

import asyncio
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from devstack.cluster.errors import ApiError
from devstack.cluster.objects import Object

# action: what it does, and which of the arguments it takes
ACTIONS: Final = {
    "http-error": "answer a request with `code`, `reason`, `message`, `retryAfter`",
    "http-delay": "answer a request only after `seconds`",
    "access-denied": "deny a SelfSubjectAccessReview",
    "import-slow": "a data volume's import takes `seconds` longer",
    "import-fail": "a data volume's import fails with `message`",
    "clone-slow": "a clone takes `seconds` longer",
    "unschedulable": "a launcher pod finds no node, with `message`",
    "start-slow": "a guest stays in Scheduled for `seconds`",
    "start-fail": "a guest fails instead of running, with `message`",
    "plug-fail": "the network of a launcher pod cannot be set up, with `message`",
    "shutdown-ignored": "a guest ignores the power button",
    "no-agent": "a guest has no guest agent",
}
_MATCHES: Final = ("method", "path", "namespace", "name", "node", "resource", "verb")


@dataclass
class Fault:
    """One rule; `match` holds shell patterns by field, an absent field matches anything."""

    id: str
    action: str
    match: Mapping[str, str]
    arguments: Mapping[str, Any]
    times: int | None
    used: int = 0

    def fits(self, facts: Mapping[str, str]) -> bool:
        return all(fnmatchcase(facts.get(name, ""), pattern) for name, pattern in self.match.items())

    def as_json(self) -> Object:
        return {
            "id": self.id,
            "action": self.action,
            "match": dict(self.match),
            **self.arguments,
            "times": self.times,
            "used": self.used,
        }


@dataclass
class Faults:
    """The faults in force."""

    _faults: dict[str, Fault] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def add(self, body: Object) -> Fault:
        """Raises: ApiError 400 for an unknown action or match."""
        arguments = dict(body)
        action, match = arguments.pop("action", ""), arguments.pop("match", {})
        times = arguments.pop("times", None)
        if action not in ACTIONS:
            raise ApiError(400, f"unknown action {action!r}, known: {', '.join(ACTIONS)}")
        strange = set(match) - set(_MATCHES)
        if strange:
            raise ApiError(400, f"unknown match {sorted(strange)}, known: {', '.join(_MATCHES)}")
        fault = Fault(f"fault-{next(self._ids)}", action, match, arguments, times)
        self._faults[fault.id] = fault
        return fault

    def list(self) -> list[Object]:
        return [fault.as_json() for fault in self._faults.values()]

    def remove(self, fault_id: str = "") -> bool:
        """Remove one fault, or all of them."""
        if fault_id:
            return self._faults.pop(fault_id, None) is not None
        self._faults.clear()
        return True

    def find(self, action: str, **facts: str) -> Fault | None:
        """The fault in force for this, using it up once."""
        for fault in list(self._faults.values()):
            if fault.action == action and fault.fits(facts):
                fault.used += 1
                if fault.times is not None and fault.used >= fault.times:
                    del self._faults[fault.id]
                return fault
        return None

    def seconds(self, action: str, **facts: str) -> float:
        fault = self.find(action, **facts)
        return float(fault.arguments.get("seconds", 0)) if fault else 0.0

    async def before_request(self, method: str, path: str) -> None:
        """Raises: the ApiError that an http-error fault asks for."""
        if not self._faults:
            return
        delay_s = self.seconds("http-delay", method=method, path=path)
        if delay_s:
            await asyncio.sleep(delay_s)
        fault = self.find("http-error", method=method, path=path)
        if fault:
            told = fault.arguments
            headers = {"Retry-After": str(told["retryAfter"])} if "retryAfter" in told else {}
            message = told.get("message", "the stand-in was asked to refuse this")
            raise ApiError(int(told.get("code", 500)), message, told.get("reason", ""), {}, headers)

    def review_access(self, review: Object) -> Object:
        """Answer a SelfSubjectAccessReview: everything is allowed unless a fault denies it."""
        asked = (review.get("spec") or {}).get("resourceAttributes") or {}
        resource = "/".join(filter(None, (asked.get("resource"), asked.get("subresource"))))
        facts = {"resource": resource, "verb": asked.get("verb", ""), "namespace": asked.get("namespace", "")}
        fault = self.find("access-denied", **facts)
        status = (
            {"allowed": fault is None}
            if fault is None
            else {"allowed": False, "reason": "denied by the stand-in"}
        )
        return {
            **review,
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "status": status,
        }
