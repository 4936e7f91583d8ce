"""Outlasting a conductor that is being restarted: a message that was lost, or an answer that never came."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from openkeel.domain.errors import Timeout, Unavailable

LOG = logging.getLogger(__name__)

LOST: Final = (Unavailable, Timeout)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often something is asked again, and after which pause."""

    tries: int = 3
    pause_s: float = 1.0
    sleep: Callable[[float], None] = time.sleep

    def outlast(
        self,
        call: Callable[[], _T],
        *,
        settled: Callable[[Exception], _T | None] | None = None,
        made: Callable[[], _T | None] | None = None,
    ) -> _T:
        """Call until an answer comes.

        A call whose answer was lost may have worked. Three kinds of calls can be repeated nevertheless:
        those that do no harm when they are done twice; those that a second time fail in a way of their
        own (`settled` is given that failure and returns the answer of the first time, None if it is a real
        one); and those of which can be seen that they were done (`made` returns their answer, None if not).
        """
        for left in reversed(range(self.tries)):
            try:
                return call()
            except LOST as error:
                if not left:
                    raise
                LOG.warning("no answer, asking again: %s", error)
            except Exception as error:
                answer = settled(error) if settled is not None and left < self.tries - 1 else None
                if answer is None:
                    raise
                return answer
            self.sleep(self.pause_s)
            answer = made() if made is not None else None
            if answer is not None:
                return answer
        raise AssertionError("unreachable")


ONCE: Final = Patience(tries=1)
