"""Placement."""

from collections.abc import Mapping
from pathlib import Path

from devstack.lib.ini import render
from devstack.lib.part import Part
from devstack.lib.parts import openstack
from devstack.lib.parts.mariadb import create_database
from devstack.lib.probes import answers
from devstack.lib.shell import Shell
from devstack.lib.site import Site


def _files(site: Site) -> Mapping[Path, str]:
    return {
        site.etc / "placement" / "placement.conf": render(
            {
                "placement_database": {"connection": site.database("placement"), "max_pool_size": 5},
                "api": {"auth_strategy": "keystone"},
                "keystone_authtoken": openstack.token_checking(site, "placement", "placement"),
            }
        ),
        openstack.uwsgi_file(site, "placement"): openstack.uwsgi(site, "placement", "placement.wsgi.api"),
    }


def _set_up(site: Site, shell: Shell) -> None:
    create_database(site, shell, "placement")
    manage = site.openstack / "bin" / "placement-manage"
    shell.run(manage, "--config-file", site.etc / "placement" / "placement.conf", "db", "sync")


PARTS = (
    Part(
        name="placement",
        group="services",
        needs=("mariadb", "memcached", "openstack-environment"),
        files=_files,
        setup=_set_up,
        setup_key=openstack.schema_key,
        program=lambda site: openstack.api(
            site, "placement", {"OS_PLACEMENT_CONFIG_DIR": f"{site.etc}/placement"}
        ),
        ready=lambda site: answers(site.url("placement")),
    ),
)
