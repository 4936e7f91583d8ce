"""An application that a server may fork after it was loaded, as uwsgi does and gunicorn with --preload."""

import os
import threading
from collections.abc import Callable, Iterable

from openkeel.api.middleware import Application, Environ, StartResponse


class EachProcess:
    """Every process has an application of its own: neither threads nor connections survive a fork."""

    def __init__(self, build: Callable[[], Application]) -> None:
        """Builds the one of this process now: most servers load the application after they forked."""
        self._build = build
        self._guard = threading.Lock()
        self._mine = (os.getpid(), build())

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """WSGI."""
        owner, application = self._mine
        if owner != os.getpid():
            application = self._rebuilt()
        return application(environ, start_response)

    def _rebuilt(self) -> Application:
        with self._guard:
            owner, application = self._mine
            if owner != os.getpid():
                application = self._build()
                self._mine = (os.getpid(), application)
            return application
