"""OpenKeel: databases and cells, conductor, scheduler, API, one compute per node."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from devstack.lib.ini import render
from devstack.lib.part import Part, Program, digest_files
from devstack.lib.parts import openstack
from devstack.lib.parts.mariadb import create_database, query
from devstack.lib.probes import answers
from devstack.lib.shell import CommandFailed, Shell
from devstack.lib.site import NODES, PASSWORD, REGION, Site

API_DATABASE: Final = "openkeel_api"
CELL0_DATABASE: Final = "openkeel_cell0"
CELL1_DATABASE: Final = "openkeel_cell1"
CONTROLLER: Final = "controller"
# The five that are on by default, and the two for which clients have hints.
FILTERS: Final = (
    "ComputeFilter",
    "ComputeCapabilitiesFilter",
    "ImagePropertiesFilter",
    "ServerGroupAntiAffinityFilter",
    "ServerGroupAffinityFilter",
    "SameHostFilter",
    "DifferentHostFilter",
)
ALREADY_THERE: Final = 2  # what create_cell says of a cell it knows


def configuration(site: Site) -> str:
    """openkeel.conf, for every daemon."""
    return render(
        {
            "DEFAULT": {
                "host": CONTROLLER,
                "my_ip": "127.0.0.1",
                "state_path": site.data / "openkeel",
                "transport_url": site.transport,
                "periodic_fuzzy_delay": 5,
            },
            "api_database": {"connection": site.database(API_DATABASE), "max_pool_size": 10},
            "database": {"connection": site.database(CELL1_DATABASE), "max_pool_size": 10},
            "keystone_authtoken": openstack.token_checking(site, "nova", "compute"),
            "service_user": {**openstack.client(site, "nova"), "send_service_user_token": True},
            "keystone": {"region_name": REGION},
            "placement": openstack.client(site, "placement"),
            "neutron": {
                **openstack.client(site, "nova"),
                "service_metadata_proxy": True,
                "metadata_proxy_shared_secret": PASSWORD,
            },
            "glance": {"region_name": REGION},
            "cinder": {**openstack.client(site, "nova"), "os_region_name": REGION},
            "openkeel_api": {"listen": "127.0.0.1", "listen_port": site.port("compute"), "workers": 2},
            "quota": {"instances": 200, "cores": 400, "ram": -1},
            "stalled_builds": {"timeout": 90, "interval": 10},
            "conductor": {"workers": 1},
            "scheduler": {"workers": 1, "discover_hosts_in_cells_interval": 60},
            "filter_scheduler": {"enabled_filters": FILTERS},
            "vnc": {"novncproxy_base_url": site.url("vnc", "/vnc_auto.html")},
            "kubevirt": {"kubeconfig": site.kubeconfig},
            **openstack.messaging(site, "openkeel"),
        }
    )


def compute_configuration(site: Site, node: str) -> str:
    """What is different on one compute; read after openkeel.conf."""
    return render(
        {
            "DEFAULT": {"host": node, "state_path": site.data / "openkeel" / node},
            "kubevirt": {"node_name": node},
        }
    )


def _file(site: Site) -> Path:
    return site.etc / "openkeel" / "openkeel.conf"


def _compute_file(site: Site, node: str) -> Path:
    return site.etc / "openkeel" / f"compute-{node}.conf"


def _code(site: Site) -> Path:
    return site.root / "openkeel"


def _overlay(site: Site) -> Mapping[Path, str]:
    """Our copy of the configuration that was asked for beside ours."""
    if not site.overlay:
        return {}
    return {site.etc / "openkeel" / "overlay.conf": site.overlay.read_text()}


def _files(site: Site) -> Mapping[Path, str]:
    return {_file(site): configuration(site), **_overlay(site)}


def _manage(site: Site, shell: Shell, *words: str, accept: tuple[int, ...] = (0,)) -> None:
    shell.run(site.venv / "bin" / "openkeel-manage", "--config-file", _file(site), *words, accept=accept)


def _set_up_databases(site: Site, shell: Shell) -> None:
    (site.data / "openkeel" / "lock").mkdir(parents=True, exist_ok=True)
    for name in (API_DATABASE, CELL0_DATABASE, CELL1_DATABASE):
        create_database(site, shell, name)
    _manage(site, shell, "api_db", "sync")
    _manage(site, shell, "cell_v2", "map_cell0", "--database_connection", site.database(CELL0_DATABASE))
    _manage(site, shell, "db", "sync")
    _manage(site, shell, "cell_v2", "create_cell", "--name", "cell1", accept=(0, ALREADY_THERE))


def _reports(site: Site, part: str, binary: str, host: str) -> bool:
    """The daemon's service record was renewed since `up` started it."""
    started = (site.run / "started" / part).stat().st_mtime
    since = datetime.fromtimestamp(int(started), UTC).strftime("%Y-%m-%d %H:%M:%S")
    return _exists(
        site,
        "services",
        f"`binary` = '{binary}' AND host = '{host}' AND COALESCE(last_seen_up, created_at) >= '{since}'",
    )


