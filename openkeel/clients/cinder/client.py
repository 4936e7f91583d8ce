"""Cinder over HTTP. See `interface.py` for what each call promises."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from oslo_config import cfg
from oslo_utils import uuidutils

from openkeel.clients import errors as service_errors
from openkeel.clients.cinder.types import NewVolume, Snapshot, Volume, VolumeAttachment
from openkeel.clients.session import Connection, connect
from openkeel.common.context import Context
from openkeel.domain import errors

_PAGE: Final = 1000  # asked for at a time; Cinder may give fewer

# How an unknown id is told.
_Missing = Callable[[str], errors.NotFound]


def _no_volume(volume_id: str) -> errors.NotFound:
    return errors.VolumeNotFound(volume_id=volume_id)


def _no_snapshot(snapshot_id: str) -> errors.NotFound:
    return errors.SnapshotNotFound(snapshot_id=snapshot_id)


def volume_from_wire(body: Mapping[str, Any]) -> Volume:
    """Cinder's JSON to our type."""
    return Volume(
        id=body["id"],
        name=body.get("name"),
        description=body.get("description"),
        status=body["status"],
        size_gib=body["size"],
        availability_zone=body.get("availability_zone"),
        created_at=body["created_at"],
        volume_type=body.get("volume_type"),
        snapshot_id=body.get("snapshot_id"),
        metadata=dict(body.get("metadata") or {}),
        attachments=tuple(
            VolumeAttachment(
                attachment_id=entry["attachment_id"],
                server_id=entry["server_id"],
                device=entry.get("device"),
                host=entry.get("host_name"),
            )
            for entry in body.get("attachments", ())
        ),
    )


def snapshot_from_wire(body: Mapping[str, Any]) -> Snapshot:
    """Cinder's JSON to our type."""
    return Snapshot(
        id=body["id"],
        volume_id=body["volume_id"],
        name=body.get("name"),
        description=body.get("description"),
        status=body["status"],
        size_gib=body["size"],
        created_at=body["created_at"],
    )


class CinderClient:
    """The `Cinder` interface on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    # Volumes

    def list_volumes(self, ctx: Context) -> Sequence[Volume]:
        return [volume_from_wire(entry) for entry in self._all(ctx, "volumes")]

    def get_volume(self, ctx: Context, volume_id: str) -> Volume:
        with _known(volume_id, _no_volume):
            return volume_from_wire(self._http.json("GET", f"/volumes/{volume_id}", ctx=ctx)["volume"])

    def create_volume(self, ctx: Context, wanted: NewVolume) -> Volume:
        body = {
            "size": wanted.size_gib,
            "name": wanted.name,
            "description": wanted.description,
            "snapshot_id": wanted.snapshot_id,
            "volume_type": wanted.volume_type,
            "availability_zone": wanted.availability_zone,
            "metadata": dict(wanted.metadata),
        }
        if wanted.snapshot_id is not None:
            self.get_snapshot(ctx, wanted.snapshot_id)
        answer = self._http.json("POST", "/volumes", ctx=ctx, body={"volume": body})
        return volume_from_wire(answer["volume"])

    def delete_volume(self, ctx: Context, volume_id: str) -> None:
        with _known(volume_id, _no_volume):
            self._http.request("DELETE", f"/volumes/{volume_id}", ctx=ctx)

    # Snapshots

    def list_snapshots(self, ctx: Context) -> Sequence[Snapshot]:
        return [snapshot_from_wire(entry) for entry in self._all(ctx, "snapshots")]

    def get_snapshot(self, ctx: Context, snapshot_id: str) -> Snapshot:
        with _known(snapshot_id, _no_snapshot):
            return snapshot_from_wire(
                self._http.json("GET", f"/snapshots/{snapshot_id}", ctx=ctx)["snapshot"]
            )

    def create_snapshot(
        self,
        ctx: Context,
        volume_id: str,
        name: str | None = None,
        description: str | None = None,
        *,
        force: bool = False,
    ) -> Snapshot:
        body = {"volume_id": volume_id, "name": name, "description": description, "force": force}
        with _known(volume_id, _no_volume):
            answer = self._http.json("POST", "/snapshots", ctx=ctx, body={"snapshot": body})
        return snapshot_from_wire(answer["snapshot"])

    def delete_snapshot(self, ctx: Context, snapshot_id: str) -> None:
        with _known(snapshot_id, _no_snapshot):
            self._http.request("DELETE", f"/snapshots/{snapshot_id}", ctx=ctx)

    def _all(self, ctx: Context, noun: str) -> list[Mapping[str, Any]]:
        """Every page of a list."""
        found: list[Mapping[str, Any]] = []
        while True:
            asked = {"limit": str(_PAGE)} | ({"marker": found[-1]["id"]} if found else {})
            body = self._http.json("GET", f"/{noun}/detail", ctx=ctx, params=asked)
            found += body[noun]
            if not body[noun] or not body.get(f"{noun}_links"):
                return found


@contextmanager
def _known(given: str, missing: _Missing) -> Iterator[None]:
    """The block asks about an id. Cinder's are uuids: of others it need not be asked."""
    if not uuidutils.is_uuid_like(given):
        raise missing(given)
    try:
        yield
    except service_errors.NotFound as error:
        raise missing(given) from error


def place(conf: cfg.ConfigOpts) -> dict[str, Any]:
    """Where Cinder is, in the words of keystoneauth."""
    service_type, service_name, interface = [*conf.cinder.catalog_info.split(":"), "", ""][:3]
    return {
        "service_type": service_type,
        "service_name": service_name or None,
        "interface": interface.removesuffix("URL") or "public",
        "region_name": conf.cinder.os_region_name,
        "endpoint_override": conf.cinder.endpoint_template,
    }


def make_client(conf: cfg.ConfigOpts) -> CinderClient:
    """The client that [cinder] describes."""
    return CinderClient(
        connect(conf, "cinder", "Cinder", connect_retries=conf.cinder.http_retries, place=place(conf))
    )
