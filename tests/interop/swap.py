"""A swap: OpenKeel daemons out, Nova's in, and everything back at the end, whatever happened between."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self

from devstack.lib.site import NODES, Site
from tests.interop import openkeel_daemons
from tests.interop.client import eventually
from tests.interop.journal import Entry
from tests.interop.logs import EXPECTED, Expected, Log
from tests.interop.nova_daemons import NovaDaemon, reported
from tests.interop.nova_environment import NovaEnvironment
from tests.interop.openkeel_daemons import OpenKeelDaemons


class Swap:
    """Used as a context manager. On leaving, Nova's daemons stop and OpenKeel's run again, always.

    `entry` becomes the row of the printed table.
    """

    def __init__(self, site: Site, nova: NovaEnvironment, entry: Entry) -> None:
        self.site = site
        self.nova = nova
        self.openkeel = OpenKeelDaemons(site)
        self.entry = entry
        self.expected: tuple[Expected, ...] = EXPECTED
        self._logs: dict[str, tuple[Log, int]] = {}
        self._stack = ExitStack()
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        for name in openkeel_daemons.ALL:
            self._watch(self.openkeel.log(name))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.put_back()
        finally:
            self.entry.seconds = time.monotonic() - self._began

    def put_back(self) -> None:
        """Nova's daemons stop and OpenKeel's run again, now; every compute reports afterwards.

        A call under way when a conductor stops is lost, whoever's conductor it was, and a heartbeat waits
        for its answer until its deadline: the host would count as down in whatever comes next.
        """
        try:
            self._stack.close()
        finally:
            self.openkeel.start_all()
        now = time.time()
        for node in NODES:
            eventually(
                lambda node=node: reported(self.site, "nova-compute", node, now),
                within_s=300,
                what=f"{node} reports",
            )

    def take_out(self, *names: str) -> None:
        """Stop OpenKeel daemons until the end of the swap."""
        for name in names:
            self.openkeel.stop(name)
            self.entry.out.append(name)

    def put_in(self, *daemons: NovaDaemon) -> None:
        """Start Nova daemons; they are stopped at the end of the swap."""
        for daemon in daemons:
            self._watch(daemon.log)
            self._stack.callback(daemon.stop)
            daemon.start()
            self.entry.into.append(daemon.name)

    def replace(self, name: str, daemon: NovaDaemon) -> None:
        """One OpenKeel daemon by one of Nova's."""
        self.take_out(name)
        self.put_in(daemon)

    def later(self, undo: Callable[[], object]) -> None:
        """Do this too when the swap ends, before what was swapped until now is put back."""
        self._stack.callback(undo)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """A part of the work, named in the table; a failure is reported under its name."""
        try:
            yield
        except BaseException as error:
            self.entry.differed.append(f"{what}: {type(error).__name__} {error}".splitlines()[0][:200])
            raise
        self.entry.done.append(what)

    def differs(self, what: str) -> None:
        """Note a difference that is none to a client, and was looked at."""
        self.entry.differed.append(what)

    def expect(self, daemon: str, text: str, reason: str) -> None:
        """Lines (regular expression) that this swap provokes, of daemons (regular expression)."""
        self.expected = (*self.expected, Expected(daemon, text, reason))

    def complaints(self) -> list[str]:
        """Unexpected lines of all daemons since the swap began."""
        return [line for log, since in self._logs.values() for line in log.complaints(since, self.expected)]

    def _watch(self, log: Log) -> None:
        self._logs.setdefault(log.daemon, (log, log.position()))
