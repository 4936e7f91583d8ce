"""What every controller works with."""

from dataclasses import dataclass, field

from devstack.cluster import objects
from devstack.cluster.bridges import Bridges
from devstack.cluster.clock import Clock
from devstack.cluster.errors import ApiError
from devstack.cluster.faults import Faults
from devstack.cluster.guests import Guests
from devstack.cluster.imports import Importer
from devstack.cluster.kinds import EVENT
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import Registry
from devstack.cluster.store import Store
from devstack.cluster.timings import Timings
from devstack.cluster.write_checks import Write


@dataclass
class Plane:
    """The cluster seen from inside."""

    registry: Registry
    faults: Faults
    timings: Timings
    guests: Guests
    bridges: Bridges
    importer: Importer
    _events: dict[tuple[str, str, str], Key] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return self.registry.store

    @property
    def clock(self) -> Clock:
        return self.registry.clock

    def now(self) -> str:
        return self.registry.now()

    def tell(self, obj: Object, kind: str, reason: str, message: str, source: str) -> None:
        """Record an Event about an object; the same one again only counts up."""
        meta = obj["metadata"]
        mark = (meta["uid"], reason, message)
        known = self._events.get(mark)
        if known and self.registry.edit(EVENT, known, self._count_up, ""):
            return
        namespace = meta.get("namespace") or "default"
        key = Key(namespace, f"{meta['name']}.{objects.new_uid().replace('-', '')[:16]}")
        now = self.now()
        event: Object = {
            "metadata": {"name": key.name, "namespace": namespace},
            "involvedObject": {
                "kind": obj["kind"],
                "apiVersion": obj["apiVersion"],
                "namespace": namespace,
                "name": meta["name"],
                "uid": meta["uid"],
                "resourceVersion": meta.get("resourceVersion", ""),
            },
            "type": kind,
            "reason": reason,
            "message": message,
            "source": {"component": source},
            "reportingComponent": source,
            "reportingInstance": "",
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        try:
            self.registry.create(EVENT, event, Write(trusted=True))
        except ApiError:
            return  # the namespace is going away
        self._events[mark] = key
        self.clock.call_later(self.timings.event_life, lambda: self._forget_event(mark, key))

    def _count_up(self, event: Object) -> None:
        event["count"] = event.get("count", 1) + 1
        event["lastTimestamp"] = self.now()

    def _forget_event(self, mark: tuple[str, str, str], key: Key) -> None:
        self._events.pop(mark, None)
        self.store.remove(EVENT, key)
