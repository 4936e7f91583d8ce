"""Images at hand before somebody boots from them."""

import logging
from collections.abc import Sequence

from openkeel.clients.glance.interface import Glance
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.compute.guest_spec import image_given
from openkeel.compute.host import Host
from openkeel.domain.errors import ImageNotFound, KeelError
from openkeel.domain.image_caching import Cached

LOG = logging.getLogger(__name__)


class ImageCache:
    """Has the hypervisor fetch images. What it keeps of them is its own affair."""

    def __init__(self, host: Host, glance: Glance) -> None:
        self._host = host
        self._glance = glance

    def periodics(self) -> tuple[Periodic, ...]:
        """None."""
        return ()

    def cache_images(self, ctx: Context, image_ids: Sequence[str]) -> dict[str, str]:
        """Fetch the images that are not there, one after the other. Returns: how it went with each.

        Asked again, it finds what is there.
        """
        return {image_id: str(self._cache(ctx, image_id)) for image_id in image_ids}

    def _cache(self, ctx: Context, image_id: str) -> Cached:
        images = self._host.driver.images
        if images is None:
            return Cached.NOT_POSSIBLE
        try:
            image = image_given(self._glance.get(ctx, image_id).to_image_meta())
            if image is None:
                raise ImageNotFound(image_id=image_id)
            return Cached.NEW if images.cache(image) else Cached.THERE_ALREADY
        except KeelError as error:  # the other images may still be had
            LOG.warning("image %s cannot be cached: %r", image_id, error)
            return Cached.FAILED
