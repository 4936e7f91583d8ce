"""MariaDB as a private process, with one user for every service."""

from collections.abc import Mapping
from pathlib import Path

from devstack.lib.part import Part, Program
from devstack.lib.shell import Shell, output
from devstack.lib.site import PASSWORD, Site


def create_database(site: Site, shell: Shell, name: str) -> None:
    """Make a service's database, for a setup."""
    shell.run(*_client(site), "-e", f"CREATE DATABASE IF NOT EXISTS {name} CHARACTER SET utf8mb3")


def query(site: Site, database: str, statement: str) -> str | None:
    """The bare answer to a statement, or None when there is none to be had."""
    answer = output(*_client(site), "--batch", "--skip-column-names", database, "-e", statement)
    return None if answer is None else answer.strip()


def _client(site: Site) -> tuple[str, ...]:
    port = site.port("mariadb")
    return ("mariadb", "--no-defaults", "-h127.0.0.1", f"-P{port}", "-uopenstack", f"-p{PASSWORD}")


def _files(site: Site) -> Mapping[Path, str]:
    # Read at every start: one statement a line.
    users = (
        f"CREATE USER IF NOT EXISTS 'openstack'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';",
        "GRANT ALL ON *.* TO 'openstack'@'127.0.0.1' WITH GRANT OPTION;",
    )
    return {site.etc / "mariadb" / "users.sql": "\n".join(users) + "\n"}


def _initialize(site: Site, shell: Shell) -> None:
    data = site.data / "mariadb"
    if not (data / "mysql").exists():
        shell.run(
            "mariadb-install-db",
            "--no-defaults",
            "--user=root",
            f"--datadir={data}",
            "--skip-test-db",
            "--skip-name-resolve",
        )


def _program(site: Site) -> Program:
    return Program(
        command=(
            "/usr/sbin/mariadbd",
            "--no-defaults",
            "--user=root",
            f"--datadir={site.data}/mariadb",
            f"--socket={site.run}/mariadb.sock",
            f"--pid-file={site.run}/mariadb.pid",
            f"--init-file={site.etc}/mariadb/users.sql",
            f"--port={site.port('mariadb')}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--character-set-server=utf8mb3",
            "--max-connections=500",
            "--innodb-buffer-pool-size=256M",
            "--innodb-log-file-size=64M",
            "--innodb-flush-log-at-trx-commit=2",
            "--skip-log-bin",
            "--performance-schema=off",
        ),
        port="mariadb",
        stop_seconds=60,
    )


def _ready(site: Site) -> bool:
    return output(*_client(site), "-e", "SELECT 1") is not None


PARTS = (
    Part(
        name="mariadb",
        group="infra",
        needs=("packages", "openkeel-environment"),
        files=_files,
        setup=_initialize,
        program=_program,
        ready=_ready,
    ),
)
