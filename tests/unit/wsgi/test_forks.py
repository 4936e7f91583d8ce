"""Applications of servers that load first and fork then."""

import os

from openkeel.wsgi.forks import EachProcess


def test_every_process_builds_its_own_application_once(monkeypatch):
    built = []

    def build():
        pid = os.getpid()
        built.append(pid)
        return lambda environ, start_response: [str(pid).encode()]

    application = EachProcess(build)
    mine = os.getpid()
    assert application({}, None) == application({}, None) == [str(mine).encode()]
    monkeypatch.setattr(os, "getpid", lambda: mine + 1)
    assert application({}, None) == application({}, None) == [str(mine + 1).encode()]
    assert built == [mine, mine + 1]
