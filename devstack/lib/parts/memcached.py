"""memcached, for tokens."""

from devstack.lib.part import Part, Program
from devstack.lib.probes import listens
from devstack.lib.site import Site


def _program(site: Site) -> Program:
    port = str(site.port("memcached"))
    return Program(
        command=("/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-p", port, "-m", "64", "-c", "1024"),
        port="memcached",
    )


PARTS = (
    Part(
        name="memcached",
        group="infra",
        needs=("packages", "openkeel-environment"),
        program=_program,
        ready=lambda site: listens(site.port("memcached")),
    ),
)
