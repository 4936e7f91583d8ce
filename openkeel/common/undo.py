"""A rollback stack for multi-step work inside one process.

Register the undo *before* the step, and make it find its target by owner (consumer uuid, device id,
label), so that a step whose outcome is unknown (a timeout) is covered as well. An undo must be
idempotent and fine with "it never happened".
"""

import logging
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

LOG = logging.getLogger(__name__)


class Undo:
    """Run the registered undos, newest first, when the block ends by an exception.

    A failing undo is logged and added to the exception as a note; the others still run and the
    first error is the one raised.
    """

    def __init__(self, what: str, subject: str = "") -> None:
        self._what = f"{what} {subject}".strip()
        self._stack: list[tuple[str, Callable[[], Any]]] = []

    def add(self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        """Register `function(*args, **kwargs)` as the undo of the step that follows."""
        self._stack.append((name, lambda: function(*args, **kwargs)))

    def forget(self) -> None:
        """Hand the made things over: from here on somebody else owns their undo."""
        self._stack.clear()

    def unwind(self, error: BaseException | None = None) -> None:
        """Run all undos now, newest first."""
        while self._stack:
            name, function = self._stack.pop()
            try:
                function()
            except Exception as failure:
                LOG.exception("undo of %s in %s failed", name, self._what)
                if error is not None:
                    error.add_note(f"undo of {name} failed: {failure}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.forget()
        else:
            self.unwind(error)
