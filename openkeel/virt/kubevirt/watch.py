"""List and watch: a cache of one collection, and waiting for one object.

The Kubernetes way: list, then watch from the list's resourceVersion; bookmarks move it on; a broken
stream is taken up where it was, an expired version (410) means to list again.
"""

import logging
import threading
import time
from collections.abc import Callable

from openkeel.virt.kubevirt.client import KubeClient, Object, Watch
from openkeel.virt.kubevirt.errors import Absent, Expired, KubeError, WaitTimeout

LOG = logging.getLogger(__name__)

_WATCH_S = 300.0  # the server may end a watch sooner; longer hides a dead connection
_PAUSE_S = 1.0

# Called with (old, new): None stands for "not there".
OnChange = Callable[[Object | None, Object | None], None]


class Cache:
    """The objects of one collection under one selector, kept fresh by a thread."""

    def __init__(self, client: KubeClient, path: str, selector: str, on_change: OnChange) -> None:
        self._client = client
        self._path = path
        self._selector = selector
        self._on_change = on_change
        self._objects: dict[str, Object] = {}
        self._lock = threading.Lock()
        self._synced = threading.Event()
        self._stopping = threading.Event()
        self._stream: Watch | None = None
        self._thread = threading.Thread(target=self._run, name=f"watch {path}", daemon=True)

    def start(self, timeout_s: float) -> None:
        """Begin; returns when the first list is in. Raises: WaitTimeout."""
        self._thread.start()
        if not self._synced.wait(timeout_s):
            raise WaitTimeout(f"could not list {self._path} within {timeout_s} s")

    def stop(self) -> None:
        """End, also in the middle of a stream."""
        self._stopping.set()
        with self._lock:
            stream = self._stream
        if stream is not None:
            stream.stop()

    def get(self, name: str) -> Object | None:
        """The object by name."""
        with self._lock:
            return self._objects.get(name)

    def list(self) -> list[Object]:
        """All objects now known."""
        with self._lock:
            return list(self._objects.values())

    def note(self, seen: Object) -> None:
        """Take over what another call saw, unless the cache is further."""
        name = seen["metadata"]["name"]
        with self._lock:
            known = self._objects.get(name)
            if known is None or _version(seen) > _version(known):
                self._objects[name] = seen

    def forget(self, name: str) -> None:
        """Another call saw that it is gone."""
        with self._lock:
            self._objects.pop(name, None)

    def _run(self) -> None:
        version = ""
        while not self._stopping.is_set():
            try:
                if not version:
                    version = self._relist()
                for event in self._watch(version):
                    version = event["object"]["metadata"]["resourceVersion"]
                    self._take(event)
                    if self._stopping.is_set():
                        return
            except Expired:
                version = ""
            except KubeError as error:
                if not self._stopping.is_set():
                    LOG.warning("watch of %s: %s", self._path, error)
                self._stopping.wait(_PAUSE_S)
            except Exception:
                LOG.exception("watch of %s failed, listing again", self._path)
                version = ""
                self._stopping.wait(_PAUSE_S)

    def _watch(self, version: str) -> Watch:
        stream = self._client.watch(self._path, version, _WATCH_S, labelSelector=self._selector)
        with self._lock:
            self._stream = stream
        if self._stopping.is_set():  # told to stop while it was opened
            stream.stop()
        return stream

    def _relist(self) -> str:
        items, version = self._client.list(self._path, labelSelector=self._selector)
        fresh = {item["metadata"]["name"]: item for item in items}
        with self._lock:
            before, self._objects = self._objects, fresh
        if self._synced.is_set():  # what was missed while the stream was down
            for name in before.keys() | fresh.keys():
                old, new = before.get(name), fresh.get(name)
                if old is None or new is None or _version(old) != _version(new):
                    self._tell(old, new)
        self._synced.set()
        return version

    def _take(self, event: Object) -> None:
        kind, found = event["type"], event["object"]
        if kind == "BOOKMARK":
            return
        name = found["metadata"]["name"]
        with self._lock:
            old = self._objects.get(name)
            if kind == "DELETED":
                self._objects.pop(name, None)
            else:
                self._objects[name] = found
        self._tell(old or (found if kind == "DELETED" else None), None if kind == "DELETED" else found)

    def _tell(self, old: Object | None, new: Object | None) -> None:
        try:
            self._on_change(old, new)
        except Exception:
            LOG.exception("a change in %s was not taken", self._path)


def wait_for(
    client: KubeClient,
    collection: str,
    name: str,
    done: Callable[[Object | None], bool],
    timeout_s: float,
    look_again_s: float = 30.0,
) -> Object | None:
    """Watch one object until `done(object or None)`; returns the object that satisfied it.

    `done` is asked at every change and at least every `look_again_s` seconds (for verdicts that only
    time brings, such as a grace period); it may raise to end the wait.

    Raises: WaitTimeout.
    """
    deadline = time.monotonic() + timeout_s
    selector = f"metadata.name={name}"
    while True:
        items, version = client.list(collection, fieldSelector=selector)
        found = items[0] if items else None
        if done(found):
            return found
        left = deadline - time.monotonic()
        if left <= 0:
            raise WaitTimeout(f"{collection}/{name} did not get there within {timeout_s:.0f} s")
        try:
            for event in client.watch(collection, version, min(left, look_again_s), fieldSelector=selector):
                if event["type"] == "BOOKMARK":
                    continue
                found = None if event["type"] == "DELETED" else event["object"]
                if done(found):
                    return found
        except (Expired, Absent):
            continue
        except KubeError as error:
            LOG.debug("waiting for %s: %s", name, error)
            time.sleep(min(_PAUSE_S, max(0.0, deadline - time.monotonic())))


def _version(item: Object) -> int:
    # Kubernetes promises comparable numbers for its own and custom resources.
    return int(item["metadata"].get("resourceVersion") or 0)
