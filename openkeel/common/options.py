"""Every option of OpenKeel, gathered by module name.

An options module (`<package>/options.py`) stands next to the code it serves and holds `GROUPS`: a
mapping of group name to a tuple of oslo.config options. It is named here as a string, so that this
page imports nothing and there are no cycles. Only `cmd/` and factories read values.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

from oslo_config import cfg

OPTION_MODULES: Final[tuple[str, ...]] = (
    "openkeel.common.daemon_options",
    "openkeel.cmd.server_options",
    "openkeel.api.options",
    "openkeel.policies.options",
    "openkeel.services.options",
    "openkeel.conductor.options",
    "openkeel.scheduler.options",
    "openkeel.compute.options",
    "openkeel.virt.kubevirt.options",
    "openkeel.rpc.options",
    "openkeel.clients.options",
    "openkeel.db.options",
)


def _groups() -> Mapping[str, Sequence[cfg.Opt]]:
    merged: dict[str, list[cfg.Opt]] = {}
    for name in OPTION_MODULES:
        for group, options in import_module(name).GROUPS.items():
            merged.setdefault(group, []).extend(options)
    return merged


def register_all(conf: cfg.ConfigOpts) -> None:
    """Register every option; fine when some are registered already."""
    for group, options in _groups().items():
        conf.register_opts(options, group=None if group == "DEFAULT" else group)


def list_opts() -> list[tuple[str, Sequence[cfg.Opt]]]:
    """What the sample file generator asks for (entry point oslo.config.opts)."""
    return [(group, tuple(options)) for group, options in sorted(_groups().items())]
