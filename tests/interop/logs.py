"""What daemons log during a swap, and which of it is no fault.

Nova and OpenKeel log in the same format (oslo.log): time, pid, level, logger, text. A swap passes only if
no line of a level above INFO and no traceback is left that `EXPECTED` does not explain.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devstack.lib.shell import last_lines

_RECORD: Final = re.compile(
    r"^(?P<start>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d+ \d+ (?P<level>[A-Z]+) \S+) .*$"
)
_BAD_LEVELS: Final = frozenset({"WARNING", "ERROR", "CRITICAL", "TRACE"})
_TAIL: Final = 40


@dataclass(frozen=True)
class Expected:
    """Lines that are in order: of which daemons, matching what, and why."""

    daemon: str
    text: str
    reason: str

    def explains(self, daemon: str, line: str) -> bool:
        return re.match(self.daemon, daemon) is not None and re.search(self.text, line) is not None


EXPECTED: Final[tuple[Expected, ...]] = (
    Expected(
        ".*",
        r"amqp \[.*\] Received method \(60, 30\) during closing",
        "a consumer's end, by the AMQP library",
    ),
    Expected(
        "nova-",
        r"neutronclient\.v2_0\.client .*deprecated",
        "a library of Nova's, about itself",
    ),
    Expected(
        "nova-compute",
        r"Failed to get minimum service version for cell",
        "it has the controllers' file, whose [api_database] makes it try all cells itself",
    ),
    Expected("nova-compute", r"No DB access allowed in nova-compute", "as above"),
    Expected(
        "nova-compute",
        r"Compute nodes \['.*'\] for host .* were not found in the database",
        "Nova's fake driver gives its nodes other UUIDs until their first update",
    ),
    Expected(
        "nova-compute",
        r"number of concurrent builds, and snapshots should be limited",
        "about the defaults of two options",
    ),
    Expected(
        "nova-compute",
        r"Exception during message handling: NotImplementedError",
        "the uptime of a hypervisor; Nova's fake drivers have none",
    ),
    Expected(
        "nova-",
        r"'nova\.service\.Service\.periodic_tasks' failed: RuntimeError: A dynamic interval looping call",
        "its timer at its end",
    ),
    Expected(
        "nova-compute",
        r"(Lost connection to nova-conductor for reporting service status"
        r"|_report_state' run outlasted interval"
        r"|Error during ComputeManager\.\S+: oslo_messaging\.exceptions\.MessagingTimeout)",
        "a call that was under way when a conductor went, or the machine is busy",
    ),
    Expected(
        "nova-compute",
        r"Exception during message handling: nova\.exception\.InstanceInvalidState: .* get_diagnostics",
        "diagnostics of a server that does not run, asked through either API: its refusal, told as an error",
    ),
    Expected(
        "nova-compute",
        r"While synchronizing instance power states, found \d+ instances in the database and \d+ ",
        "servers come and go while it looks; its fake driver keeps one that is resized on both hosts",
    ),
    Expected(
        "nova-compute",
        r"has been moved to another host .* There are allocations remaining against the source host",
        "a server that is resized and not yet confirmed",
    ),
    Expected("nova-", r"Number of call queues is \d+, greater than", "a busy machine answers late"),
    Expected("nova-", r"no_fork=True: running service in main process", "how it says that it is one process"),
    Expected(
        "(openkeel|nova)-compute",
        r"exchange 'scheduler_fanout'",
        "news for schedulers while none runs; they ask again when they start",
    ),
    Expected(
        "openkeel-compute",
        r"openkeel\.common\.periodic .* took .* longer than its interval",
        "it asked a conductor that went, or the machine is busy",
    ),
    Expected(
        "openkeel-compute",
        r"(openkeel\.rpc\.patience .* no answer, asking again|cannot report that it is up: Timed out)",
        "a call that was under way when a conductor went",
    ),
)


@dataclass(frozen=True)
class Log:
    """The log of one daemon."""

    daemon: str
    path: Path

    def position(self) -> int:
        """Where it ends now, for `complaints`."""
        return self.path.stat().st_size if self.path.exists() else 0

    def text(self, since: int = 0) -> str:
        if not self.path.exists():
            return ""
        with self.path.open("rb") as file:
            # A log that was rotated away meanwhile is read from its start.
            file.seek(since if since <= self.path.stat().st_size else 0)
            return file.read().decode(errors="replace")

    def tail(self) -> str:
        return "\n".join(last_lines(self.path, _TAIL))

    def complaints(self, since: int = 0, expected: tuple[Expected, ...] = EXPECTED) -> list[str]:
        """Records above INFO and stray tracebacks that no row of `expected` explains.

        A record of many lines counts by its first one; oslo.log repeats time, pid, level and logger before
        every line of a traceback of its own, and leaves one that came with a remote error as it is.
        """
        found: list[str] = []
        before, was_bad = "", False
        for line in self.text(since).splitlines():
            record = _RECORD.match(line)
            if record:
                counts = record["level"] in _BAD_LEVELS and record["start"] != before
                before, was_bad = record["start"], record["level"] in _BAD_LEVELS
            else:
                counts = line.startswith("Traceback (most recent") and not was_bad
                was_bad = False  # only what stands directly below a record belongs to it
            if counts and not any(row.explains(self.daemon, line) for row in expected):
                found.append(f"{self.daemon}: {line}")
        return found
