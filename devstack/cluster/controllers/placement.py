"""The scheduler's decision: which node takes a pod, or why none does."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from devstack.cluster.kinds import NODE, POD
from devstack.cluster.objects import Key, Object, is_true, millicores, quantity
from devstack.cluster.store import DELETED, Change, Record, Store

FINAL: Final = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod asks of a node, by resource; cpu in millicores, the rest in base units."""

    node: str
    amounts: dict[str, int]


@dataclass
class Load:
    """What the pods of one node ask together."""

    amounts: Counter[str] = field(default_factory=Counter)
    pods: int = 0


class Placement:
    """Knows the load of every node and finds the one for a pod."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._demands: dict[Key, Demand] = {}
        self._loads: dict[str, Load] = defaultdict(Load)
        for record in store.records(POD):
            self._account(record)
        store.listen(self._notice)

    def choose(self, pod: Object) -> tuple[str, str]:
        """The node's name, or else the message that the scheduler gives."""
        refusals: Counter[str] = Counter()
        demand = demanded(pod)
        fitting: list[tuple[int, str]] = []
        nodes = list(self._store.records(NODE))
        for record in nodes:
            reason = self._refusal(record.load(), pod, demand)
            if reason:
                refusals[reason] += 1
            else:
                fitting.append((self._loads[record.key.name].pods, record.key.name))
        if fitting:
            return min(fitting)[1], ""
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(refusals.items()))
        return "", f"0/{len(nodes)} nodes are available: {reasons or 'no nodes'}."

    def _refusal(self, node: Object, pod: Object, demand: dict[str, int]) -> str:
        """Why a node does not take a pod; empty when it does."""
        spec, labels = pod["spec"], node["metadata"].get("labels") or {}
        if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
            return "node(s) didn't match Pod's node affinity/selector"
        if node.get("spec", {}).get("unschedulable"):
            return "node(s) were unschedulable"
        for taint in node.get("spec", {}).get("taints") or ():
            if taint["effect"] != "PreferNoSchedule" and not _tolerates(spec.get("tolerations") or (), taint):
                return f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"
        return self._shortage(node, demand)

    def _shortage(self, node: Object, demand: dict[str, int]) -> str:
        if not is_true(node, "Ready"):
            return "node(s) were not ready"
        allocatable = node.get("status", {}).get("allocatable") or {}
        load = self._loads[node["metadata"]["name"]]
        if load.pods + 1 > int(quantity(allocatable.get("pods", 110))):
            return "Too many pods"
        for resource, amount in demand.items():
            if load.amounts[resource] + amount > _amount(resource, allocatable.get(resource, 0)):
                return f"Insufficient {resource}"
        return ""

    def _notice(self, change: Change) -> None:
        if change.record.kind is POD:
            if change.type == DELETED:
                self._release(change.record.key)
            else:
                self._account(change.record)

    def _account(self, record: Record) -> None:
        node = record.fields["spec.nodeName"]
        if not node or record.fields["status.phase"] in FINAL:
            self._release(record.key)
        elif record.key not in self._demands:
            demand = Demand(node, demanded(record.load()))
            self._demands[record.key] = demand
            self._loads[node].amounts.update(demand.amounts)
            self._loads[node].pods += 1

    def _release(self, key: Key) -> None:
        demand = self._demands.pop(key, None)
        if demand:
            self._loads[demand.node].amounts.subtract(demand.amounts)
            self._loads[demand.node].pods -= 1


def demanded(pod: Object) -> dict[str, int]:
    """The requests of all containers that run together."""
    total: Counter[str] = Counter()
    sidecars = [
        each for each in pod["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always"
    ]
    for container in (*pod["spec"]["containers"], *sidecars):
        requests = (container.get("resources") or {}).get("requests") or {}
        for resource, amount in requests.items():
            total[resource] += _amount(resource, amount)
    return dict(total)


def _amount(resource: str, value: Any) -> int:
    return millicores(value) if resource == "cpu" else int(quantity(value))


def _tolerates(tolerations: Any, taint: Object) -> bool:
    return any(
        each.get("effect") in {None, "", taint["effect"]}
        and (
            (each.get("operator") == "Exists" and each.get("key") in {None, "", taint["key"]})
            or (each.get("key") == taint["key"] and each.get("value", "") == taint.get("value", ""))
        )
        for each in tolerations
    )
