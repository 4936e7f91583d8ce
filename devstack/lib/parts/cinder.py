"""Cinder with volumes in sparse files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from devstack.lib.ini import render
from devstack.lib.part import Part, Program, digest, digest_files
from devstack.lib.parts import openstack
from devstack.lib.parts.mariadb import create_database, query
from devstack.lib.probes import answers
from devstack.lib.shell import Shell
from devstack.lib.site import Site

BACK_END: Final = "file1"
"""Also the name of the volume type."""
HOST: Final = "controller"


def _file(site: Site) -> Path:
    return site.etc / "cinder" / "cinder.conf"


def _files(site: Site) -> Mapping[Path, str]:
    data, shipped = site.data / "cinder", site.openstack / "etc" / "cinder"
    return {
        _file(site): render(
            {
                "DEFAULT": {
                    "state_path": data,
                    "host": HOST,
                    "my_ip": "127.0.0.1",
                    "api_paste_config": shipped / "api-paste.ini",
                    "resource_query_filters_file": shipped / "resource_filters.json",
                    "transport_url": site.transport,
                    "auth_strategy": "keystone",
                    "glance_api_servers": site.url("glance"),
                    "enabled_backends": BACK_END,
                    "default_volume_type": BACK_END,
                    "image_conversion_dir": data / "conversion",
                    "quota_volumes": 1000,
                    "quota_snapshots": 1000,
                    "quota_gigabytes": 100_000,
                },
                BACK_END: {
                    "volume_driver": "devstack.volumes.files.FilesDriver",
                    "volume_backend_name": BACK_END,
                    "files_folder": data / "volumes",
                },
                "database": {"connection": site.database("cinder"), "max_pool_size": 5},
                "coordination": {"backend_url": f"file://{data}/coordination"},
                "keystone_authtoken": openstack.token_checking(site, "cinder", "block-storage"),
                "nova": openstack.client(site, "nova"),
                "service_user": {**openstack.client(site, "cinder"), "send_service_user_token": True},
                **openstack.messaging(site, "cinder"),
            }
        ),
        openstack.uwsgi_file(site, "cinder"): openstack.uwsgi(
            site, "cinder", "cinder.wsgi.api", processes=1, arguments=f"--config-file {_file(site)}"
        ),
    }


def _set_up(site: Site, shell: Shell) -> None:
    for folder in ("lock", "conversion", "coordination"):
        (site.data / "cinder" / folder).mkdir(parents=True, exist_ok=True)
    create_database(site, shell, "cinder")
    shell.run(site.openstack / "bin" / "cinder-manage", "--config-file", _file(site), "db", "sync")


def _daemon(site: Site, name: str) -> Program:
    return Program(
        (str(site.openstack / "bin" / name), "--config-file", str(_file(site))),
        environment={"PYTHONPATH": str(site.root)},
        stop_seconds=30,
    )


def _reports(site: Site, part: str) -> bool:
    """The daemon's service record was renewed since `up` started it."""
    started = int((site.run / "started" / part).stat().st_mtime)
    statement = (
        "SELECT COUNT(*) FROM services WHERE deleted = 0 "  # noqa: S608  our own words
        f"AND `binary` = '{part}' AND COALESCE(updated_at, created_at) >= FROM_UNIXTIME({started})"
    )
    return query(site, "cinder", statement) not in {None, "0"}


def _seed(site: Site, shell: Shell) -> None:
    python = site.venv / "bin" / "python"
    shell.run(python, "-m", "devstack.lib.seeds.volumes", cwd=site.root, environment=site.credentials())


def _seed_key(site: Site) -> str:
    seeds = site.root / "devstack" / "lib" / "seeds"
    return digest(str(site.port_base), digest_files(seeds / "volumes.py", seeds / "catalogue.py"))


GROUP: Final = "volumes"
PARTS = (
    Part(
        name="cinder-databases",
        group=GROUP,
        needs=("mariadb", "openstack-environment"),
        files=_files,
        setup=_set_up,
        setup_key=openstack.schema_key,
    ),
    Part(
        name="cinder",
        group=GROUP,
        needs=("cinder-databases", "rabbitmq", "memcached"),
        files=_files,
        program=lambda site: openstack.api(site, "cinder", {}),
        ready=lambda site: answers(site.url("cinder")),
    ),
    Part(
        name="cinder-scheduler",
        group=GROUP,
        needs=("cinder-databases", "rabbitmq"),
        files=_files,
        program=lambda site: _daemon(site, "cinder-scheduler"),
        ready=lambda site: _reports(site, "cinder-scheduler"),
    ),
    Part(
        name="cinder-volume",
        group=GROUP,
        needs=("cinder-databases", "rabbitmq"),
        files=_files,
        program=lambda site: _daemon(site, "cinder-volume"),
        code=lambda site: site.root / "devstack" / "volumes",
        ready=lambda site: _reports(site, "cinder-volume"),
    ),
    Part(
        name="volume-type",
        group=GROUP,
        needs=("catalogue", "cinder"),
        setup=_seed,
        setup_key=_seed_key,
    ),
)
