"""Golden copies of images, made once a cluster and cloned for each root disk.

The importer of CDI fetches the image from Glance itself, with a token from a Secret that lives as long
as the import (docs/kubevirt.md, 4.2).
"""

import hashlib
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openkeel.virt.driver import DiskSpec, GuestSpec, GuestTimeout, ImageSpec
from openkeel.virt.kubevirt import manifest, names, status
from openkeel.virt.kubevirt.client import KubeClient, Object
from openkeel.virt.kubevirt.errors import Absent, Clash, Refused, WaitTimeout
from openkeel.virt.kubevirt.settings import Settings
from openkeel.virt.kubevirt.watch import wait_for

LOG = logging.getLogger(__name__)

_GIB = 1024**3


@dataclass(frozen=True, slots=True)
class ImageSource:
    """Where and with which headers (the token) pods fetch an image. The headers are secret."""

    url: str
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return f"ImageSource({self.url!r})"


ImageAccess = Callable[[str], ImageSource]


class Images:
    """Root disks from images, and images kept for root disks to come. One copy serves the whole cluster."""

    def __init__(self, client: KubeClient, settings: Settings, access: ImageAccess) -> None:
        self._client = client
        self._settings = settings
        self._access = access

    def ensure_root_disk(self, spec: GuestSpec, disk: DiskSpec, image: ImageSpec, namespace: str) -> None:
        """The root disk as a clone of the image's golden copy, filled (or to be by the first start).

        Raises: GuestRejected for an image that cannot be used, HostFailure, GuestTimeout.
        """
        golden = self._ensure_golden(image)
        name = names.disk(spec.instance_uuid, disk.kind, disk.index)
        size = f"{disk.size_mib}Mi" if disk.size_mib else str(_size_bytes(image))
        self._client.apply(
            names.data_volumes(namespace, name),
            manifest.data_volume(
                name,
                namespace,
                manifest.labels(spec),
                {"pvc": {"namespace": self._settings.images_namespace, "name": golden}},
                size,
                self._settings.root_storage_class,
            ),
        )
        self._await(namespace, name)

    def cache(self, image: ImageSpec) -> bool:
        """Have the golden copy; False when it was there. Raises: GuestRejected, HostFailure, GuestTimeout."""
        golden = names.data_volumes(self._settings.images_namespace, self._golden_name(image))
        if status.phase_of(self._client.find(golden)) == "Succeeded":
            return False
        self._ensure_golden(image)
        return True

    def ensure_blank_disk(self, spec: GuestSpec, disk: DiskSpec, namespace: str) -> None:
        """An ephemeral or swap disk."""
        storage_class = self._settings.ephemeral_storage_class or self._settings.root_storage_class
        blank = manifest.blank_disk(spec, disk, namespace, storage_class)
        self._client.apply(names.data_volumes(namespace, blank["metadata"]["name"]), blank)
        self._await(namespace, blank["metadata"]["name"])

    def _golden_name(self, image: ImageSpec) -> str:
        storage_class = self._settings.root_storage_class or ""
        return f"img-{image.id}-{hashlib.sha256(storage_class.encode()).hexdigest()[:8]}"

    def _ensure_golden(self, image: ImageSpec) -> str:
        space = self._settings.images_namespace
        name = self._golden_name(image)
        found = self._client.find(names.data_volumes(space, name))
        if status.phase_of(found) == "Succeeded":
            return name
        if status.import_verdict(found):  # an earlier try failed: perhaps the reason is gone
            self._client.delete(names.data_volumes(space, name))
            wait_for(self._client, names.data_volumes(space), name, lambda dv: dv is None, 60)
            found = None
        secret = f"okg-{image.id}-{secrets.token_hex(3)}"
        try:
            if found is None:
                self._begin_import(name, secret, image)
            self._await(space, name)
        finally:
            self._client.delete(names.core(space, "secrets", secret))
        return name

    def _begin_import(self, name: str, secret: str, image: ImageSpec) -> None:
        space = self._settings.images_namespace
        label = {names.MANAGED_BY: names.OPENKEEL, names.IMAGE: image.id}
        self._client.apply(f"/api/v1/namespaces/{space}", _images_namespace(space))
        source = self._access(image.id)
        self._client.apply(
            names.core(space, "secrets", secret),
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": secret, "namespace": space, "labels": label},
                "type": "Opaque",
                "stringData": {
                    f"header-{number}": f"{key}: {value}"
                    for number, (key, value) in enumerate(source.headers.items())
                },
            },
        )
        http: Object = {"url": source.url, "secretExtraHeaders": [secret]}
        if image.checksum:
            http["checksum"] = image.checksum
        if self._settings.glance_ca_configmap:
            http["certConfigMap"] = self._settings.glance_ca_configmap
        golden = manifest.data_volume(
            name,
            space,
            label,
            {"http": http},
            str(max(_GIB, _size_bytes(image))),
            self._settings.root_storage_class,
            {"cdi.kubevirt.io/storage.bind.immediate.requested": "true"},
        )
        # Another compute may have begun meanwhile, with a Secret of its own: apply would change that.
        try:
            self._client.create(names.data_volumes(space), golden)
        except (Clash, Refused):
            if self._client.find(names.data_volumes(space, name)) is None:
                raise

    def _await(self, namespace: str, name: str) -> None:
        def done(found: Object | None) -> bool:
            if found is None:
                raise Absent(f"DataVolume {namespace}/{name} vanished", status=404)
            verdict = status.import_verdict(found)
            if verdict:
                raise verdict
            return status.import_done(found)

        timeout_s = self._settings.image_import_timeout_s
        try:
            wait_for(self._client, names.data_volumes(namespace), name, done, timeout_s)
        except WaitTimeout as error:
            raise GuestTimeout(seconds=int(timeout_s), what=f"disk {name}") from error


def _images_namespace(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {names.MANAGED_BY: names.OPENKEEL}},
    }


def _size_bytes(image: ImageSpec) -> int:
    return max(image.virtual_size_bytes or 0, image.size_bytes or 0, image.min_disk_gib * _GIB, 1024**2)
