"""What callers may ask of Glance. `client.GlanceClient` and `fake.FakeGlance` answer it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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

    def list(
        self,
        ctx: Context,
        filters: Mapping[str, str] = {},
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> Sequence[Image]:
        """Images the user may see, newest first, in as many requests as a page of `limit` needs.

        `filters` are in Glance's words. Raises: Invalid, for an unknown marker or filter.
        """

    def change_properties(
        self, ctx: Context, image_id: str, set_to: Mapping[str, str], remove: Collection[str] = ()
    ) -> Image:
        """Set and remove properties. Returns: the image as it is then.

        Raises: ImageNotFound, ImageNotAuthorized; Invalid, for a property that Glance keeps to itself.
        """

    def delete(self, ctx: Context, image_id: str) -> None:
        """Raises: ImageNotFound, ImageNotAuthorized (also for a protected one)."""

    def address(self, ctx: Context, image_id: str) -> str:
        """Where the image lies, by which notifications name it. Asks Glance nothing."""
