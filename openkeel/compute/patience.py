"""Outlasting a conductor that is being restarted: a message lost or an answer that never came."""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from openkeel import objects
from openkeel.common.clock import Clock
from openkeel.domain.errors import StateConflict, Timeout, Unavailable
from openkeel.domain.lifecycle import Keep, Rule, Step
from openkeel.objects.stores import CellStores

LOG = logging.getLogger(__name__)

LOST: Final = (Unavailable, Timeout)

_TRIES: Final = 3
_PAUSE_S: Final = 2.0

_T = TypeVar("_T")


def patiently(
    clock: Clock, call: Callable[[], _T], *, done_meanwhile: Callable[[Exception], _T | None] | None = None
) -> _T:
    """Call until an answer comes, three times at most.

    The call may have worked although its answer was lost. Then repeating it fails in a way of its
    own: `done_meanwhile` is given that failure and returns the answer, or None when it is a real one.
    """
    for left in reversed(range(_TRIES)):
        try:
            return call()
        except LOST as error:
            if not left:
                raise
            LOG.warning("no answer, asking again: %s", error)
            clock.sleep(_PAUSE_S)
        except Exception as error:
            if left == _TRIES - 1 or done_meanwhile is None:
                raise
            answer = done_meanwhile(error)
            if answer is None:
                raise
            return answer
    raise AssertionError("unreachable")


def change_row(
    clock: Clock,
    stores: CellStores,
    instance: objects.Instance,
    change: Callable[[], None],
    states: tuple[str | None, str | None] | None = None,
) -> None:
    """Change a server's row by compare-and-swap, although answers may get lost.

    `states` are the vm and task state that the row has afterwards, if not those of the object: when a
    repeated change finds them, it was our own first try that won.
    """
    wanted = states or (instance.vm_state, instance.task_state)
    host = instance.host

    def changed() -> bool:
        change()
        return True

    def was_ours(error: Exception) -> bool | None:
        if not isinstance(error, StateConflict):
            return None
        row = stores.instances.get(instance.uuid)
        return (row.host, row.vm_state, row.task_state) == (host, *wanted) or None

    patiently(clock, changed, done_meanwhile=was_ours)


def move_row(clock: Clock, stores: CellStores, instance: objects.Instance, rule: Rule, step: Step) -> None:
    """`stores.instances.move`, although answers may get lost."""
    vm_state, task_state = rule.leads_to(step)
    wanted = (instance.vm_state if isinstance(vm_state, Keep) else vm_state, task_state)
    change_row(clock, stores, instance, lambda: stores.instances.move(instance, rule, step), wanted)
