"""keystone, and the users and catalogue of everything."""

from collections.abc import Mapping
from pathlib import Path

from devstack.lib.ini import render
from devstack.lib.part import Part, digest, digest_files
from devstack.lib.parts import openstack
from devstack.lib.parts.mariadb import create_database
from devstack.lib.probes import answers
from devstack.lib.shell import Shell
from devstack.lib.site import PASSWORD, REGION, Site


def _files(site: Site) -> Mapping[Path, str]:
    return {
        site.etc / "keystone" / "keystone.conf": render(
            {
                "database": {"connection": site.database("keystone"), "max_pool_size": 5},
                "identity": {"password_hash_rounds": 4},  # a lab: signing in costs a second otherwise
                "token": {"provider": "fernet", "expiration": 14400},
                "fernet_tokens": {"key_repository": site.data / "keystone" / "fernet"},
                "credential": {"key_repository": site.data / "keystone" / "credential"},
                "cache": {
                    "enabled": True,
                    "backend": "dogpile.cache.memcached",
                    "memcache_servers": f"127.0.0.1:{site.port('memcached')}",
                },
            }
        ),
        openstack.uwsgi_file(site, "keystone"): openstack.uwsgi(site, "keystone", "keystone.wsgi.api"),
    }


def _set_up(site: Site, shell: Shell) -> None:
    create_database(site, shell, "keystone")
    manage = (
        site.openstack / "bin" / "keystone-manage",
        "--config-file",
        site.etc / "keystone" / "keystone.conf",
    )
    shell.run(*manage, "db_sync")
    for kind in ("fernet", "credential"):
        keys = site.data / "keystone" / kind
        keys.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (keys / "0").exists():
            shell.run(*manage, f"{kind}_setup", "--keystone-user", "root", "--keystone-group", "root")
    url = site.url("keystone", "/v3")
    shell.run(
        *(*manage, "bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-region-id", REGION),
        *("--bootstrap-admin-url", url, "--bootstrap-internal-url", url, "--bootstrap-public-url", url),
    )


def _seed(site: Site, shell: Shell) -> None:
    shell.run(
        site.venv / "bin" / "python",
        "-m",
        "devstack.lib.seeds.catalogue",
        cwd=site.root,
        environment=site.credentials(),
    )


PARTS = (
    Part(
        name="keystone",
        group="identity",
        needs=("mariadb", "memcached", "openstack-environment"),
        files=_files,
        setup=_set_up,
        setup_key=openstack.schema_key,
        program=lambda site: openstack.api(
            site, "keystone", {"OS_KEYSTONE_CONFIG_DIR": f"{site.etc}/keystone"}
        ),
        ready=lambda site: answers(site.url("keystone", "/v3")),
    ),
    Part(
        name="catalogue",
        group="identity",
        needs=("keystone",),
        setup=_seed,
        setup_key=lambda site: digest(
            str(site.port_base), digest_files(site.root / "devstack" / "lib" / "seeds" / "catalogue.py")
        ),
    ),
)
