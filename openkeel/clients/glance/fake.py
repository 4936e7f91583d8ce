"""A Glance in memory: images, who may see them, their bits."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

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

    @staticmethod
    def _is_visible(ctx: Context, image: Image) -> bool:
        return ctx.is_admin or image.visibility in {"public", "community"} or image.owner == ctx.project_id
