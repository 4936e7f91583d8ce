"""Images as old clients of the compute API know them: what Glance has, in their words.

Contract: the image operations up to microversions 2.35 and 2.38.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from openkeel.clients.glance.interface import Glance
from openkeel.clients.glance.types import Image
from openkeel.common.context import Context
from openkeel.domain.errors import Invalid, NotFound
from openkeel.services.boot import Quota
from openkeel.services.quota import METADATA_ITEMS

# Glance's states in the words of the compute API, with how far they are.
STATUSES: Final[Mapping[str, tuple[str, int]]] = {
    "queued": ("SAVING", 25),
    "saving": ("SAVING", 50),
    "active": ("ACTIVE", 100),
    "killed": ("ERROR", 0),
    "deleted": ("DELETED", 0),
    "pending_delete": ("DELETED", 0),
}
UNKNOWN: Final = ("UNKNOWN", 0)


class ImageService:
    """The use cases of image proxies. All raise Unavailable; ImageNotFound, ImageNotAuthorized."""

    def __init__(self, glance: Glance, quota: Quota) -> None:
        self._glance = glance
        self._quota = quota

    def page(
        self, ctx: Context, filters: Mapping[str, str], limit: int, marker: str | None
    ) -> Sequence[Image]:
        """Images the user may see. Raises: Invalid for an unknown marker or filter."""
        return self._glance.list(ctx, filters, limit=limit, marker=marker)

    def get(self, ctx: Context, image_id: str) -> Image:
        """One image."""
        return self._glance.get(ctx, image_id)

    def delete(self, ctx: Context, image_id: str) -> None:
        """Delete an image."""
        self._glance.delete(ctx, image_id)

    def root(self, ctx: Context) -> str:
        """Where Glance is."""
        return self._glance.address(ctx, "").removesuffix("/images/")

    # Metadata

    def set_metadata(
        self, ctx: Context, image_id: str, items: Mapping[str, str], *, replace: bool
    ) -> Mapping[str, str]:
        """Add the items, or have only them. Returns: all metadata. Raises: OverQuota."""
        present = self._glance.get(ctx, image_id).properties
        gone = present.keys() - items.keys() if replace else ()
        self._quota.check_limits(ctx, {METADATA_ITEMS: len({*present, *items} - {*gone})})
        return self._glance.change_properties(ctx, image_id, items, gone).properties

    def delete_metadata(self, ctx: Context, image_id: str, key: str) -> None:
        """Raises: NotFound."""
        if key not in self._glance.get(ctx, image_id).properties:
            raise NotFound(f"Image {image_id} has no metadata item {key}.")
        self._glance.change_properties(ctx, image_id, {}, [key])


def glance_status(asked: str) -> str:
    """Glance's word for a status that a filter asks for. Compat: words of Glance itself are fine."""
    words = {"ACTIVE": "active", "SAVING": "saving", "DELETED": "deleted", "ERROR": "killed"}
    found = words.get(asked.upper(), asked.lower())
    if not found.isidentifier():
        raise Invalid(f"There is no image status {asked}.")
    return found
