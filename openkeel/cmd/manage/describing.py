"""`describe`: what the running code declares, as JSON, as OpenAPI documents, as pages."""

from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.manage.command import Command, argument


def _describe(conf: cfg.ConfigOpts, args: Any) -> int:
    # Imported only here: it imports every table of the code.
    from openkeel.cmd.manage.describe import run

    return int(run(conf, args))


DESCRIBE: Final = Command(
    "describe",
    _describe,
    "Print what the code declares, as JSON; the API reference is written as pages.",
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
                "openapi",
                "reference",
            ),
        ),
        argument(
            "--microversion", default="latest", help="Of the OpenAPI document; the newest if not given."
        ),
        argument("--to", default="docs/api", help="The folder in which the API reference is renewed."),
    ],
)
