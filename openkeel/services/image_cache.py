"""Images that the hosts of an aggregate are to have before somebody boots from them.

Contract: POST /os-aggregates/{id}/images, from 2.81.
"""

from collections.abc import Sequence
from typing import Protocol

from openkeel import objects
from openkeel.clients.glance.interface import Glance
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import ImageNotAuthorized, ImageNotFound, Invalid
from openkeel.services.aggregates import AggregateService


class ImageCaching(Protocol):
    """The part of the conductor's client that takes the order."""

    def cache_images(
        self, ctx: Context, *, aggregate: objects.Aggregate, image_ids: Sequence[str]
    ) -> None: ...


class ImageCacheService:
    """The use case of caching images."""

    def __init__(
        self, cells: CellDirectory, aggregates: AggregateService, glance: Glance, conductor: ImageCaching
    ) -> None:
        self._cells = cells
        self._aggregates = aggregates
        self._glance = glance
        self._conductor = conductor

    def cache(self, ctx: Context, aggregate_id: int, image_ids: Sequence[str]) -> None:
        """Have them fetched; what comes of it is told by notifications.

        Raises: AggregateNotFound; Invalid, for an image that comes twice or cannot be had.
        """
        if len(set(image_ids)) < len(image_ids):
            raise Invalid("An image comes twice.")
        self._aggregates.get(aggregate_id)
        aggregate = self._cells.api.aggregates.get(aggregate_id)
        for image_id in image_ids:
            try:
                self._glance.get(ctx, image_id)
            except (ImageNotFound, ImageNotAuthorized) as error:
                raise Invalid(str(error)) from error
        self._conductor.cache_images(ctx, aggregate=aggregate, image_ids=list(image_ids))
