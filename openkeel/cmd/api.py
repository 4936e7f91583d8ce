"""openkeel-api: the REST API in an embedded server (docs/decisions/0002-api-server.md)."""

from typing import Any

from gunicorn.app.base import BaseApplication
from oslo_config import cfg

from openkeel.cmd.api_wiring import application
from openkeel.cmd.configuration import load_daemon, refusals, reread
from openkeel.cmd.old_computes import expect_current_computes
from openkeel.common.process import default_workers
from openkeel.policies import Enforcer
from openkeel.services.options import quota_settings

_PROGRAM = "openkeel-api"


def main() -> None:
    """Console script."""
    with refusals(_PROGRAM):
        conf = load_daemon(_PROGRAM)
        quota_settings(conf)  # refuses what it cannot do here, once, and not in every worker again
        expect_current_computes(conf)
        server = ApiServer(conf, Enforcer(conf))
    server.run()  # type: ignore[no-untyped-call]


class ApiServer(BaseApplication):
    """gunicorn with threads. The application is built in each worker: connections do not survive a fork.

    The rules are read before the fork: a policy file that breaks while we run must not keep a worker
    from being replaced. At SIGHUP all workers are replaced, one generation by the next.
    """

    def __init__(self, conf: cfg.ConfigOpts, policy: Enforcer) -> None:
        self._conf = conf
        self._policy = policy
        super().__init__()  # type: ignore[no-untyped-call]

    def load_config(self) -> None:
        """Called by gunicorn."""
        options = self._conf.openkeel_api
        settings: Any = self.cfg
        address = f"[{options.listen}]" if ":" in options.listen else options.listen
        for name, value in {
            "bind": f"{address}:{options.listen_port}",
            "workers": default_workers(options.workers),
            "worker_class": "gthread",
            "threads": options.threads,
            "timeout": options.timeout,
            "graceful_timeout": 30,
            "keepalive": 75,
            "proc_name": "openkeel-api",
            "accesslog": None,
            "errorlog": "-",
            "loglevel": "warning",
            # Long paths and many query parameters are ours to refuse, with a fault the client can read.
            "limit_request_line": 8190,
        }.items():
            settings.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn in each worker."""
        return application(self._conf, self._policy)

    def reload(self) -> None:
        """Called by gunicorn in the parent at SIGHUP, before new workers take over."""
        reread(self._conf, _PROGRAM)
        self._policy.reload()
        super().reload()  # type: ignore[no-untyped-call]
