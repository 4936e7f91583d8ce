"""Runs the shared tool with two changes that absent operations ask for.

A scenario that waits for a state which an absent action would have brought waits a minute and more for each
microversion: here a wait ends as soon as the server has rested for some seconds. Scenarios
that only look at what is refused in such a state get it put into the server's row.
"""

import sys
import time
from types import ModuleType
from typing import Any, Final

from tests.apidiff import tool
from tests.apidiff.states import ROWS, ForcedStates

RESTED_S: Final = 6.0
SERVER: Final = "/servers/"
AT_REST: Final = '_state": null'
FORCED: Final = ("state-", "external-events")


def adapt(module: ModuleType) -> None:
    """Change the tool's waiting and cleaning up."""
    polled, closed = module.Runner.poll, module.Ctx.close

    def poll(self: Any, path: str, until: Any, code: Any, timeout: float, *rest: Any, **more: Any) -> Any:
        if code is not None or not path.startswith(SERVER) or not isinstance(until, dict):
            return polled(self, path, until, code, timeout, *rest, **more)
        end, resting_since, last = time.monotonic() + timeout, time.monotonic(), ""
        wanted = until.get("server/status")
        while True:
            said: str = polled(self, path, until, code, 0, *rest, **more)
            if not said.startswith("timeout") or time.monotonic() > end:
                return said
            if said != last or AT_REST not in said:
                last, resting_since = said, time.monotonic()
            if time.monotonic() - resting_since > RESTED_S:
                if wanted not in ROWS or not self.sc["name"].startswith(FORCED):
                    return said
                self.ctx.__dict__.setdefault("forced", ForcedStates()).force(path.split("/")[2], wanted)
            time.sleep(0.3)

    def close(self: Any) -> None:
        if forced := self.__dict__.get("forced"):
            forced.undo()
        closed(self)

    module.Runner.poll, module.Ctx.close = poll, close


if __name__ == "__main__":
    found = tool.load()
    found.HERE = str(tool.folder())
    adapt(found)
    sys.argv[0] = "apidiff"
    found.main()
