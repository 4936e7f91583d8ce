"""What callers may ask of Cinder. `client.CinderClient` and `fake.FakeCinder` answer it."""

from collections.abc import Sequence
from typing import Protocol

from openkeel.clients.cinder.types import NewVolume, Snapshot, Volume
from openkeel.common.context import Context


class Cinder(Protocol):
    """Every call is on behalf of the user of `ctx`: his visibility, his quota, Cinder's policy.

    Raises everywhere: Unavailable; Forbidden, when Cinder does not let the user.
    """

    def list_volumes(self, ctx: Context) -> Sequence[Volume]:
        """All volumes of the project, newest first."""

    def get_volume(self, ctx: Context, volume_id: str) -> Volume:
        """Raises: VolumeNotFound, also when the user may not see it."""

    def create_volume(self, ctx: Context, wanted: NewVolume) -> Volume:
        """Returns: the volume, which is not made yet.

        Raises: SnapshotNotFound; NotFound, for an unknown type; OverQuota; Invalid.
        """

    def delete_volume(self, ctx: Context, volume_id: str) -> None:
        """Raises: VolumeNotFound; Invalid, when it is in use or has snapshots."""

    def list_snapshots(self, ctx: Context) -> Sequence[Snapshot]:
        """All snapshots of the project, newest first."""

    def get_snapshot(self, ctx: Context, snapshot_id: str) -> Snapshot:
        """Raises: SnapshotNotFound, also when the user may not see it."""

    def create_snapshot(
        self,
        ctx: Context,
        volume_id: str,
        name: str | None = None,
        description: str | None = None,
        *,
        force: bool = False,
    ) -> Snapshot:
        """Snapshot a volume; one that is in use only with `force`.

        Raises: VolumeNotFound; OverQuota; Invalid.
        """

    def delete_snapshot(self, ctx: Context, snapshot_id: str) -> None:
        """Raises: SnapshotNotFound; Invalid, when it is in use."""
