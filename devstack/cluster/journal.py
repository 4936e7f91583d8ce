"""Objects on disk: one SQLite file, written through, so that a killed server loses nothing it answered."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from devstack.cluster.kinds import BY_NAME, Kind
from devstack.cluster.objects import Key
from devstack.cluster.store import Store


class SqliteJournal:
    """Writes join one transaction that `soon` commits on the next turn of the loop."""

    def __init__(self, path: Path, soon: Callable[[Callable[[], None]], None]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._soon = soon
        self._open = False
        self._db = sqlite3.connect(path, isolation_level=None)
        # The page cache outlives a killed process; only a crash of the machine may lose the last moments.
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=OFF")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS objects (api_version TEXT, kind TEXT, namespace TEXT, name TEXT, "
            "raw BLOB, PRIMARY KEY (api_version, kind, namespace, name)) WITHOUT ROWID"
        )
        self._db.execute("CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT)")

    def put(self, kind: Kind, key: Key, raw: bytes, version: int) -> None:
        self._begin()
        row = (kind.api_version, kind.kind, key.namespace, key.name, raw)
        self._db.execute("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)", row)
        self.remember("version", str(version))

    def remove(self, kind: Kind, key: Key, version: int) -> None:
        self._begin()
        row = (kind.api_version, kind.kind, key.namespace, key.name)
        self._db.execute("DELETE FROM objects WHERE (api_version, kind, namespace, name) = (?, ?, ?, ?)", row)
        self.remember("version", str(version))

    def remember(self, name: str, value: str) -> None:
        """Keep a fact that is no object."""
        self._begin()
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def recall(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def version(self) -> int:
        return int(self.recall("version") or 0)

    def load_into(self, store: Store) -> None:
        """Give the store what an earlier process kept; rows of kinds no longer served stay on disk."""
        for api_version, kind_name, raw in self._db.execute("SELECT api_version, kind, raw FROM objects"):
            kind = BY_NAME.get((api_version, kind_name))
            if kind:
                store.restore(kind, raw)

    def close(self) -> None:
        self._commit()
        self._db.close()

    def _begin(self) -> None:
        if not self._open:
            self._open = True
            self._db.execute("BEGIN")
            self._soon(self._commit)

    def _commit(self) -> None:
        if self._open:
            self._open = False
            self._db.execute("COMMIT")
