"""Bringing parts up: each as soon as what it needs is there, several at a time."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from devstack.lib.part import Part
from devstack.lib.shell import CommandFailed, Shell, last_lines
from devstack.lib.site import Site
from devstack.lib.supervision import GIVEN_UP, Supervisor

SIDE_BY_SIDE = 8
SIGN_OF_LIFE_S = 10
LOG_LINES = 25


class PartFailed(Exception):
    """A part did not come up; `log_name` tells which log says why."""

    def __init__(self, part: Part, reason: str, log_name: str) -> None:
        super().__init__(f"{part.name} {reason}")
        self.part = part
        self.log_name = log_name


class BringUp:
    """One run of `up` over chosen parts.

    Args:
        everything: the whole table; supervisord is told of all of it.
        say: takes the progress lines.
    """

    def __init__(self, site: Site, everything: Sequence[Part], say: Callable[[str], None]) -> None:
        self._site = site
        self._everything = everything
        self._say = say
        self._supervisor = Supervisor(site)
        self._supervisor_lock = threading.Lock()
        self._supervisor_told = False
        self._stopped = threading.Event()
        self._began = time.monotonic()

    def run(self, parts: Sequence[Part]) -> None:
        """Bring the parts (in order, with their needs) up.

        Raises:
            PartFailed: the first part that did not come up; parts under way are given up.
        """
        waiting, done = list(parts), set[str]()
        running: dict[Future[str], Part] = {}
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            try:
                while waiting or running:
                    for part in [part for part in waiting if done.issuperset(part.needs)]:
                        waiting.remove(part)
                        running[pool.submit(self._bring_up, part)] = part
                    finished = wait(running, timeout=SIGN_OF_LIFE_S, return_when=FIRST_COMPLETED).done
                    for future in finished:
                        part = running.pop(future)
                        story = future.result()
                        done.add(part.name)
                        self._tell(f"{part.name:<26} {story}")
                    if not finished:
                        self._tell(f"... busy with {', '.join(part.name for part in running.values())}")
            finally:
                self._stopped.set()

    def _tell(self, line: str) -> None:
        self._say(f"[{time.monotonic() - self._began:6.1f} s] {line}")

    def _bring_up(self, part: Part) -> str:
        clock = _Stopwatch()
        for path, text in part.rendered(self._site).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        log_name = f"{part.name}.setup"
        shell = Shell(self._site.log / f"{log_name}.log")
        try:
            self._set_up(part, shell, clock)
            if part.prepare:
                part.prepare(self._site, shell)
        except CommandFailed as failure:
            raise PartFailed(part, f"could not be prepared: {failure}", log_name) from failure
        if part.program:
            self._start(part, clock)
        if part.program or part.ready:
            self._await_ready(part)
        return clock.story(part)

    def _set_up(self, part: Part, shell: Shell, clock: "_Stopwatch") -> None:
        if not part.setup:
            return
        marker = part.marker(self._site)
        key = part.setup_key(self._site) if part.setup_key else "once"
        if marker.exists() and marker.read_text() == key:
            return
        part.setup(self._site, shell)
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(key)
        clock.lap("setup")

    def _start(self, part: Part, clock: "_Stopwatch") -> None:
        with self._supervisor_lock:
            if not self._supervisor_told:
                try:
                    self._supervisor.ensure(self._everything)
                except CommandFailed as failure:
                    raise PartFailed(part, str(failure), "supervisord.setup") from failure
                self._supervisor_told = True
        note, digest = self._site.run / "started" / part.name, part.digest(self._site)
        process = self._supervisor.processes().get(part.name)
        alive = process is not None and process.alive
        if alive and note.exists() and note.read_text() == digest:
            return
        if alive:
            self._supervisor.stop(part.group, part.name)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(digest)
        self._supervisor.start(part.group, part.name)
        clock.started = "restarted" if alive else "started"

    def _is_ready(self, part: Part) -> bool:
        """What the part says; a program without a probe counts when it has stayed up for a second."""
        if part.ready:
            return part.ready(self._site)
        process = self._supervisor.processes().get(part.name)
        return process is not None and process.state == "RUNNING"

    def _await_ready(self, part: Part) -> None:
        deadline, pause = time.monotonic() + part.ready_seconds, 0.05
        while not self._is_ready(part):
            if self._stopped.is_set():
                raise PartFailed(part, "was given up", part.name)
            if part.program:
                process = self._supervisor.processes().get(part.name)
                if process is None or process.state in GIVEN_UP:
                    why = process.spawn_error if process else ""
                    raise PartFailed(part, f"ended at once {why}".strip(), part.name)
            if time.monotonic() > deadline:
                raise PartFailed(part, f"was not ready after {part.ready_seconds} s", part.name)
            time.sleep(pause)
            pause = min(0.5, pause * 1.3)


class _Stopwatch:
    """Tells in a few words what a part's time went into."""

    def __init__(self) -> None:
        self._began = self._lap = time.monotonic()
        self._laps: list[str] = []
        self.started = ""

    def lap(self, what: str) -> None:
        now = time.monotonic()
        self._laps.append(f"{what} {now - self._lap:.1f} s")
        self._lap = now

    def story(self, part: Part) -> str:
        if not self._laps and not self.started:
            return "already up" if part.program else f"in place ({time.monotonic() - self._began:.1f} s)"
        if self.started:
            self.lap(self.started)
        return ", ".join(self._laps)


def explanation(site: Site, failure: PartFailed) -> str:
    """What failed and the end of its log."""
    path = site.log / f"{failure.log_name}.log"
    tail = "\n".join(f"    {line}" for line in last_lines(path, LOG_LINES))
    return f"FAILED: {failure}\n  last lines of {path}:\n{tail}\n  Mended? devstack/up goes on from here."
