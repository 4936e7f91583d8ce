"""The REST API for any WSGI server: `openkeel.wsgi.osapi_compute:application`.

The configuration is openkeel.conf in the usual places, or in the directory that the environment variable
OS_NOVA_CONFIG_DIR names (contract: as Nova's own entry point), under the file names in
OS_NOVA_CONFIG_FILES (separated by semicolons).

What keeps `openkeel-api` from starting keeps this module from being imported: the error says what an
operator must put right. Files are read again when the server imports it again, which is what uwsgi and
gunicorn do at SIGHUP; gunicorn not with --preload.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

from oslo_config import cfg

from openkeel.api.middleware import Application
from openkeel.cmd.api_wiring import application as build
from openkeel.cmd.configuration import load_daemon
from openkeel.cmd.old_computes import expect_current_computes
from openkeel.common.refusal import StartRefused
from openkeel.policies import Enforcer
from openkeel.services.options import quota_settings
from openkeel.wsgi.forks import EachProcess

LOG = logging.getLogger(__name__)


def config_files(environment: Mapping[str, str]) -> list[str]:
    """Arguments that name the configuration files; none for the usual places."""
    directory = environment.get("OS_NOVA_CONFIG_DIR", "").strip()
    if not directory:
        return []
    names = environment.get("OS_NOVA_CONFIG_FILES", "openkeel.conf").split(";")
    return [f"--config-file={Path(directory) / name.strip()}" for name in names if name.strip()]


def start(arguments: list[str]) -> Application:
    """The application, after a look at all that a daemon looks at. Raises: StartRefused; cfg.Error."""
    try:
        conf = load_daemon("openkeel-api", arguments)
        quota_settings(conf)
        policy = Enforcer(conf)
        expect_current_computes(conf)
    except (StartRefused, cfg.Error) as error:
        LOG.critical("The API does not start: %s", error)
        raise
    return EachProcess(lambda: build(conf, policy))


application = start(config_files(os.environ))
