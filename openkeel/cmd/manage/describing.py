"""`describe`: what the running code declares, as JSON."""

from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.manage.command import Command, argument


def _describe(conf: cfg.ConfigOpts, args: Any) -> int:
    # Imported only here: it imports every table of the code.
    from openkeel.cmd.manage.describe import run

    return int(run(conf, args.what))


DESCRIBE: Final = Command(
    "describe",
    _describe,
    "Print what the code declares, as JSON.",
    [
        argument(
            "what",
            choices=(
                "routes",
                "requests",
                "responses",
                "rpc",
                "objects",
                "notifications",
                "lifecycle",
                "options",
            ),
        )
    ],
)
