"""CDI: a data volume gets its claim, and the claim its contents by import, clone or nothing at all."""

import base64
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.claims import IMMEDIATE, binds_late
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, owners_of
from devstack.cluster.imports import ImportJob, basic_auth
from devstack.cluster.kinds import (
    CLAIM,
    CONFIG_MAP,
    DATA_SOURCE,
    DATA_VOLUME,
    SECRET,
    STORAGE_CLASS,
    STORAGE_PROFILE,
)
from devstack.cluster.objects import Key, Object, bytes_of
from devstack.cluster.store import Change
from devstack.cluster.write_checks import Write

CONTROLLER: Final = "datavolume-controller"
CLONE_PHASES: Final = {
    "csi-clone": "CSICloneInProgress",
    "snapshot": "SnapshotForSmartCloneInProgress",
    "copy": "CloneInProgress",
}
_ASKED_TO_FAIL: Final = "Unable to connect to http data source: the stand-in was asked to"
DONE: Final = frozenset({"Succeeded", "Failed"})


class DataVolumeController:
    """All DataVolumes."""

    name = "cdi-datavolumes"

    def __init__(self, plane: Plane, again: Callable[[Key], None]) -> None:
        self._plane = plane
        self._again = again
        self._waiting_for: dict[Key, set[Key]] = defaultdict(
            set
        )  # clone source claim: the volumes that want it
        self._running: set[str] = set()
        self._ends: dict[str, str] = {}  # uid: what the importer ended with
        self._until: dict[str, float] = {}

    @property
    def interests(self) -> Interests:
        return {DATA_VOLUME: self._volume_changed, CLAIM: self._claim_changed}

    def _volume_changed(self, change: Change) -> Iterable[Key]:
        if change.type == "DELETED":
            self._plane.importer.cancel(change.record.uid)
            self._running.discard(change.record.uid)
            self._ends.pop(change.record.uid, None)
            self._until.pop(change.record.uid, None)
        return [change.record.key, *self._waiting_for.pop(change.record.key, ())]

    def _claim_changed(self, change: Change) -> Iterable[Key]:
        return [
            *owners_of(DATA_VOLUME, self._plane.store)(change),
            *self._waiting_for.pop(change.record.key, ()),
        ]

    def reconcile(self, key: Key) -> float | None:
        volume = self._plane.store.find(DATA_VOLUME, key)
        if volume is None or objects.is_deleting(volume):
            return None
        claim = self._plane.store.find(CLAIM, key)
        if claim is None:
            return self._make_claim(key, volume)
        phase = volume.get("status", {}).get("phase", "")
        if phase in DONE:
            return None
        if claim.get("status", {}).get("phase") != "Bound":
            return self._await_binding(key, claim)
        return self._fill(key, volume, claim)

    def _make_claim(self, key: Key, volume: Object) -> float | None:
        if volume.get("status", {}).get("phase") == "Succeeded":
            self._plane.registry.edit(DATA_VOLUME, key, self._lost, CONTROLLER)
            return None
        source = self._source(volume)
        spec = self._claim_spec(volume, source)
        if spec is None:
            self._tell(
                key,
                "Pending",
                "N/A",
                running="",
                message="the size of the clone source is not known yet",
            )
            if source and "pvc" in source:
                self._waiting_for[_source_key(source, key)].add(key)
            return 5.0
        meta = volume["metadata"]
        claim: Object = {
            "metadata": {
                "name": key.name,
                "namespace": key.namespace,
                "labels": {
                    **(meta.get("labels") or {}),
                    "app": "containerized-data-importer",
                    "app.kubernetes.io/component": "storage",
                    "app.kubernetes.io/managed-by": (meta.get("labels") or {}).get(
                        "app.kubernetes.io/managed-by", "cdi-controller"
                    ),
                },
                "annotations": {
                    **(meta.get("annotations") or {}),
                    "cdi.kubevirt.io/storage.contentType": "kubevirt",
                },
                "ownerReferences": [objects.owner_reference(volume)],
            },
            "spec": spec,
        }
        self._plane.registry.create(CLAIM, claim, Write("cdi-controller", trusted=True))
        self._tell(key, "Pending", "N/A", message=f"PVC {key.name} Pending")
        self._plane.tell(volume, "Normal", "Pending", f"PVC {key.name} Pending", CONTROLLER)
        return None

    def _source(self, volume: Object) -> Object | None:
        """The volume's source, with a DataSource followed."""
        spec = volume["spec"]
        if spec.get("source"):
            return dict(spec["source"])
        reference = spec.get("sourceRef") or {}
        where = Key(reference.get("namespace") or volume["metadata"]["namespace"], reference.get("name", ""))
        found = self._plane.store.find(DATA_SOURCE, where)
        return dict(found["spec"]["source"]) if found else None

    def _claim_spec(self, volume: Object, source: Object | None) -> Object | None:
        """The claim CDI makes, completed from the storage profile; None when its size is unknown."""
        spec = volume["spec"]
        given: Object = dict(spec.get("storage") or spec.get("pvc") or {})
        requested = (given.get("resources") or {}).get("requests") or {}
        if "storage" not in requested:
            origin = (
                self._plane.store.find(CLAIM, _source_key(source, objects.key_of(volume))) if source else None
            )
            if origin is None:
                return None
            given["resources"] = {"requests": dict(origin["spec"]["resources"]["requests"])}
        given.setdefault("storageClassName", self._default_class())
        if spec.get("storage") is not None:
            preferred = self._preferred(given.get("storageClassName") or "")
            if not given.get("accessModes"):
                given["accessModes"] = preferred["accessModes"]
            given.setdefault("volumeMode", preferred["volumeMode"])
        return {name: value for name, value in given.items() if value is not None}

    def _default_class(self) -> str | None:
        for record in self._plane.store.records(STORAGE_CLASS):
            annotations = record.load()["metadata"].get("annotations") or {}
            if annotations.get("storageclass.kubernetes.io/is-default-class") == "true":
                return record.key.name
        return None

    def _preferred(self, class_name: str) -> Object:
        profile = self._plane.store.find(STORAGE_PROFILE, Key("", class_name)) or {}
        sets = profile.get("status", {}).get("claimPropertySets") or []
        return sets[0] if sets else {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"}

    def _await_binding(self, key: Key, claim: Object) -> float | None:
        storage_class = self._plane.store.find(
            STORAGE_CLASS, Key("", claim["spec"].get("storageClassName") or "")
        )
        immediate = (claim["metadata"].get("annotations") or {}).get(IMMEDIATE) == "true"
        phase = "PendingPopulation" if binds_late(storage_class) and not immediate else "Pending"
        self._tell(
            key,
            phase,
            "N/A",
            message=f"PVC {key.name} {claim.get('status', {}).get('phase', 'Pending')}",
        )
        return None

    def _fill(self, key: Key, volume: Object, claim: Object) -> float | None:
        """Give a bound claim its contents."""
        source = self._source(volume)
        if source is None:
            self._tell(key, "Pending", "N/A", bound=True, message="the source is not there")
            return 5.0
        again_s: float | None = None
        match next(iter(source), "unknown"):
            case "blank":
                self._succeed(key, volume)
            case "http":
                again_s = self._import(key, volume, claim, source["http"])
            case "pvc":
                again_s = self._clone(key, volume, claim, source)
            case "upload":
                self._tell(key, "UploadReady", "N/A", bound=True, running="Pod is running")
            case kind:
                message = f"Unable to process data: the stand-in has no {kind} source"
                self._tell(key, "ImportInProgress", "N/A", bound=True, error=message)
        return again_s

    def _import(self, key: Key, volume: Object, claim: Object, source: Object) -> float | None:
        uid = volume["metadata"]["uid"]
        if uid in self._running:
            return None
        if uid in self._ends:
            return self._imported(key, volume, self._ends.pop(uid))
        now = self._plane.clock.monotonic()
        if uid not in self._until:
            delay_s = self._plane.faults.seconds("import-slow", namespace=key.namespace, name=key.name)
            self._until[uid] = now + self._plane.timings.import_least + delay_s
            message = f"Import into {key.name} scheduled"
            self._tell(key, "ImportScheduled", "N/A", bound=True, message=message)
            self._plane.tell(volume, "Normal", "ImportScheduled", message, CONTROLLER)
        if now < self._until[uid]:
            return self._until[uid] - now
        return self._attempt(key, volume, claim, source)

    def _attempt(self, key: Key, volume: Object, claim: Object, source: Object) -> float | None:
        """Start the importer, which calls back."""
        uid = volume["metadata"]["uid"]
        self._tell(key, "ImportInProgress", "0.00%", bound=True, running="Pod is running")
        fault = self._plane.faults.find("import-fail", namespace=key.namespace, name=key.name)
        if fault:
            return self._imported(key, volume, str(fault.arguments.get("message", _ASKED_TO_FAIL)))
        job, error = self._job(key, claim, source)
        if job is None:
            return self._imported(key, volume, error)
        self._running.add(uid)
        self._plane.importer.start(
            uid, job, lambda share: self._progress(key, uid, share), lambda end: self._ended(key, uid, end)
        )
        return None

    def _job(self, key: Key, claim: Object, source: Object) -> tuple[ImportJob | None, str]:
        headers: dict[str, str] = {}
        lines: list[str] = list(source.get("extraHeaders") or ())
        for name in source.get("secretExtraHeaders") or ():
            secret = self._plane.store.find(SECRET, Key(key.namespace, name))
            if secret is None:
                return (
                    None,
                    f'MountVolume.SetUp failed for the extra headers: secret "{name}" not found',
                )
            lines += [base64.b64decode(value).decode() for value in (secret.get("data") or {}).values()]
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip()] = value.strip()
        if source.get("secretRef"):
            secret = self._plane.store.find(SECRET, Key(key.namespace, source["secretRef"]))
            if secret is None:
                return None, f'secret "{source["secretRef"]}" not found'
            given = {
                name: base64.b64decode(value).decode() for name, value in (secret.get("data") or {}).items()
            }
            headers["Authorization"] = basic_auth(given.get("accessKeyId", ""), given.get("secretKey", ""))
        trusted = ""
        if source.get("certConfigMap"):
            bundle = self._plane.store.find(CONFIG_MAP, Key(key.namespace, source["certConfigMap"]))
            if bundle is None:
                return None, f'configmap "{source["certConfigMap"]}" not found'
            trusted = "\n".join((bundle.get("data") or {}).values())
        job = ImportJob(
            url=source["url"],
            headers=headers,
            ca_pem=trusted,
            insecure=bool(source.get("insecureSkipVerify")),
            checksum=source.get("checksum") or "",
            room_bytes=bytes_of(claim["status"]["capacity"]["storage"]),
            timeout_s=self._plane.timings.import_timeout,
        )
        return job, ""

    def _progress(self, key: Key, uid: str, share: float) -> None:
        def tell(obj: Object) -> None:
            if obj["metadata"]["uid"] == uid and obj["status"]["phase"] == "ImportInProgress":
                obj["status"]["progress"] = f"{share:.2f}%"

        if uid in self._running:
            self._plane.registry.edit(DATA_VOLUME, key, tell, CONTROLLER)

    def _ended(self, key: Key, uid: str, error: str) -> None:
        if uid not in self._running:
            return
        self._running.discard(uid)
        self._ends[uid] = error
        self._again(key)

    def _imported(self, key: Key, volume: Object, error: str) -> float | None:
        uid = volume["metadata"]["uid"]
        if not error:
            self._succeed(key, volume)
            return None
        restarts = int(volume.get("status", {}).get("restartCount", 0)) + 1
        self._plane.tell(volume, "Warning", "Error", f"Unable to process data: {error}", CONTROLLER)
        self._tell(
            key,
            "ImportInProgress",
            "N/A",
            bound=True,
            error=f"Unable to process data: {error}",
            restarts=restarts,
        )
        delay_s: float = min(
            self._plane.timings.import_retry * 2 ** (restarts - 1), self._plane.timings.import_retry_most
        )
        self._until[uid] = self._plane.clock.monotonic() + delay_s
        return delay_s

    def _clone(self, key: Key, volume: Object, claim: Object, source: Object) -> float | None:
        uid = volume["metadata"]["uid"]
        origin_key = _source_key(source, key)
        origin = self._plane.store.find(CLAIM, origin_key)
        filling = self._plane.store.find(DATA_VOLUME, origin_key)
        if origin is None or (filling is not None and filling.get("status", {}).get("phase") != "Succeeded"):
            self._waiting_for[origin_key].add(key)
            self._tell(
                key,
                "CloneScheduled",
                "N/A",
                bound=True,
                message=f"Source PVC {origin_key.name} is not ready",
            )
            self._plane.tell(
                volume,
                "Normal",
                "CloneSourceInUse" if origin else "CloneWithoutSource",
                f"waiting for {origin_key.name}",
                CONTROLLER,
            )
            return None
        if bytes_of(claim["status"]["capacity"]["storage"]) < bytes_of(
            origin["status"]["capacity"]["storage"]
        ):
            message = "The clone target size is smaller than the source size"
            self._tell(key, "CloneScheduled", "N/A", bound=True, error=message)
            self._plane.tell(volume, "Warning", "CloneValidationFailed", message, CONTROLLER)
            return None
        now = self._plane.clock.monotonic()
        if uid not in self._until:
            facts = {"namespace": key.namespace, "name": key.name}
            self._until[uid] = (
                now + self._plane.timings.clone + self._plane.faults.seconds("clone-slow", **facts)
            )
            profile = (
                self._plane.store.find(STORAGE_PROFILE, Key("", claim["spec"].get("storageClassName") or ""))
                or {}
            )
            phase = CLONE_PHASES.get(
                profile.get("status", {}).get("cloneStrategy") or "copy", "CloneInProgress"
            )
            self._tell(key, phase, "N/A", bound=True, running="Pod is running")
        if now < self._until[uid]:
            return self._until[uid] - now
        self._succeed(key, volume)
        return None

    def _succeed(self, key: Key, volume: Object) -> None:
        """The claim is populated."""
        self._until.pop(volume["metadata"]["uid"], None)

        def succeed(obj: Object) -> None:
            now = self._plane.now()
            status = obj.setdefault("status", {})
            status |= {"phase": "Succeeded", "progress": "100.0%", "claimName": key.name}
            objects.set_condition(obj, "Bound", True, now, "Bound", f"PVC {key.name} Bound")
            objects.set_condition(obj, "Running", False, now, "Completed", "Import Complete")
            objects.set_condition(obj, "Ready", True, now)

        self._plane.registry.edit(CLAIM, key, _mark_populated, "cdi-controller")
        self._plane.registry.edit(DATA_VOLUME, key, succeed, CONTROLLER)
        self._plane.tell(volume, "Normal", "Succeeded", f"Successfully populated {key.name}", CONTROLLER)

    def _lost(self, obj: Object) -> None:
        obj["status"]["phase"] = "Failed"
        objects.set_condition(obj, "Bound", False, self._plane.now(), "ClaimLost", "PVC lost")

    def _tell(
        self,
        key: Key,
        phase: str,
        progress: str,
        *,
        bound: bool = False,
        running: str = "",
        message: str = "",
        error: str = "",
        restarts: int = 0,
    ) -> None:
        """Write the status; `running` is the reason that something runs, `error` that it failed."""

        def tell(obj: Object) -> None:
            now = self._plane.now()
            status = obj.setdefault("status", {})
            status |= {"phase": phase, "progress": progress, "claimName": key.name}
            if restarts:
                status["restartCount"] = restarts
            claim = f"PVC {key.name} {'Bound' if bound else 'Pending'}"
            objects.set_condition(obj, "Bound", bound, now, "Bound" if bound else "Pending", claim)
            objects.set_condition(obj, "Ready", False, now, "TransferRunning" if running else "", message)
            if error:
                objects.set_condition(obj, "Running", False, now, "Error", error)
            else:
                objects.set_condition(
                    obj, "Running", bool(running), now, "Pod is running" if running else "", message
                )

        self._plane.registry.edit(DATA_VOLUME, key, tell, CONTROLLER)


def _source_key(source: Object | None, volume: Key) -> Key:
    reference = (source or {}).get("pvc") or {}
    return Key(reference.get("namespace") or volume.namespace, reference.get("name", ""))


def _mark_populated(claim: Object) -> None:
    claim["metadata"].setdefault("annotations", {})["cdi.kubevirt.io/storage.pod.phase"] = "Succeeded"
