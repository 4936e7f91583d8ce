"""Volumes and snapshots as old clients of the compute API know them: Cinder's, asked as the user.

Contract: the volume and snapshot operations up to 2.35.
"""

from collections.abc import Mapping, Sequence

from openkeel.clients.cinder.interface import Cinder
from openkeel.clients.cinder.types import NewVolume, Snapshot, Volume
from openkeel.common.context import Context


class VolumeService:
    """The use cases of volumes. All raise Unavailable, Forbidden."""

    def __init__(self, cinder: Cinder) -> None:
        self._cinder = cinder

    def of_project(self, ctx: Context) -> Sequence[Volume]:
        """The project's volumes, newest first."""
        return self._cinder.list_volumes(ctx)

    def get(self, ctx: Context, volume_id: str) -> Volume:
        """Raises: VolumeNotFound."""
        return self._cinder.get_volume(ctx, volume_id)

    def create(
        self,
        ctx: Context,
        *,
        size_gib: int,
        name: str | None,
        description: str | None,
        snapshot_id: str | None,
        volume_type: str | None,
        availability_zone: str | None,
        metadata: Mapping[str, str],
    ) -> Volume:
        """Raises: SnapshotNotFound; NotFound for an unknown type; OverQuota; Invalid."""
        wanted = NewVolume(
            size_gib=size_gib,
            name=name,
            description=description,
            snapshot_id=snapshot_id,
            volume_type=volume_type,
            availability_zone=availability_zone,
            metadata=metadata,
        )
        return self._cinder.create_volume(ctx, wanted)

    def delete(self, ctx: Context, volume_id: str) -> None:
        """Raises: VolumeNotFound; Invalid, when it is in use or has snapshots."""
        self._cinder.delete_volume(ctx, volume_id)

    # Snapshots

    def snapshots(self, ctx: Context) -> Sequence[Snapshot]:
        """The project's snapshots, newest first."""
        return self._cinder.list_snapshots(ctx)

    def get_snapshot(self, ctx: Context, snapshot_id: str) -> Snapshot:
        """Raises: SnapshotNotFound."""
        return self._cinder.get_snapshot(ctx, snapshot_id)

    def create_snapshot(
        self, ctx: Context, volume_id: str, name: str | None, description: str | None, *, force: bool
    ) -> Snapshot:
        """Raises: VolumeNotFound; OverQuota; Invalid."""
        return self._cinder.create_snapshot(ctx, volume_id, name, description, force=force)

    def delete_snapshot(self, ctx: Context, snapshot_id: str) -> None:
        """Raises: SnapshotNotFound; Invalid, when it is in use."""
        self._cinder.delete_snapshot(ctx, snapshot_id)
