"""The REST API for any WSGI server: `openkeel.wsgi.osapi_compute:application`.

The configuration is openkeel.conf in the usual places, or in the directory that the environment variable
OS_NOVA_CONFIG_DIR names (contract: as Nova's own entry point), under the file names in
OS_NOVA_CONFIG_FILES (separated by semicolons).
"""

import os
from collections.abc import Mapping
from pathlib import Path

from openkeel.cmd.api_wiring import application as build
from openkeel.cmd.configuration import load


def config_files(environment: Mapping[str, str]) -> list[str]:
    """Arguments that name the configuration files; none for the usual places."""
    directory = environment.get("OS_NOVA_CONFIG_DIR", "").strip()
    if not directory:
        return []
    names = environment.get("OS_NOVA_CONFIG_FILES", "openkeel.conf").split(";")
    return [f"--config-file={Path(directory) / name.strip()}" for name in names if name.strip()]


application = build(load("openkeel-api", config_files(os.environ)))
