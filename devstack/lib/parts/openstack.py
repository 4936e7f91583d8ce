"""What the OpenStack services have in common: sections of their configurations and the WSGI server."""

from pathlib import Path

from devstack.lib.ini import Sections, render
from devstack.lib.part import Program, digest_files
from devstack.lib.parts.environments import REQUIREMENTS
from devstack.lib.site import PASSWORD, REGION, Site


def client(site: Site, user: str) -> dict[str, object]:
    """Credentials of a service user, as keystoneauth reads them."""
    return {
        "auth_url": site.url("keystone", "/v3"),
        "auth_type": "password",
        "project_name": "service",
        "project_domain_name": "Default",
        "user_domain_name": "Default",
        "username": user,
        "password": PASSWORD,
        "region_name": REGION,
    }


def token_checking(site: Site, user: str, service_type: str) -> dict[str, object]:
    """[keystone_authtoken]."""
    return {
        **client(site, user),
        "www_authenticate_uri": site.url("keystone", "/v3"),
        "memcached_servers": f"127.0.0.1:{site.port('memcached')}",
        "service_token_roles": "service",
        "service_token_roles_required": True,
        "service_type": service_type,
    }


def messaging(site: Site, name: str) -> dict[str, dict[str, object]]:
    """Sections of the oslo libraries."""
    return {
        "oslo_messaging_rabbit": {"rabbit_quorum_queue": False},
        "oslo_messaging_notifications": {"driver": "noop"},
        "oslo_concurrency": {"lock_path": site.data / name / "lock"},
    }


def schema_key(site: Site) -> str:
    """A schema is synchronised again when the services change."""
    return digest_files(site.root / REQUIREMENTS)


def uwsgi_file(site: Site, name: str) -> Path:
    """Where the configuration of an API's uwsgi lies."""
    return site.etc / "uwsgi" / f"{name}.ini"


def uwsgi(site: Site, name: str, module: str, processes: int = 2, arguments: str = "") -> str:
    """The configuration of one API's uwsgi.

    Two processes at least where a service calls back into its caller. Applications load in the workers
    (`lazy-apps`), as Neutron's database connections are threads. Neutron also notes its start time in
    TMPDIR under the master's pid: a folder of its own, emptied at every start, keeps reused pids harmless.
    `arguments` is what an application finds in `sys.argv` that reads its configuration from there.
    """
    folder = site.run / "tmp" / name
    options: Sections = {
        "uwsgi": {
            "exec-asap": f"rm -rf {folder} && mkdir -p {folder}",
            "http-socket": f"127.0.0.1:{site.port(name)}",
            "module": f"{module}:application",
            **({"pyargv": arguments} if arguments else {}),
            "processes": processes,
            "threads": 1,
            "enable-threads": True,
            "lazy-apps": True,
            "need-app": True,
            "master": True,
            "thunder-lock": True,
            "die-on-term": True,
            "exit-on-reload": True,
            "worker-reload-mercy": 10,
            "hook-master-start": "unix_signal:15 gracefully_kill_them_all",
            "buffer-size": 65535,
            "listen": 100,
            "so-keepalive": True,
            "http-chunked-input": True,
            "add-header": "Connection: close",
            "disable-logging": True,
            "log-5xx": True,
            "procname-prefix-spaced": name,
        }
    }
    return render(options)


def api(site: Site, name: str, environment: dict[str, str]) -> Program:
    """A WSGI application behind uwsgi."""
    return Program(
        (str(site.openstack / "bin" / "uwsgi"), "--ini", str(uwsgi_file(site, name))),
        environment={"TMPDIR": str(site.run / "tmp" / name), **environment},
        port=name,
    )
