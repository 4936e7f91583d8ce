"""OVN's central part: northbound and southbound databases and northd, in user space."""

from pathlib import Path
from typing import Final

from devstack.lib.part import Part, Program
from devstack.lib.shell import Shell, output
from devstack.lib.site import Site

LOGGING: Final = ("-vconsole:info", "-vsyslog:off", "-vfile:off")
NB_SCHEMA: Final = "/usr/share/ovn/ovn-nb.ovsschema"
SB_SCHEMA: Final = "/usr/share/ovn/ovn-sb.ovsschema"


def central(site: Site) -> Path:
    """The folder of the central databases."""
    return site.data / "ovn" / "central"


def southbound(site: Site) -> str:
    """How ovsdb clients reach the southbound database."""
    return f"unix:{central(site)}/ovnsb_db.sock"


def create_database(shell: Shell, path: Path, schema: str) -> None:
    """Make an empty ovsdb file, unless there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        shell.run("ovsdb-tool", "create", path, schema)


def controllable(socket: Path) -> bool:
    """A daemon of the family answers on its control socket."""
    return output("ovs-appctl", "--timeout=5", "-t", str(socket), "version") is not None


def database_server(folder: Path, name: str, database: str, *remotes: str) -> tuple[str, ...]:
    """The command of an ovsdb-server."""
    return (
        "/usr/sbin/ovsdb-server",
        *LOGGING,
        "--no-chdir",
        f"--pidfile={folder}/{name}.pid",
        f"--unixctl={folder}/{name}.ctl",
        *(f"--remote={remote}" for remote in remotes),
        f"{folder}/{database}",
    )


def _central_database(name: str, schema: str) -> Part:
    def program(site: Site) -> Program:
        folder = central(site)
        return Program(
            database_server(
                folder,
                name,
                f"{name}.db",
                f"punix:{folder}/ovn{name}_db.sock",
                f"ptcp:{site.port(f'ovn-{name}')}:127.0.0.1",
            ),
            port=f"ovn-{name}",
        )

    return Part(
        name=f"ovn-{name}",
        group="network",
        needs=("packages", "openkeel-environment"),
        setup=lambda site, shell: create_database(shell, central(site) / f"{name}.db", schema),
        program=program,
        ready=lambda site: (
            output("ovsdb-client", "--timeout=5", "list-dbs", f"unix:{central(site)}/ovn{name}_db.sock")
            is not None
        ),
    )


def _northd(site: Site) -> Program:
    folder = central(site)
    return Program(
        (
            "/usr/bin/ovn-northd",
            *LOGGING,
            "--no-chdir",
            f"--pidfile={folder}/northd.pid",
            f"--unixctl={folder}/northd.ctl",
            f"--ovnnb-db=unix:{folder}/ovnnb_db.sock",
            f"--ovnsb-db={southbound(site)}",
        )
    )


PARTS = (
    _central_database("nb", NB_SCHEMA),
    _central_database("sb", SB_SCHEMA),
    Part(
        name="ovn-northd",
        group="network",
        needs=("ovn-nb", "ovn-sb"),
        program=_northd,
        ready=lambda site: controllable(central(site) / "northd.ctl"),
    ),
)
