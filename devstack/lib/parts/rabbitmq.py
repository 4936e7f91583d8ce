"""RabbitMQ as a private process with its own epmd."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from devstack.lib.part import Part, Program
from devstack.lib.probes import listens
from devstack.lib.site import Site

ERLANG: Final = "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +S 2:2"


def _files(site: Site) -> Mapping[Path, str]:
    return {
        site.etc / "rabbitmq" / "rabbitmq.conf": f"""\
listeners.tcp.1 = 127.0.0.1:{site.port("rabbitmq")}
loopback_users.guest = true
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 200MB
log.console = true
log.file = false
""",
        site.etc / "rabbitmq" / "enabled_plugins": "[].\n",
    }


def _program(site: Site) -> Program:
    home = site.data / "rabbitmq"
    return Program(
        command=("/bin/sh", "-c", f"mkdir -p {home} && exec /usr/lib/rabbitmq/bin/rabbitmq-server"),
        environment={
            "ERL_EPMD_PORT": str(site.port("epmd")),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "HOME": str(home),
            "RABBITMQ_NODENAME": "keel@localhost",
            "RABBITMQ_MNESIA_BASE": f"{home}/mnesia",
            "RABBITMQ_LOG_BASE": str(site.log),
            "RABBITMQ_DIST_PORT": str(site.port("rabbitmq-dist")),
            "RABBITMQ_CONFIG_FILE": f"{site.etc}/rabbitmq/rabbitmq",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{site.etc}/rabbitmq/enabled_plugins",
            "RABBITMQ_PID_FILE": f"{site.run}/rabbitmq.pid",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": ERLANG,
        },
        port="rabbitmq",
        stop_seconds=30,
        stop_group=True,
    )


PARTS = (
    Part(
        name="rabbitmq",
        group="infra",
        needs=("packages", "openkeel-environment"),
        files=_files,
        program=_program,
        ready=lambda site: listens(site.port("rabbitmq")),
    ),
)
