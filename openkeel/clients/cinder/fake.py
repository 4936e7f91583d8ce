"""A Cinder in memory: the service behind the real client.

`FakeCinderServer` plays the part of Cinder's REST API that the client uses: what a project sees, quotas,
states, pages, and what a volume that is in use or has snapshots forbids. `FakeCinder` is the client on
such a server, so client code is always real.
"""

import itertools
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn, cast

from openkeel.clients import errors
from openkeel.clients.cinder.client import CinderClient
from openkeel.clients.faults import Faults
from openkeel.clients.session import Connection
from openkeel.common.context import Context

_EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
_STATUS: Final[Mapping[type[errors.ServiceError], int]] = {
    errors.NotFound: 404,
    errors.Rejected: 400,
    errors.OverQuota: 413,
}


class FakeCinderServer:
    """Stands where a `Connection` does. `faults` orders failures by "METHOD collection"."""

    service: Final = "Cinder"

    def __init__(self, *, page: int = 1000) -> None:
        """`page` is the most that a list has at a time."""
        self.faults = Faults()
        self.types = ["lvm"]
        self.zones = {"nova"}
        self.limits: dict[str, int] = {}  # by noun; none when missing
        self._page = page
        self._lock = threading.RLock()
        self._clock = itertools.count()
        self._volumes: dict[str, dict[str, Any]] = {}
        self._snapshots: dict[str, dict[str, Any]] = {}
        self._routes: tuple[tuple[str, str, Callable[..., Any]], ...] = (
            ("GET", r"/(volumes|snapshots)/detail", self._list),
            ("GET", r"/(volumes|snapshots)/([^/]+)", self._show),
            ("POST", r"/(volumes)", self._create_volume),
            ("POST", r"/(snapshots)", self._create_snapshot),
            ("DELETE", r"/(volumes|snapshots)/([^/]+)", self._delete),
        )

    # What tests prepare and look at

    def settle(self) -> None:
        """What is being made is there, what is being deleted is gone."""
        with self._lock:
            for things in (self._volumes, self._snapshots):
                for thing in list(things.values()):
                    if thing["status"] == "creating":
                        thing["status"] = "available"
                    elif thing["status"] == "deleting":
                        del things[thing["id"]]

    def attach(self, volume_id: str, server_id: str, device: str | None = None) -> None:
        """A server has the volume from now on."""
        with self._lock:
            volume = self._volumes[volume_id]
            volume["attachments"].append(
                {
                    "id": volume_id,
                    "volume_id": volume_id,
                    "attachment_id": str(uuid.uuid4()),
                    "server_id": server_id,
                    "device": device,
                    "host_name": None,
                }
            )
            volume["status"] = "in-use"

    def volumes(self) -> list[str]:
        """Ids of all volumes there are: nobody's when nothing leaked."""
        with self._lock:
            return list(self._volumes)

    # As a connection

    def request(
        self,
        method: str,
        path: str,
        *,
        ctx: Context | None = None,
        body: Any = None,
        params: Any = None,
        **_kwargs: Any,
    ) -> Any:
        """One request; returns the decoded body."""
        collection = path.split("/")[1]
        self.faults.before(f"{method} {collection}")
        for route_method, pattern, handler in self._routes:
            matched = re.fullmatch(pattern, path)
            if route_method == method and matched:
                with self._lock:
                    answer = handler(ctx, dict(params or {}), body, *matched.groups())
                self.faults.after(f"{method} {collection}")
                return answer
        return self._refuse(errors.NotFound, f"no route for {method} {path}")

    json = request

    # Handlers

    def _list(self, ctx: Context, params: Mapping[str, str], _body: Any, noun: str) -> dict[str, Any]:
        mine = [one for one in reversed(self._of(noun).values()) if self._owns(ctx, one)]
        if "marker" in params:
            ids = [one["id"] for one in mine]
            if params["marker"] not in ids:
                self._refuse(errors.NotFound, params["marker"])
            mine = mine[ids.index(params["marker"]) + 1 :]
        limit = min(int(params.get("limit", self._page)), self._page)
        answer: dict[str, Any] = {noun: [_copy(one) for one in mine[:limit]]}
        if len(mine) >= limit > 0:  # as Cinder, which does not look whether more will come
            answer[f"{noun}_links"] = [{"rel": "next", "href": "http://cinder.invalid/"}]
        return answer

    def _show(
        self, ctx: Context, _params: Mapping[str, str], _body: Any, noun: str, key: str
    ) -> dict[str, Any]:
        return {noun.removesuffix("s"): _copy(self._one(ctx, noun, key))}

    def _create_volume(
        self, ctx: Context, _params: Mapping[str, str], body: Any, noun: str
    ) -> dict[str, Any]:
        wanted = body["volume"]
        if wanted["snapshot_id"] is not None:
            snapshot = self._one(ctx, "snapshots", wanted["snapshot_id"])
            if wanted["size"] < snapshot["size"]:
                self._refuse(errors.Rejected, "a volume is not smaller than its snapshot")
        volume_type = wanted["volume_type"] or self.types[0]
        if volume_type not in self.types:
            self._refuse(errors.NotFound, f"volume type {volume_type}")
        zone = wanted["availability_zone"] or "nova"
        if zone not in self.zones:
            self._refuse(errors.Rejected, f"availability zone {zone} is invalid")
        if any(len(str(value)) > 255 for value in wanted["metadata"].values()):  # noqa: PLR2004 - Cinder's
            self._refuse(errors.Rejected, "a value of the metadata is too long")
        self._within_limit(ctx, noun)
        volume = {**wanted, **self._made(ctx), "volume_type": volume_type, "availability_zone": zone}
        self._volumes[volume["id"]] = {**volume, "attachments": []}
        return {"volume": _copy(self._volumes[volume["id"]])}

    def _create_snapshot(
        self, ctx: Context, _params: Mapping[str, str], body: Any, noun: str
    ) -> dict[str, Any]:
        wanted = dict(body["snapshot"])
        volume = self._one(ctx, "volumes", wanted["volume_id"])
        if volume["status"] not in ({"available", "in-use"} if wanted.pop("force") else {"available"}):
            self._refuse(errors.Rejected, f"volume {volume['id']} is {volume['status']}")
        self._within_limit(ctx, noun)
        snapshot = {**wanted, **self._made(ctx), "size": volume["size"]}
        self._snapshots[snapshot["id"]] = snapshot
        return {"snapshot": _copy(snapshot)}

    def _delete(self, ctx: Context, _params: Mapping[str, str], _body: Any, noun: str, key: str) -> None:
        thing = self._one(ctx, noun, key)
        if thing["status"] not in {"available", "error"}:
            self._refuse(errors.Rejected, f"{key} is {thing['status']}")
        if any(one["volume_id"] == key for one in self._snapshots.values()):
            self._refuse(errors.Rejected, f"volume {key} has snapshots")
        thing["status"] = "deleting"

    # Rules

    def _made(self, ctx: Context) -> dict[str, Any]:
        moment = _EPOCH + timedelta(seconds=next(self._clock))
        return {
            "id": str(uuid.uuid4()),
            "project_id": ctx.project_id,
            "status": "creating",
            "created_at": moment.replace(tzinfo=None).isoformat(timespec="microseconds"),
        }

    def _of(self, noun: str) -> dict[str, dict[str, Any]]:
        return self._volumes if noun == "volumes" else self._snapshots

    def _one(self, ctx: Context, noun: str, key: str) -> dict[str, Any]:
        thing = self._of(noun).get(key)
        if thing is None or not (ctx.is_admin or self._owns(ctx, thing)):
            self._refuse(errors.NotFound, key)
        return thing

    def _within_limit(self, ctx: Context, noun: str) -> None:
        count = sum(self._owns(ctx, one) for one in self._of(noun).values())
        if noun in self.limits and count >= self.limits[noun]:
            self._refuse(errors.OverQuota, f"the limit of {noun} is reached")

    @staticmethod
    def _owns(ctx: Context, thing: Mapping[str, Any]) -> bool:
        return bool(thing["project_id"] == ctx.project_id)

    def _refuse(self, kind: type[errors.ServiceError], detail: str) -> NoReturn:
        raise kind(service=self.service, status=_STATUS[kind], code="", detail=detail)


def _copy(thing: Mapping[str, Any]) -> dict[str, Any]:
    """What the receiver may change."""
    return {**thing, **({"attachments": list(thing["attachments"])} if "attachments" in thing else {})}


class FakeCinder(CinderClient):
    """The client on a Cinder in memory, which is its `server`."""

    def __init__(self, server: FakeCinderServer | None = None) -> None:
        self.server = server or FakeCinderServer()
        super().__init__(cast("Connection", self.server))