def _find_hosts(site: Site, shell: Shell) -> None:
    """Map the computes to their cell."""
    mapped = query(site, API_DATABASE, "SELECT host FROM host_mappings")
    if mapped is None:
        raise CommandFailed("the API database does not answer")
    if not set(NODES) <= set(mapped.split()):
        _manage(site, shell, "cell_v2", "discover_hosts")


def _has_compute_node(site: Site, node: str) -> bool:
    return _exists(site, "compute_nodes", f"host = '{node}'")


def _exists(site: Site, table: str, condition: str) -> bool:
    """The cell has such a row."""
    statement = f"SELECT COUNT(*) FROM {table} WHERE deleted = 0 AND {condition}"  # noqa: S608  our own words
    return query(site, CELL1_DATABASE, statement) not in {None, "0"}


def _daemon(site: Site, name: str, *files: Path, port: str | None = None) -> Program:
    told = (_file(site), *_overlay(site), *files)
    arguments = (word for file in told for word in ("--config-file", str(file)))
    return Program((str(site.venv / "bin" / name), *arguments), port=port, stop_seconds=30)


def _compute(node: str) -> Part:
    name = f"openkeel-compute-{node}"
    return Part(
        name=name,
        group="openkeel",
        needs=("openkeel-conductor", "cluster", "placement", "catalogue"),
        files=lambda site: {**_files(site), _compute_file(site, node): compute_configuration(site, node)},
        prepare=lambda site, _shell: (site.data / "openkeel" / node).mkdir(parents=True, exist_ok=True),
        program=lambda site: _daemon(site, "openkeel-compute", _compute_file(site, node)),
        code=_code,
        ready=lambda site: _reports(site, name, "nova-compute", node) and _has_compute_node(site, node),
    )


PARTS = (
    Part(
        name="openkeel-databases",
        group="openkeel",
        needs=("mariadb", "openkeel-environment"),
        files=_files,
        setup=_set_up_databases,
        setup_key=lambda site: digest_files(site.root / "openkeel" / "migrations"),
    ),
    Part(
        name="openkeel-conductor",
        group="openkeel",
        needs=("openkeel-databases", "rabbitmq", "catalogue"),
        files=_files,
        program=lambda site: _daemon(site, "openkeel-conductor"),
        code=_code,
        ready=lambda site: _reports(site, "openkeel-conductor", "nova-conductor", CONTROLLER),
    ),
    Part(
        name="openkeel-scheduler",
        group="openkeel",
        needs=("openkeel-databases", "rabbitmq", "catalogue", "placement"),
        files=_files,
        program=lambda site: _daemon(site, "openkeel-scheduler"),
        code=_code,
        ready=lambda site: _reports(site, "openkeel-scheduler", "nova-scheduler", CONTROLLER),
    ),
    Part(
        name="openkeel-api",
        group="openkeel",
        needs=("openkeel-databases", "rabbitmq", "memcached", "catalogue"),
        files=_files,
        program=lambda site: _daemon(site, "openkeel-api", port="compute"),
        code=_code,
        ready=lambda site: answers(site.url("compute")),
    ),
    *(_compute(node) for node in NODES),
    Part(
        name="openkeel-hosts",
        group="openkeel",
        needs=tuple(f"openkeel-compute-{node}" for node in NODES),
        prepare=_find_hosts,
    ),
)
