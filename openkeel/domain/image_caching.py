"""What comes of a host's try to have an image at hand. Contract: what a compute answers to cache_images."""

from enum import StrEnum


class Cached(StrEnum):
    """How it went with one image."""

    NEW = "cached"
    THERE_ALREADY = "existing"
    FAILED = "error"
    NOT_POSSIBLE = "unsupported"
    SKIPPED = "skipped"  # no answer: the host is down and was not asked

    @property
    def is_there(self) -> bool:
        """Whether the host has the image now."""
        return self in {Cached.NEW, Cached.THERE_ALREADY}
