"""The stand-in's own controls, outside the Kubernetes API: faults, guests, nodes, watches, time.

POST   /_standin/faults                      {"action", "match", "times", ...}   see faults.py
GET    /_standin/faults                      DELETE /_standin/faults[/ID]
POST   /_standin/guests/NAMESPACE/NAME       {"action": "shutdown" | "crash" | "reboot"}
POST   /_standin/nodes/NAME                  {"action": "ready" | "not-ready"}
POST   /_standin/watches                     {"action": "drop" | "expire"}
GET    /_standin/state                       counts
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import orjson
from aiohttp import web

from devstack.cluster import objects
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.errors import ApiError, no_such_resource, not_found
from devstack.cluster.kinds import GUEST, KINDS, NODE
from devstack.cluster.objects import Key, Object
from devstack.cluster.pages import Pages
from devstack.cluster.watch import WatchHub

T = TypeVar("T")

PREFIX: Final = "/_standin/"
_UNREACHABLE: Final = (
    {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
)


class Admin:
    def __init__(self, plane: Plane, hub: WatchHub, pages: Pages) -> None:
        self._plane = plane
        self._hub = hub
        self._pages = pages

    async def handle(self, request: web.Request) -> web.Response:
        try:
            raw = await request.read()
            body = orjson.loads(raw) if raw.strip() else {}
            answer = self._route(
                request.method, request.path.removeprefix(PREFIX).strip("/").split("/"), body
            )
        except ApiError as error:
            return web.json_response(error.status(), status=error.code)
        except orjson.JSONDecodeError as error:
            return web.json_response({"message": str(error)}, status=400)
        return web.json_response(answer)

    def _route(self, method: str, parts: list[str], body: Object) -> Any:
        answer: Any
        match (method, *parts):
            case ("POST", "faults"):
                answer = self._plane.faults.add(body).as_json()
            case ("GET", "faults"):
                answer = self._plane.faults.list()
            case ("DELETE", "faults", *rest):
                answer = {"removed": self._plane.faults.remove(*rest)}
            case ("POST", "guests", namespace, name):
                answer = self._guest(Key(namespace, name), body.get("action", ""))
            case ("POST", "nodes", name):
                answer = self._node(name, body.get("action", ""))
            case ("POST", "watches"):
                answer = self._watches(body.get("action", ""))
            case ("GET", "state"):
                answer = self._state()
            case _:
                raise no_such_resource()
        return answer

    def _guest(self, key: Key, action: str) -> Object:
        record = self._plane.store.record(GUEST, key)
        if record is None:
            raise not_found(GUEST.plural, GUEST.group, key.name)
        guests = self._plane.guests
        actions: dict[str, Callable[[str], None]] = {
            "shutdown": guests.power_off,
            "crash": guests.crash,
            "reboot": guests.reboot,
        }
        _pick(actions, action)(record.uid)
        return {"uid": record.uid, "action": action}

    def _node(self, name: str, action: str) -> Object:
        if self._plane.store.record(NODE, Key("", name)) is None:
            raise not_found("nodes", "", name)
        change = _pick({"ready": self._revive, "not-ready": self._silence}, action)
        self._plane.registry.edit(NODE, Key("", name), change, "kube-controller-manager")
        return {"node": name, "action": action}

    def _revive(self, node: Object) -> None:
        objects.set_condition(
            node, "Ready", True, self._plane.now(), "KubeletReady", "kubelet is posting ready status"
        )
        node["metadata"]["labels"]["kubevirt.io/schedulable"] = "true"
        kept = [taint for taint in node["spec"].get("taints") or () if taint not in _UNREACHABLE]
        node["spec"]["taints"] = kept
        if not kept:
            del node["spec"]["taints"]

    def _silence(self, node: Object) -> None:
        now = self._plane.now()
        objects.set_condition(
            node, "Ready", False, now, "NodeStatusUnknown", "Kubelet stopped posting node status."
        )
        for entry in node["status"]["conditions"]:
            if entry["type"] == "Ready":
                entry["status"] = "Unknown"
        node["metadata"]["labels"]["kubevirt.io/schedulable"] = "false"
        taints = node["spec"].setdefault("taints", [])
        taints += [taint for taint in _UNREACHABLE if taint not in taints]

    def _watches(self, action: str) -> Object:
        def drop() -> None:
            for watcher in self._hub.watchers():
                watcher.close()

        def expire() -> None:
            self._plane.store.forget_history()
            self._pages.forget()
            drop()

        _pick({"drop": drop, "expire": expire}, action)()
        return {"action": action}

    def _state(self) -> Object:
        return {
            "resourceVersion": str(self._plane.store.version),
            "objects": {kind.resource: count for kind in KINDS if (count := self._plane.store.count(kind))},
            "watches": sum(1 for _ in self._hub.watchers()),
            "faults": len(self._plane.faults.list()),
        }


def _pick(actions: dict[str, T], action: str) -> T:
    if action not in actions:
        raise ApiError(400, f"unknown action {action!r}, known: {', '.join(actions)}")
    return actions[action]
