"""Glance with a file store. A second store (rbd) joins it when Ceph gets a part."""

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
    data = site.data / "glance"
    return {
        site.etc / "glance" / "glance-api.conf": render(
            {
                "DEFAULT": {
                    "enabled_backends": "fs:file",
                    "enabled_import_methods": "[glance-direct]",
                    "worker_self_reference_url": site.url("glance"),
                },
                "database": {"connection": site.database("glance"), "max_pool_size": 5},
                "glance_store": {"default_backend": "fs"},
                "fs": {"filesystem_store_datadir": data / "images"},
                "os_glance_staging_store": {"filesystem_store_datadir": data / "staging"},
                "os_glance_tasks_store": {"filesystem_store_datadir": data / "tasks"},
                "paste_deploy": {
                    "flavor": "keystone",
                    "config_file": site.openstack / "etc" / "glance" / "glance-api-paste.ini",
                },
                "keystone_authtoken": openstack.token_checking(site, "glance", "image"),
                **openstack.messaging(site, "glance"),
            }
        ),
        openstack.uwsgi_file(site, "glance"): openstack.uwsgi(site, "glance", "glance.wsgi.api"),
    }


def _set_up(site: Site, shell: Shell) -> None:
    for folder in ("images", "staging", "tasks", "lock"):
        (site.data / "glance" / folder).mkdir(parents=True, exist_ok=True)
    create_database(site, shell, "glance")
    manage = site.openstack / "bin" / "glance-manage"
    shell.run(manage, "--config-file", site.etc / "glance" / "glance-api.conf", "db_sync")


PARTS = (
    Part(
        name="glance",
        group="services",
        needs=("mariadb", "memcached", "openstack-environment"),
        files=_files,
        setup=_set_up,
        setup_key=openstack.schema_key,
        program=lambda site: openstack.api(site, "glance", {"OS_GLANCE_CONFIG_DIR": f"{site.etc}/glance"}),
        ready=lambda site: answers(site.url("glance")),
    ),
)
