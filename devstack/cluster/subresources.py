"""subresources.kubevirt.io: what virt-api does when a machine is started, stopped, paused..."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from devstack.cluster import errors, objects
from devstack.cluster.controllers.instance_status import GUEST_OS
from devstack.cluster.controllers.machines import strategy_of
from devstack.cluster.controllers.placement import FINAL
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import GUEST, MACHINE, Kind
from devstack.cluster.objects import Key, Object
from devstack.cluster.requests import Target, parse_body
from devstack.cluster.schema import examine, published

GROUP: Final = "kubevirt.io"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any = None


Call = Callable[[Key, Object], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """A subresource: its verb, what does it, and the schema of its body."""

    method: str
    call: Call
    body: str = ""


class Subresources:
    """The declared subresources; what is not declared is a 404."""

    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        self._registry = plane.registry
        machines, instances = MACHINE.plural, GUEST.plural
        self._routes: Mapping[tuple[str, str], Route] = {
            (machines, "start"): Route("PUT", self._start, "kubevirt.v1.StartOptions"),
            (machines, "stop"): Route("PUT", self._stop, "kubevirt.v1.StopOptions"),
            (machines, "restart"): Route("PUT", self._restart, "kubevirt.v1.RestartOptions"),
            (instances, "pause"): Route("PUT", self._pause, "kubevirt.v1.PauseOptions"),
            (instances, "unpause"): Route("PUT", self._unpause, "kubevirt.v1.UnpauseOptions"),
            (instances, "softreboot"): Route("PUT", self._soft_reboot),
            (instances, "reset"): Route("PUT", self._reset),
            (instances, "guestosinfo"): Route("GET", self._guest_os_info),
            (instances, "userlist"): Route("GET", self._user_list),
            (instances, "filesystemlist"): Route("GET", self._filesystem_list),
        }

    def call(self, method: str, target: Target, raw: bytes) -> Answer:
        """Raises: ApiError 404 for what is not declared, 405 for another verb, and what the call refuses."""
        route = self._routes.get((target.plural, target.subresource))
        if target.version != "v1" or route is None:
            raise errors.no_such_resource()
        if method != route.method:
            raise ApiError(405, "the server does not allow this method on the requested resource")
        return route.call(Key(target.namespace, target.name), _options(raw, route.body))

    def _start(self, key: Key, options: Object) -> Answer:
        machine, instance = self._machine(key), self._plane.store.find(GUEST, key)
        strategy = strategy_of(machine)
        is_final = instance is not None and instance.get("status", {}).get("phase") in FINAL
        if strategy in {"Always", "Once"}:
            raise _conflict(MACHINE, key, f"{strategy} does not support manual start requests")
        if instance is not None and not is_final:
            raise _conflict(MACHINE, key, "VM is already running")
        if strategy == "RerunOnFailure" and (instance or {}).get("status", {}).get("phase") == "Failed":
            raise _conflict(MACHINE, key, "RerunOnFailure does not support starting VM from failed state")
        if _is_dry_run(options):
            return Answer(202)
        if strategy == "Halted":
            self._registry.edit(MACHINE, key, _always, "virt-api")
            return Answer(202)
        start: Object = {"action": "Start"}
        if options.get("paused"):
            start["data"] = {"paused": "true"}
        stop = [{"action": "Stop", "uid": instance["metadata"]["uid"]}] if instance is not None else []
        self._request(machine, [*stop, start])
        return Answer(202)

    def _stop(self, key: Key, options: Object) -> Answer:
        machine, instance = self._machine(key), self._plane.store.find(GUEST, key)
        if instance is None or instance.get("status", {}).get("phase") in FINAL:
            raise _conflict(MACHINE, key, "VM is not running")
        grace_s = options.get("gracePeriod")
        present_s = instance["spec"].get("terminationGracePeriodSeconds", 30)
        if strategy_of(machine) == "Halted" and (grace_s is None or grace_s >= present_s):
            raise _conflict(
                MACHINE, key, "Halted only supports manual stop requests with a shorter graceperiod"
            )
        if _is_dry_run(options):
            return Answer(202)
        if grace_s is not None:
            self._registry.edit(GUEST, key, lambda obj: _set_grace(obj, grace_s), "virt-api")
        if strategy_of(machine) == "Always":
            self._registry.edit(MACHINE, key, _halted, "virt-api")
        elif strategy_of(machine) != "Halted":
            self._request(machine, [{"action": "Stop", "uid": instance["metadata"]["uid"]}])
        return Answer(202)

    def _restart(self, key: Key, options: Object) -> Answer:
        grace_s = options.get("gracePeriodSeconds")
        if grace_s:
            raise errors.bad_request("Currently only gracePeriod=0 is supported for VMI restart")
        machine, instance = self._machine(key), self._plane.store.find(GUEST, key)
        if strategy_of(machine) in {"Halted", "Once"}:
            raise _conflict(MACHINE, key, f"{strategy_of(machine)} does not support manual restart requests")
        if instance is None:
            raise _conflict(MACHINE, key, f"VM is not running: {strategy_of(machine)}")
        if _is_dry_run(options):
            return Answer(202)
        if grace_s == 0:
            self._registry.edit(GUEST, key, lambda obj: _set_grace(obj, 0), "virt-api")
        self._request(machine, [{"action": "Stop", "uid": instance["metadata"]["uid"]}, {"action": "Start"}])
        return Answer(202)

    def _request(self, machine: Object, requests: list[Object]) -> None:
        key = objects.key_of(machine)
        if machine.get("status", {}).get("stateChangeRequests"):
            raise ApiError(
                500, f"unable to complete request: stop/start already underway for {key.namespace}/{key.name}"
            )

        def ask(obj: Object) -> None:
            obj.setdefault("status", {})["stateChangeRequests"] = requests

        self._registry.edit(MACHINE, key, ask, "virt-api")

    def _pause(self, key: Key, options: Object) -> Answer:
        instance = self._running(key)
        if instance["spec"].get("livenessProbe"):
            raise ApiError(403, "Pausing VMIs with LivenessProbe is currently not supported", "Forbidden")
        if objects.is_true(instance, "Paused"):
            raise _conflict(GUEST, key, "VMI is already paused")
        if not _is_dry_run(options):
            now = self._plane.now()
            self._plane.guests.set_paused(instance["metadata"]["uid"], paused=True)
            self._registry.edit(
                GUEST,
                key,
                lambda obj: objects.set_condition(
                    obj, "Paused", True, now, "PausedByUser", "VMI was paused by user"
                ),
                "virt-handler",
            )
        return Answer(200)

    def _unpause(self, key: Key, options: Object) -> Answer:
        instance = self._running(key)
        if not objects.is_true(instance, "Paused"):
            raise _conflict(GUEST, key, "VMI is not paused")
        if not _is_dry_run(options):
            self._plane.guests.set_paused(instance["metadata"]["uid"], paused=False)
            self._registry.edit(GUEST, key, lambda obj: objects.drop_condition(obj, "Paused"), "virt-handler")
        return Answer(200)

    def _soft_reboot(self, key: Key, options: Object) -> Answer:
        del options
        instance = self._running(key)
        if objects.is_true(instance, "Paused"):
            raise _conflict(GUEST, key, "VMI is paused")
        features = instance["spec"].get("domain", {}).get("features") or {}
        without_acpi = (features.get("acpi") or {}).get("enabled", True) is False
        if without_acpi and not objects.is_true(instance, "AgentConnected"):
            raise _conflict(GUEST, key, "VMI neither have the agent connected nor the ACPI feature enabled")
        self._plane.guests.reboot(instance["metadata"]["uid"])
        self._registry.edit(
            GUEST, key, lambda obj: objects.drop_condition(obj, "AgentConnected"), "virt-handler"
        )
        return Answer(200)

    def _reset(self, key: Key, options: Object) -> Answer:
        del options
        instance = self._instance(key)
        if instance.get("status", {}).get("phase") not in {"Scheduled", "Running"}:
            raise errors.bad_request(
                "Unable to find target node for a VMI that is neither scheduled nor running"
            )
        self._plane.guests.reboot(instance["metadata"]["uid"])
        self._registry.edit(
            GUEST, key, lambda obj: objects.drop_condition(obj, "AgentConnected"), "virt-handler"
        )
        return Answer(200)

    def _guest_os_info(self, key: Key, options: Object) -> Answer:
        del options
        instance = self._with_agent(key)
        spec = instance["spec"]
        body: Object = {
            "kind": "VirtualMachineInstanceGuestAgentInfo",
            "apiVersion": "kubevirt.io/v1",
            "guestAgentVersion": "7.2.11",
            "hostname": spec.get("hostname") or key.name,
            "os": GUEST_OS,
            "timezone": "UTC, 0",
            "userList": [],
            "fsInfo": {"disks": _filesystems()},
            "fsFreezeStatus": "thawed",
        }
        return Answer(200, body)

    def _user_list(self, key: Key, options: Object) -> Answer:
        del options
        self._with_agent(key)
        return Answer(
            200,
            {
                "kind": "VirtualMachineInstanceGuestOSUserList",
                "apiVersion": "kubevirt.io/v1",
                "metadata": {},
                "items": [],
            },
        )

    def _filesystem_list(self, key: Key, options: Object) -> Answer:
        del options
        self._with_agent(key)
        body: Object = {
            "kind": "VirtualMachineInstanceFileSystemList",
            "apiVersion": "kubevirt.io/v1",
            "metadata": {},
            "items": _filesystems(),
        }
        return Answer(200, body)

    def _with_agent(self, key: Key) -> Object:
        """An instance whose agent answers; the handler wraps every refusal into a 500."""
        try:
            instance = self._running(key)
        except ApiError as error:
            raise ApiError(500, error.message) from error
        if not objects.is_true(instance, "AgentConnected"):
            raise ApiError(500, _conflict(GUEST, key, "VMI does not have guest agent connected").message)
        return instance

    def _machine(self, key: Key) -> Object:
        machine = self._plane.store.find(MACHINE, key)
        if machine is None:
            raise errors.not_found(MACHINE.kind.lower(), GROUP, key.name)
        return machine

    def _instance(self, key: Key) -> Object:
        instance = self._plane.store.find(GUEST, key)
        if instance is None:
            raise errors.not_found(GUEST.kind.lower(), GROUP, key.name)
        return instance

    def _running(self, key: Key) -> Object:
        instance = self._instance(key)
        if instance.get("status", {}).get("phase") != "Running":
            raise _conflict(GUEST, key, "VMI is not running")
        return instance


def _options(raw: bytes, schema: str) -> Object:
    if not raw.strip() or not schema:
        return {}
    options = parse_body(raw)
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise errors.bad_request("Can not unmarshal Request body to struct, error: the body is no object")
    findings = examine(options, published().node(schema), nulls_are_absent=True)
    if findings.causes:
        raise errors.bad_request(
            f"Can not unmarshal Request body to struct, error: {findings.causes[0].message}"
        )
    return options


def _conflict(kind: Kind, key: Key, why: str) -> ApiError:
    return errors.conflict(kind.kind.lower(), GROUP, key.name, why)


def _is_dry_run(options: Object) -> bool:
    return options.get("dryRun") == ["All"]


def _set_grace(instance: Object, seconds: int) -> None:
    instance["spec"]["terminationGracePeriodSeconds"] = seconds


def _always(machine: Object) -> None:
    machine["spec"].pop("running", None)
    machine["spec"]["runStrategy"] = "Always"


def _halted(machine: Object) -> None:
    machine["spec"].pop("running", None)
    machine["spec"]["runStrategy"] = "Halted"


def _filesystems() -> list[Object]:
    return [
        {
            "diskName": "vda1",
            "mountPoint": "/",
            "fileSystemType": "ext4",
            "usedBytes": 536870912,
            "totalBytes": 1040187392,
            "disk": [{"busType": "virtio"}],
        }
    ]
