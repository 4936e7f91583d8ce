"""Keystone over HTTP."""

import logging

from oslo_config import cfg

from openkeel.clients import errors
from openkeel.clients.session import Connection, connect
from openkeel.common.context import Context

LOG = logging.getLogger(__name__)


class KeystoneClient:
    """The `Keystone` interface on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    def project_exists(self, ctx: Context, project_id: str) -> bool:
        try:
            self._http.request("GET", f"/projects/{project_id}", ctx=ctx)
        except errors.NotFound:
            return False
        except errors.Forbidden as error:
            LOG.info("whether project %s exists could not be asked: %s", project_id, error)
        return True


def make_client(conf: cfg.ConfigOpts) -> KeystoneClient:
    """The client that [keystone] describes."""
    return KeystoneClient(connect(conf, "keystone", "Keystone", version_path="/v3"))
