"""Claims and volumes: binding, growing, protection while in use, reclaiming."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.admission.storage import CLAIM_FINALIZER, VOLUME_FINALIZER
from devstack.cluster.controllers.placement import FINAL
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.pods import SELECTED_NODE, claims_of
from devstack.cluster.controllers.runtime import Interests, itself
from devstack.cluster.kinds import CLAIM, POD, STORAGE_CLASS, VOLUME
from devstack.cluster.objects import Key, Object, quantity
from devstack.cluster.store import DELETED, Change
from devstack.cluster.write_checks import Write

IMMEDIATE: Final = "cdi.kubevirt.io/storage.bind.immediate.requested"
WAIT_FOR_CONSUMER: Final = "WaitForFirstConsumer"
SOURCE: Final = "persistentvolume-controller"


def binds_late(storage_class: Object | None) -> bool:
    """Whether a class binds only when a consumer is there."""
    return storage_class is not None and storage_class.get("volumeBindingMode") == WAIT_FOR_CONSUMER


class ClaimController:
    """All PersistentVolumeClaims."""

    name = "claims"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        self._users: dict[Key, set[Key]] = defaultdict(set)  # claim: the pods that mount it
        self._mounts: dict[Key, list[Key]] = {}

    @property
    def interests(self) -> Interests:
        return {
            CLAIM: itself,
            POD: self._pod_changed,
            VOLUME: self._volume_changed,
            STORAGE_CLASS: self._class_changed,
        }

    def _pod_changed(self, change: Change) -> Iterable[Key]:
        key = change.record.key
        if change.type == DELETED or change.record.fields["status.phase"] in FINAL:
            freed = self._mounts.pop(key, [])
            for claim in freed:
                self._users[claim].discard(key)
            return freed
        if key not in self._mounts:
            self._mounts[key] = [Key(key.namespace, name) for name in claims_of(change.record.load())]
            for claim in self._mounts[key]:
                self._users[claim].add(key)
        return ()

    def _volume_changed(self, change: Change) -> Iterable[Key]:
        claim = change.record.load().get("spec", {}).get("claimRef") or {}
        return [Key(claim["namespace"], claim["name"])] if claim else ()

    def _class_changed(self, change: Change) -> Iterable[Key]:
        if change.type == DELETED:
            return ()
        return [each.key for each in self._plane.store.records(CLAIM)]

    def reconcile(self, key: Key) -> float | None:
        claim = self._plane.store.find(CLAIM, key)
        if claim is None:
            self._users.pop(key, None)
            return None
        if objects.is_deleting(claim):
            if not self._users.get(key):
                self._plane.registry.finalize(CLAIM, key, CLAIM_FINALIZER)
            return None
        if claim.get("status", {}).get("phase") == "Bound":
            return self._grow(key, claim)
        if claim["spec"].get("volumeName") or not claim["spec"].get("storageClassName"):
            return self._bind_static(key, claim)
        return self._provision(key, claim)

    def _provision(self, key: Key, claim: Object) -> float | None:
        class_name = claim["spec"]["storageClassName"]
        storage_class = self._plane.store.find(STORAGE_CLASS, Key("", class_name))
        if storage_class is None:
            message = f'storageclass.storage.k8s.io "{class_name}" not found'
            self._plane.tell(claim, "Warning", "ProvisioningFailed", message, SOURCE)
            return None
        annotations = claim["metadata"].get("annotations") or {}
        if (
            binds_late(storage_class)
            and SELECTED_NODE not in annotations
            and annotations.get(IMMEDIATE) != "true"
        ):
            message = "waiting for first consumer to be created before binding"
            self._plane.tell(claim, "Normal", WAIT_FOR_CONSUMER, message, SOURCE)
            return None
        if self._plane.timings.bind:
            age_s = self._plane.clock.wall() - objects.seconds_of(claim["metadata"]["creationTimestamp"])
            if age_s < self._plane.timings.bind:
                return self._plane.timings.bind - age_s
        volume = self._make_volume(claim, storage_class)
        self._plane.registry.edit(CLAIM, key, lambda obj: self._bind(obj, volume), SOURCE)
        message = f"Successfully provisioned volume {volume['metadata']['name']}"
        self._plane.tell(claim, "Normal", "ProvisioningSucceeded", message, storage_class["provisioner"])
        return None

    def _make_volume(self, claim: Object, storage_class: Object) -> Object:
        meta, spec = claim["metadata"], claim["spec"]
        name = f"pvc-{meta['uid']}"
        known = self._plane.store.find(VOLUME, Key("", name))
        if known:
            return known
        volume: Object = {
            "metadata": {
                "name": name,
                "annotations": {"pv.kubernetes.io/provisioned-by": storage_class["provisioner"]},
            },
            "spec": {
                "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                "accessModes": spec["accessModes"],
                "volumeMode": spec.get("volumeMode", "Filesystem"),
                "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
                "storageClassName": storage_class["metadata"]["name"],
                "claimRef": _reference(claim),
                "csi": {"driver": storage_class["provisioner"], "volumeHandle": name},
            },
            "status": {"phase": "Bound"},
        }
        return self._plane.registry.create(VOLUME, volume, Write(SOURCE, trusted=True))

    def _bind_static(self, key: Key, claim: Object) -> float | None:
        """A claim that names its volume, or one without class that a volume names."""
        wanted = claim["spec"].get("volumeName")
        volume = self._plane.store.find(VOLUME, Key("", wanted)) if wanted else self._reserved_for(key)
        if volume is None or objects.is_deleting(volume):
            return None
        reference = volume["spec"].get("claimRef")
        if reference and (reference["namespace"], reference["name"]) != tuple(key):
            return None
        if reference and reference.get("uid") not in {None, "", claim["metadata"]["uid"]}:
            return None
        fits = quantity(volume["spec"]["capacity"]["storage"]) >= quantity(
            claim["spec"]["resources"]["requests"]["storage"]
        )
        same = (volume["spec"].get("storageClassName") or "") == (
            claim["spec"].get("storageClassName") or ""
        ) and volume["spec"].get("volumeMode") == claim["spec"].get("volumeMode")
        if (
            not fits
            or not same
            or not set(claim["spec"]["accessModes"]) <= set(volume["spec"]["accessModes"])
        ):
            name = volume["metadata"]["name"]
            message = (
                f'Cannot bind to requested volume "{name}": size, class, mode or access modes do not match'
            )
            self._plane.tell(claim, "Warning", "VolumeMismatch", message, SOURCE)
            return None

        def reserve(obj: Object) -> None:
            obj["spec"]["claimRef"] = _reference(claim)
            obj["status"] = {**(obj.get("status") or {}), "phase": "Bound"}

        self._plane.registry.edit(VOLUME, Key("", volume["metadata"]["name"]), reserve, SOURCE)
        self._plane.registry.edit(CLAIM, key, lambda obj: self._bind(obj, volume), SOURCE)
        return None

    def _reserved_for(self, key: Key) -> Object | None:
        for record in self._plane.store.records(VOLUME):
            volume = record.load()
            reference = volume["spec"].get("claimRef") or {}
            if (reference.get("namespace"), reference.get("name")) == tuple(key):
                return volume
        return None

    def _bind(self, claim: Object, volume: Object) -> None:
        claim["spec"]["volumeName"] = volume["metadata"]["name"]
        annotations = claim["metadata"].setdefault("annotations", {})
        annotations["pv.kubernetes.io/bind-completed"] = "yes"
        claim["status"] = {
            "phase": "Bound",
            "accessModes": volume["spec"]["accessModes"],
            "capacity": dict(volume["spec"]["capacity"]),
        }

    def _grow(self, key: Key, claim: Object) -> float | None:
        wanted = claim["spec"]["resources"]["requests"]["storage"]
        if quantity(wanted) <= quantity(claim["status"]["capacity"]["storage"]):
            return None

        def grow(obj: Object) -> None:
            obj["spec"]["capacity"]["storage"] = wanted

        self._plane.registry.edit(VOLUME, Key("", claim["spec"]["volumeName"]), grow, "external-resizer")

        def tell(obj: Object) -> None:
            obj["status"]["capacity"]["storage"] = wanted

        self._plane.registry.edit(CLAIM, key, tell, "external-resizer")
        return None


class VolumeController:
    """All PersistentVolumes: released when the claim is gone, deleted when their policy says so."""

    name = "volumes"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    @property
    def interests(self) -> Interests:
        return {VOLUME: itself, CLAIM: self._claim_changed}

    def _claim_changed(self, change: Change) -> Iterable[Key]:
        if change.type != DELETED:
            return ()
        name = change.record.load()["spec"].get("volumeName")
        return [Key("", name)] if name else ()

    def reconcile(self, key: Key) -> float | None:
        volume = self._plane.store.find(VOLUME, key)
        if volume is None:
            return None
        reference = volume["spec"].get("claimRef") or {}
        claim = (
            self._plane.store.find(CLAIM, Key(reference["namespace"], reference["name"]))
            if reference
            else None
        )
        bound = claim is not None and reference.get("uid") in {None, "", claim["metadata"]["uid"]}
        if objects.is_deleting(volume):
            if not bound:
                self._plane.registry.finalize(VOLUME, key, VOLUME_FINALIZER)
            return None
        if reference.get("uid") and not bound:
            if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
                self._plane.registry.delete(VOLUME, key)
            else:
                self._plane.registry.edit(VOLUME, key, _release, SOURCE)
        return None


def _reference(claim: Object) -> Object:
    meta = claim["metadata"]
    return {
        "kind": "PersistentVolumeClaim",
        "apiVersion": "v1",
        "namespace": meta["namespace"],
        "name": meta["name"],
        "uid": meta["uid"],
        "resourceVersion": meta["resourceVersion"],
    }


def _release(volume: Object) -> None:
    volume["status"] = {**(volume.get("status") or {}), "phase": "Released"}
