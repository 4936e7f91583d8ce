"""openkeel-api: the REST API in an embedded server (docs/decisions/0002-api-server.md)."""

from typing import Any

from gunicorn.app.base import BaseApplication
from oslo_config import cfg

from openkeel.cmd.api_wiring import application
from openkeel.cmd.configuration import load
from openkeel.common.process import default_workers
from openkeel.services.options import quota_settings


def main() -> None:
    """Console script."""
    conf = load("openkeel-api")
    quota_settings(conf)  # refuses what it cannot do here, once, and not in every worker again
    ApiServer(conf).run()  # type: ignore[no-untyped-call]


class ApiServer(BaseApplication):
    """gunicorn with threads. The application is built in each worker: connections do not survive a fork."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._conf = conf
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
        return application(self._conf)
