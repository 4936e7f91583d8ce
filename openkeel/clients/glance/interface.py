"""What callers may ask of Glance. `client.GlanceClient` and `fake.FakeGlance` answer it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from openkeel.clients.glance.types import Download, Image
from openkeel.common.context import Context


class Glance(Protocol):
    """Every call is on behalf of the user of `ctx`. Raises everywhere: Unavailable."""

    def get(self, ctx: Context, image_id: str) -> Image:
        """Raises: ImageNotFound (also when the user may not see it), ImageNotAuthorized."""

    def download(self, ctx: Context, image_id: str) -> Download:
        """Address and headers of the bits for somebody else to fetch. Raises: as `get`."""

    def stream(
        self, ctx: Context, image_id: str, *, chunk_bytes: int = 1 << 20
    ) -> AbstractContextManager[Iterator[bytes]]:
        """The bits themselves. Raises: as `get`."""
