"""A stand-in cluster without HTTP, on a clock that tests move."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from devstack.cluster.bridges import Done, Plug
from devstack.cluster.imports import ImportJob
from devstack.cluster.kinds import DATA_VOLUME, EVENT, GUEST, MACHINE, NAMESPACE, NETWORK, NODE, POD, Kind
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import Registry
from devstack.cluster.requests import Target
from devstack.cluster.schema import published
from devstack.cluster.seed import NodeSize, seed
from devstack.cluster.server import ControlPlane
from devstack.cluster.store import Store
from devstack.cluster.subresources import Subresources
from devstack.cluster.timings import Timings
from devstack.cluster.write_checks import Write

NS = "ok-project"
START = 1_800_000_000.0


class FakeClock:
    """Nothing happens until it is run or advanced."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return START + self.now

    def call_soon(self, function: Callable[[], None]) -> None:
        self.call_later(0.0, function)

    def call_later(self, delay_s: float, function: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self.now + delay_s, next(self._numbers), function))

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self._due and self._due[0][0] <= end:
            self.now, _, function = heapq.heappop(self._due)
            function()
        self.now = end


@dataclass
class FakeImporter:
    """Imports that end when the test says so; `answers` are given at once."""

    jobs: dict[str, ImportJob] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    _calls: dict[str, tuple[Callable[[float], None], Callable[[str], None]]] = field(default_factory=dict)

    def start(
        self, name: str, job: ImportJob, progress: Callable[[float], None], done: Callable[[str], None]
    ) -> None:
        self.jobs[name] = job
        if self.answers:
            done(self.answers.pop(0))
        else:
            self._calls[name] = (progress, done)

    def cancel(self, name: str) -> None:
        self._calls.pop(name, None)

    def progress(self, name: str, share: float) -> None:
        self._calls[name][0](share)

    def finish(self, name: str, error: str = "") -> None:
        self._calls.pop(name)[1](error)


@dataclass
class FakeBridges:
    """Bridges that remember; a refusal is given to the next plug."""

    devices: dict[str, set[str]] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    seen: list[Plug] = field(default_factory=list)

    def plug(self, plugs: list[Plug], done: Done) -> None:
        if self.refusals:
            done(self.refusals.pop(0))
            return
        for plug in plugs:
            self.devices.setdefault(plug.node, set()).add(plug.device)
            self.seen.append(plug)
        done("")

    def unplug(self, plugs: list[Plug], done: Done) -> None:
        for plug in plugs:
            self.devices.get(plug.node, set()).discard(plug.device)
        done("")


