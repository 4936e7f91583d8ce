"""A Glance in memory: images, who may see them, their bits."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from openkeel.clients.faults import Faults
from openkeel.clients.glance.types import Download, Image
from openkeel.common.context import Context
from openkeel.domain import errors


class FakeGlance:
    """The `Glance` interface on a dictionary."""

    def __init__(self) -> None:
        self.faults = Faults()
        self._lock = threading.Lock()
        self._images: dict[str, Image] = {}
        self._bits: dict[str, bytes] = {}

    def add(self, image: Image, bits: bytes = b"") -> Image:
        """Put an image in, or a new state of it."""
        with self._lock:
            self._images[image.id] = image
            self._bits[image.id] = bits
        return image

    def remove(self, image_id: str) -> None:
        """Take an image out."""
        with self._lock:
            del self._images[image_id]

    def get(self, ctx: Context, image_id: str) -> Image:
        self.faults.before("get")
        with self._lock:
            image = self._images.get(image_id)
        if image is None or not self._is_visible(ctx, image):
            raise errors.ImageNotFound(image_id=image_id)
        return image

    def download(self, ctx: Context, image_id: str) -> Download:
        self.faults.before("download")
        self.get(ctx, image_id)
        return Download(
            url=f"http://glance.invalid/v2/images/{image_id}/file",
            headers={"X-Auth-Token": ctx.auth_token or "service"},
        )

    @contextmanager
    def stream(self, ctx: Context, image_id: str, *, chunk_bytes: int = 1 << 20) -> Iterator[Iterator[bytes]]:
        self.faults.before("stream")
        self.get(ctx, image_id)
        bits = self._bits[image_id]
        yield (bits[start : start + chunk_bytes] for start in range(0, len(bits), chunk_bytes))

    def address(self, ctx: Context, image_id: str) -> str:  # noqa: ARG002 - as the real one
        return f"http://glance.invalid/images/{image_id}"

    def list(
        self,
        ctx: Context,
        filters: Mapping[str, str] = {},
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> Sequence[Image]:
        self.faults.before("list")
        with self._lock:
            found = [one for one in reversed(self._images.values()) if self._is_visible(ctx, one)]
        found = [one for one in found if all(_matches(one, *pair) for pair in filters.items())]
        if marker is not None:
            ids = [one.id for one in found]
            if marker not in ids:
                raise errors.Invalid(f"Marker {marker} could not be found.")
            found = found[ids.index(marker) + 1 :]
        return found if limit is None else found[:limit]

    def change_properties(
        self, ctx: Context, image_id: str, set_to: Mapping[str, str], remove: Collection[str] = ()
    ) -> Image:
        self.faults.before("change_properties")
        image = self._changeable(ctx, image_id)
        kept = {key: value for key, value in image.properties.items() if key not in remove}
        return self.add(replace(image, properties={**kept, **set_to}), self._bits[image_id])

    def delete(self, ctx: Context, image_id: str) -> None:
        self.faults.before("delete")
        if self._changeable(ctx, image_id).protected:
            raise errors.ImageNotAuthorized(image_id=image_id)
        self.remove(image_id)

    def _changeable(self, ctx: Context, image_id: str) -> Image:
        image = self.get(ctx, image_id)
        if not ctx.is_admin and (image.owner != ctx.project_id or list(ctx.roles) == ["reader"]):
            raise errors.ImageNotAuthorized(image_id=image_id)
        return image

    @staticmethod
    def _is_visible(ctx: Context, image: Image) -> bool:
        return ctx.is_admin or image.visibility in {"public", "community"} or image.owner == ctx.project_id


def _matches(image: Image, name: str, value: str) -> bool:
    """Glance's filters: times with an operator, everything else by equality."""
    if name == "updated_at":
        operator, _, moment = value.partition(":")
        return operator == "gte" and (image.updated_at or "") >= moment
    known = {
        "name": image.name,
        "status": image.status,
        "min_disk": str(image.min_disk_gib),
        "min_ram": str(image.min_ram_mib),
    }
    return known.get(name, image.properties.get(name)) == value
