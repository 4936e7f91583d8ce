"""What holds for every unit test."""

from tests.fixtures.guards import no_network, no_thread_is_left

__all__ = ["no_network", "no_thread_is_left"]