class World:
    """The control plane and short words for what tests do to it."""

    def __init__(
        self,
        timings: Timings | None = None,
        *,
        size: NodeSize | None = None,
        store: Store | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.importer = FakeImporter()
        self.bridges = FakeBridges()
        self.store = store or Store()
        control = ControlPlane.build(
            self.store, self.clock, timings or Timings(), self.bridges, self.importer
        )
        self.control, self.plane = control, control.plane
        self.registry: Registry = control.plane.registry
        self.subresources = Subresources(control.plane)
        seed(self.registry, ("node-1", "node-2"), size or NodeSize())
        if self.store.record(NAMESPACE, Key("", NS)) is None:
            self.make(NAMESPACE, {"metadata": {"name": NS}})
        control.start()
        self.run()

    def run(self, seconds: float = 0.0) -> None:
        self.clock.advance(seconds)

    def make(self, kind: Kind, obj: Object, **write: Any) -> Object:
        if kind.namespaced:
            obj["metadata"].setdefault("namespace", NS)
        made = self.registry.create(kind, obj, Write(manager="test", **write))
        self.run()
        return made

    def get(self, kind: Kind, name: str, namespace: str = NS) -> Object:
        return self.registry.get(kind, Key(namespace if kind.namespaced else "", name))

    def find(self, kind: Kind, name: str, namespace: str = NS) -> Object | None:
        return self.store.find(kind, Key(namespace if kind.namespaced else "", name))

    def change(self, kind: Kind, name: str, change: Callable[[Object], None]) -> Object:
        """A client's write to an object's spec or metadata."""

        def whole(obj: Object) -> Object:
            change(obj)
            return obj

        key = Key(NS if kind.namespaced else "", name)
        changed = self.registry.patch(kind, key, whole, Write(manager="test"))
        self.run()
        return changed

    def delete(self, kind: Kind, name: str, *deletion: Any) -> None:
        self.registry.delete(kind, Key(NS if kind.namespaced else "", name), *deletion)
        self.run()

    def call(self, subresource: str, name: str = "vm", body: bytes = b"{}", method: str = "PUT") -> Any:
        """A subresource: `virtualmachines/start`."""
        plural, _, part = subresource.partition("/")
        target = Target("subresources.kubevirt.io", "v1", plural, NS, name, part)
        answer = self.subresources.call(method, target, body)
        self.run()
        return answer

    def start(self, name: str = "vm", body: bytes = b"{}") -> None:
        self.call("virtualmachines/start", name, body)

    def phase(self, name: str = "vm") -> str:
        instance = self.find(GUEST, name)
        return "" if instance is None else str(instance.get("status", {}).get("phase", ""))

    def status(self, name: str = "vm") -> str:
        return str(self.get(MACHINE, name)["status"]["printableStatus"])

    def launcher(self, name: str = "vm") -> Object | None:
        instance = self.find(GUEST, name)
        uid = instance["metadata"]["uid"] if instance else ""
        return next((each.load() for each in self.store.dependents(uid) if each.kind is POD), None)

    def events(self, reason: str) -> list[Object]:
        return [each.load() for each in self.store.records(EVENT) if each.fields["reason"] == reason]

    def count(self, kind: Kind) -> int:
        return self.store.count(kind)


def machine(name: str = "vm", **spec: Any) -> Object:
    """A machine that boots: no disks, no networks, on node-1."""
    template: Object = {
        "nodeSelector": {"kubernetes.io/hostname": "node-1"},
        "domain": {"devices": {}, "memory": {"guest": "128Mi"}, "cpu": {"sockets": 1}},
        **spec,
    }
    return {
        "metadata": {"name": name},
        "spec": {
            "runStrategy": "Manual",
            "template": {"metadata": {"labels": {"of": name}}, "spec": template},
        },
    }


def networked(name: str = "vm", port: str = "3f0d1c5e-port") -> Object:
    """A machine with one Multus network."""
    made = machine(name)
    spec = made["spec"]["template"]["spec"]
    spec["networks"] = [{"name": f"p-{port}", "multus": {"networkName": f"okp-{port}"}}]
    spec["domain"]["devices"]["interfaces"] = [
        {"name": f"p-{port}", "bridge": {}, "macAddress": "fa:16:3e:00:00:01", "model": "virtio"}
    ]
    return made


def network(port: str = "3f0d1c5e-port") -> Object:
    config = (
        '{"cniVersion": "0.4.0", "type": "ovs", "bridge": "br-int", "mtu": 1442, '
        f'"args": {{"cni": {{"ovnPort": "{port}", "mac": "fa:16:3e:00:00:01"}}}}}}'
    )
    return {"metadata": {"name": f"okp-{port}"}, "spec": {"config": config}}


def data_volume(name: str, source: Object, size: str = "1Gi", **storage: Any) -> Object:
    target = {"resources": {"requests": {"storage": size}}, **storage}
    return {"metadata": {"name": name}, "spec": {"source": source, "storage": target}}


def schema_of(kind: Kind) -> Any:
    return published().node(kind.schema)


__all__ = [
    "DATA_VOLUME",
    "GUEST",
    "MACHINE",
    "NETWORK",
    "NODE",
    "NS",
    "POD",
    "World",
    "data_volume",
    "machine",
]
