"""Glance over HTTP. See `interface.py` for what each call promises."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from oslo_config import cfg

from openkeel.clients import errors as service_errors
from openkeel.clients.glance.types import Download, Image
from openkeel.clients.session import Connection, connect
from openkeel.common.context import Context
from openkeel.domain import errors

# Fields of Glance's image schema; everything else in an image's JSON is a property of its own.
_BASE_FIELDS: Final = frozenset(
    {
        "checksum",
        "container_format",
        "created_at",
        "direct_url",
        "disk_format",
        "file",
        "id",
        "locations",
        "min_disk",
        "min_ram",
        "name",
        "os_hash_algo",
        "os_hash_value",
        "os_hidden",
        "owner",
        "protected",
        "schema",
        "self",
        "size",
        "status",
        "stores",
        "tags",
        "updated_at",
        "virtual_size",
        "visibility",
    }
)


_PAGE: Final = 100  # images asked for at a time


def _pointer(key: str) -> str:
    """A property as JSON Pointer names it."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def image_from_wire(body: Mapping[str, Any]) -> Image:
    """Glance's JSON to our type."""
    return Image(
        id=body["id"],
        name=body.get("name"),
        status=body["status"],
        visibility=body.get("visibility") or "private",
        owner=body.get("owner"),
        disk_format=body.get("disk_format"),
        container_format=body.get("container_format"),
        size_bytes=body.get("size"),
        virtual_size_bytes=body.get("virtual_size"),
        min_disk_gib=body.get("min_disk") or 0,
        min_ram_mib=body.get("min_ram") or 0,
        checksum=body.get("checksum"),
        protected=bool(body.get("protected")),
        created_at=body.get("created_at"),
        updated_at=body.get("updated_at"),
        direct_url=body.get("direct_url"),
        tags=tuple(body.get("tags") or ()),
        properties={
            key: value if isinstance(value, str) else str(value)
            for key, value in body.items()
            if key not in _BASE_FIELDS and value is not None
        },
    )


class GlanceClient:
    """The `Glance` interface on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    def get(self, ctx: Context, image_id: str) -> Image:
        with _named(image_id):
            return image_from_wire(self._http.json("GET", self._path(image_id), ctx=ctx))

    def download(self, ctx: Context, image_id: str) -> Download:
        self.get(ctx, image_id)
        return Download(
            url=self._http.url(f"{self._path(image_id)}/file", ctx),
            headers=self._http.headers(ctx),
        )

    @contextmanager
    def stream(self, ctx: Context, image_id: str, *, chunk_bytes: int = 1 << 20) -> Iterator[Iterator[bytes]]:
        with _named(image_id):
            response = self._http.request("GET", f"{self._path(image_id)}/file", ctx=ctx, stream=True)
            with response:
                yield response.iter_content(chunk_bytes)

    def address(self, ctx: Context, image_id: str) -> str:
        return f"{self._http.endpoint(ctx).removesuffix('/v2')}{self._path(image_id)}"

    def list(
        self,
        ctx: Context,
        filters: Mapping[str, str] = {},
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> Sequence[Image]:
        found: list[Image] = []
        while limit is None or len(found) < limit:
            asked = dict(filters) | {"limit": str(_PAGE if limit is None else min(_PAGE, limit - len(found)))}
            if marker is not None:
                asked["marker"] = marker
            try:
                body = self._http.json("GET", "/images", ctx=ctx, params=asked)
            except service_errors.NotFound as error:
                raise errors.Invalid(f"Marker {marker} could not be found.") from error
            found += [image_from_wire(entry) for entry in body["images"]]
            if not body.get("next") or not body["images"]:
                break
            marker = found[-1].id
        return found

    def change_properties(
        self, ctx: Context, image_id: str, set_to: Mapping[str, str], remove: Collection[str] = ()
    ) -> Image:
        changes: list[dict[str, str]] = [
            {"op": "add", "path": _pointer(key), "value": value} for key, value in sorted(set_to.items())
        ]
        changes += [{"op": "remove", "path": _pointer(key)} for key in sorted(remove)]
        if not changes:
            return self.get(ctx, image_id)
        with _named(image_id):
            body = self._http.json(
                "PATCH",
                self._path(image_id),
                ctx=ctx,
                body=changes,
                headers={"Content-Type": "application/openstack-images-v2.1-json-patch"},
                idempotent=False,
            )
        return image_from_wire(body)

    def delete(self, ctx: Context, image_id: str) -> None:
        with _named(image_id):
            self._http.request("DELETE", self._path(image_id), ctx=ctx)

    @staticmethod
    def _path(image_id: str) -> str:
        return f"/images/{image_id}"


@contextmanager
def _named(image_id: str) -> Iterator[None]:
    try:
        yield
    except service_errors.NotFound as error:
        raise errors.ImageNotFound(image_id=image_id) from error
    except service_errors.Forbidden as error:
        raise errors.ImageNotAuthorized(image_id=image_id) from error


def make_client(conf: cfg.ConfigOpts) -> GlanceClient:
    """The client that [glance] describes."""
    override = conf.glance.endpoint_override or next(iter(conf.glance.api_servers or ()), None)
    return GlanceClient(
        connect(
            conf,
            "glance",
            "Glance",
            connect_retries=conf.glance.num_retries,
            endpoint_override=override,
            version_path="/v2",
        )
    )
