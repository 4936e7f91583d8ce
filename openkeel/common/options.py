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
    "openkeel.cmd.console_proxy_options",
    "openkeel.api.options",
    "openkeel.api.metadata_options",
    "openkeel.policies.options",
    "openkeel.services.options",
    "openkeel.conductor.options",
    "openkeel.scheduler.options",
    "openkeel.compute.options",
    "openkeel.compute.console_options",
    "openkeel.compute.device_options",
    "openkeel.compute.disk_options",
    "openkeel.compute.move_options",
    "openkeel.virt.kubevirt.options",
    "openkeel.virt.workaround_options",
    "openkeel.notifications.options",
    "openkeel.rpc.options",
    "openkeel.clients.options",
    "openkeel.db.options",
)

# Nova's options that we accept and ignore whole groups of. Daemons need not register them for that;
# they are declared for tools that check a nova.conf against what we know.
FOREIGN_MODULES: Final[tuple[str, ...]] = (
    "openkeel.virt.foreign_options",
    "openkeel.virt.libvirt_options",
)


def _groups(modules: Sequence[str]) -> Mapping[str, Sequence[cfg.Opt]]:
    merged: dict[str, list[cfg.Opt]] = {}
    for name in modules:
        for group, options in import_module(name).GROUPS.items():
            merged.setdefault(group, []).extend(options)
    return merged


def register_all(conf: cfg.ConfigOpts) -> None:
    """Register every option that is not foreign; fine when some are registered already."""
    for group, options in _groups(OPTION_MODULES).items():
        conf.register_opts(options, group=None if group == "DEFAULT" else group)


def list_opts() -> list[tuple[str, Sequence[cfg.Opt]]]:
    """What the sample file generator asks for (entry point oslo.config.opts)."""
    return [(group, tuple(options)) for group, options in sorted(_groups(OPTION_MODULES).items())]


def list_foreign_opts() -> list[tuple[str, Sequence[cfg.Opt]]]:
    """What we accept and ignore (entry point oslo.config.opts, namespace openkeel.foreign)."""
    return [(group, tuple(options)) for group, options in sorted(_groups(FOREIGN_MODULES).items())]
