"""What holds for every test of this part."""

from tests.fixtures.guards import no_thread_is_left

__all__ = ["no_thread_is_left"]
