"""Glance over HTTP. See `interface.py` for what each call promises."""

from collections.abc import Iterator, Mapping
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
