"""A Cinder back end on sparse files: volumes with contents, without device mapper, iSCSI or privileges.

Cinder loads it (`volume_driver`), in its own environment. What it exports is the path of the file: for
computes of the same machine.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from cinder import interface
from cinder.image import image_utils
from cinder.volume import driver
from oslo_config import cfg

GIB: Final = 1 << 30
PLENTY_GIB: Final = 10_000
OPTS: Final = (cfg.StrOpt("files_folder", help="Where the files lie."),)


@interface.volumedriver
class FilesDriver(driver.VolumeDriver):
    """A file for each volume and snapshot."""

    VERSION = "1"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTS)
        self._folder = Path(self.configuration.files_folder)

    def check_for_setup_error(self) -> None:
        """Make the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_volume_stats(self, refresh: bool = False) -> dict[str, Any]:  # noqa: ARG002 - Cinder's
        """What Cinder's scheduler asks for: there is plenty."""
        return {
            "volume_backend_name": self.configuration.volume_backend_name,
            "vendor_name": "OpenKeel",
            "driver_version": self.VERSION,
            "storage_protocol": "local",
            "total_capacity_gb": PLENTY_GIB,
            "free_capacity_gb": PLENTY_GIB,
            "thin_provisioning_support": True,
            "max_over_subscription_ratio": 20,
            "multiattach": True,
        }

    def create_volume(self, volume: Any) -> None:
        """A hole of the volume's size."""
        self._grow(volume, volume.size)

    def delete_volume(self, volume: Any) -> None:
        """The file goes, if it is there."""
        self._path(volume).unlink(missing_ok=True)

    def extend_volume(self, volume: Any, new_size: int) -> None:
        """A longer hole."""
        self._grow(volume, new_size)

    def create_snapshot(self, snapshot: Any) -> None:
        """A copy of the volume's file."""
        self._copy(self._folder / snapshot.volume_name, self._path(snapshot))

    def delete_snapshot(self, snapshot: Any) -> None:
        """The copy goes, if it is there."""
        self._path(snapshot).unlink(missing_ok=True)

    def create_volume_from_snapshot(self, volume: Any, snapshot: Any) -> None:
        """A copy of the snapshot's file."""
        self._copy(self._path(snapshot), self._path(volume))
        self._grow(volume, volume.size)

    def create_cloned_volume(self, volume: Any, src_vref: Any) -> None:
        """A copy of the other volume's file."""
        self._copy(self._path(src_vref), self._path(volume))
        self._grow(volume, volume.size)

    def copy_image_to_volume(
        self,
        context: Any,
        volume: Any,
        image_service: Any,
        image_id: str,
        disable_sparse: bool = False,  # noqa: ARG002 - Cinder's
    ) -> None:
        """The image's bits; those that are not raw are converted by qemu-img."""
        image_utils.fetch_to_raw(
            context, image_service, image_id, str(self._path(volume)), blocksize="1M", size=volume.size
        )
        self._grow(volume, volume.size)

    def copy_volume_to_image(self, context: Any, volume: Any, image_service: Any, image_meta: Any) -> None:
        """The file's bits."""
        image_utils.upload_volume(context, image_service, image_meta, str(self._path(volume)), volume)

    def retype(self, *_args: Any) -> tuple[bool, None]:
        """Nothing depends on a type here."""
        return True, None

    # Attachments: the file is the device

    def initialize_connection(self, volume: Any, connector: Any) -> dict[str, Any]:  # noqa: ARG002 - Cinder's
        """Where the volume is."""
        return {
            "driver_volume_type": "local",
            "data": {"device_path": str(self._path(volume)), "access_mode": "rw"},
        }

    def terminate_connection(self, volume: Any, connector: Any, **kwargs: Any) -> None:
        """There is nothing to end."""

    def create_export(self, context: Any, volume: Any, connector: Any) -> None:
        """There is nothing to make."""

    def ensure_export(self, context: Any, volume: Any) -> None:
        """There is nothing to make."""

    def remove_export(self, context: Any, volume: Any) -> None:
        """There is nothing to remove."""

    def _path(self, thing: Any) -> Path:
        return self._folder / str(thing.name)

    def _grow(self, volume: Any, size_gib: int) -> None:
        with self._path(volume).open("ab") as file:
            file.truncate(int(size_gib) * GIB)

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        copy = shutil.which("cp") or "cp"
        subprocess.run([copy, "--sparse=always", source, target], check=True)
