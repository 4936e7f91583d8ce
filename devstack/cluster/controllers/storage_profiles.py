"""CDI's storage profiles: one for every storage class."""

from collections.abc import Iterable
from typing import Final

from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, itself
from devstack.cluster.kinds import STORAGE_CLASS, STORAGE_PROFILE
from devstack.cluster.objects import Key, Object
from devstack.cluster.store import Change
from devstack.cluster.write_checks import Write

# What the profile of a class offers first; shared block storage migrates, node-local storage does not.
SHARED: Final = "standin.openkeel.io/shared"


class StorageProfileController:
    name = "cdi-storageprofiles"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    @property
    def interests(self) -> Interests:
        return {STORAGE_CLASS: itself, STORAGE_PROFILE: self._profile_changed}

    def _profile_changed(self, change: Change) -> Iterable[Key]:
        return itself(change)

    def reconcile(self, key: Key) -> float | None:
        storage_class = self._plane.store.find(STORAGE_CLASS, key)
        profile = self._plane.store.find(STORAGE_PROFILE, key)
        if storage_class is None:
            if profile is not None:
                self._plane.registry.delete(STORAGE_PROFILE, key)
            return None
        wanted = profile or {"metadata": {"name": key.name}, "spec": {}}
        wanted["status"] = _status(storage_class, wanted["spec"])
        if profile is None:
            self._plane.registry.create(STORAGE_PROFILE, wanted, Write("cdi-controller", trusted=True))
        else:
            self._plane.registry.save(STORAGE_PROFILE, wanted, "cdi-controller")
        return None


def _status(storage_class: Object, spec: Object) -> Object:
    shared = (storage_class.get("parameters") or {}).get(SHARED) == "true"
    modes = ["ReadWriteMany"] if shared else ["ReadWriteOnce"]
    offered = [
        {"accessModes": modes, "volumeMode": "Block"},
        {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"},
    ]
    return {
        "claimPropertySets": spec.get("claimPropertySets") or offered,
        "cloneStrategy": spec.get("cloneStrategy") or "csi-clone",
        "dataImportCronSourceFormat": "pvc",
        "provisioner": storage_class["provisioner"],
        "storageClass": storage_class["metadata"]["name"],
    }
