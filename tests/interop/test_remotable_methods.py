"""All remotable methods, called by Nova's own objects through a RabbitMQ on our conductor.

What comes of each call is compared with what Nova's own code makes of it on a database of its own.
"""

import contextlib
import inspect
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from devstack.lib.parts import rabbitmq
from devstack.lib.site import Site
from openkeel import objects
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import METHODS, OnObject, Zones
from openkeel.db.cells import ApiStores, CellDirectory, CellStores
from openkeel.db.migrate import upgrade
from openkeel.db.session import Database, DatabaseSettings
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports
from openkeel.services.quota import QuotaService
from tests.interop.nova_environment import VERSION, NovaEnvironment

CLIENT = Path(__file__).with_name("remotable_client.py")
UUID = "11111111-2222-3333-4444-555555555555"
VHOST = "remotables"

# Calls that Nova's own code fails in, or never had the code for, and how ours may end; "" is an answer.
DIFFERS: dict[str, set[str]] = {
    # Errors of Python and of libraries
    "AggregateList.get_by_metadata": {""},
    "CellMapping.create": {"", "DuplicateRecord"},
    "Instance.delete_metadata_key": {""},
    "InstanceActionEvent.finish": {""},
    "InstanceActionEvent.finish_with_failure": {""},
    "InstanceActionEvent.get_by_id": {""},
    "InstanceList._get_active_by_window_joined": {""},
    "InstanceList.get_by_grantee_security_group_ids": {""},
    "InstanceList.get_by_security_group_id": {""},
    "Quotas.check_deltas": {"NovaException"},
    "SecurityGroup.in_use": {"NovaException"},
    "SecurityGroup.refresh": {"NovaException"},
    "SecurityGroup.save": {"NovaException"},
    # With us it saves what has a row
    "BlockDeviceMapping.update_or_create": {""},
    # No project has a security group of nova-network any more; Nova makes one with the first server
    "SecurityGroup.get": {"SecurityGroupNotFound"},
    "SecurityGroup.get_by_name": {"SecurityGroupNotFound"},
    "SecurityGroupList.get_all": {""},
    "SecurityGroupList.get_by_project": {""},
    "SecurityGroupList.get_counts": {""},
    # Nova's EC2 ids make rows of their own
    "EC2Ids.get_by_instance": {""},
    "S3ImageMapping.create": {""},
    "S3ImageMapping.get_by_id": {""},
    "S3ImageMapping.get_by_uuid": {""},
    # Nova hands back the object, to nobody
    "VirtualInterface.save": {""},
}
# Parts that are no difference: objects inside that are not read again when the outer one is written, the NICs
# of a server that has none ("[]" here, nothing there), descriptions that Nova strips, moments as numbers, and
# what Nova sets to nothing, or finds by loading it, where ours is not loaded.
NOT_COMPARED = {
    "BuildRequest": {"instance"},
    "HostMapping": {"cell_mapping"},
    "InstanceMapping": {"cell_mapping"},
    "Instance": {
        "ec2_ids",
        "info_cache",
        "pci_requests",
        "numa_topology",
        "pci_devices",
        "security_groups",
        "description",
        "updated_at",
    },
    "InstanceInfoCache": {"network_info", "created_at"},
    "ConsoleAuthToken": {"expires"},
}
# Of several alike actions, or steps, of one request Nova ends the first; here it is the newest.
OTHER_OF_SEVERAL = {
    "InstanceAction.finish",
    "InstanceActionEvent.event_finish",
    "InstanceActionEventList.get_by_action",
    "InstanceActionList.get_by_instance_uuid",
}
ABSENT = (None, False, [], {}, "")


@pytest.fixture(scope="module")
def devstack() -> Site:
    """A devstack of which only RabbitMQ must run."""
    try:
        site = Site.load()
    except Exception as error:  # noqa: BLE001 whatever is missing
        pytest.skip(f"no devstack: {error}")
    environment = NovaEnvironment.of(site)
    if environment.version() != VERSION:
        pytest.skip(f"{environment.folder} does not hold nova {VERSION}: run scripts/interop")
    try:
        socket.create_connection(("127.0.0.1", site.port("rabbitmq")), timeout=1).close()
    except OSError:
        pytest.skip("the devstack's RabbitMQ does not run")
    return site


@pytest.fixture(scope="module")
def bus(devstack):
    """The URL of a virtual host of our own: the conductors of others have the same topic."""
    program = rabbitmq.PARTS[0].program(devstack)

    def ctl(*words, check=True):
        subprocess.run(
            ["/usr/lib/rabbitmq/bin/rabbitmqctl", *words],
            env={**os.environ, **program.environment},
            check=check,
            capture_output=True,
            timeout=120,
        )

    ctl("delete_vhost", VHOST, check=False)
    ctl("add_vhost", VHOST)
    ctl("set_permissions", "-p", VHOST, "guest", ".*", ".*", ".*")
    yield f"rabbit://guest:guest@127.0.0.1:{devstack.port('rabbitmq')}/{VHOST}"
    ctl("delete_vhost", VHOST)


def _cell_mapping(database, url):
    return objects.CellMapping(
        uuid=UUID, name="cell1", transport_url=url, database_connection=database.settings.url, disabled=False
    )


@pytest.fixture(scope="module")
def answers(devstack, bus, tmp_path_factory):
    """What came of each call: (through our conductor, by Nova's own code)."""
    folder = tmp_path_factory.mktemp("remotables")
    methods = folder / "methods.json"
    methods.write_text(
        json.dumps({f"{kind}.{method}": _described(row) for (kind, method), row in METHODS.items()})
    )
    fresh = folder / "fresh"
    fresh.mkdir()
    for kind in ("main", "api"):
        database = Database(DatabaseSettings(url=f"sqlite:///{fresh}/{kind}.sqlite"))
        upgrade(database, kind)
        database.dispose()
    told = {}
    for who in ("ours", "nova"):
        place = folder / who
        shutil.copytree(fresh, place)
        main = Database(DatabaseSettings(url=f"sqlite:///{place}/main.sqlite"))
        api = Database(DatabaseSettings(url=f"sqlite:///{place}/api.sqlite"))
        ApiStores(api).cell_mappings.create(_cell_mapping(main, bus))
        configuration = place / "nova.conf"
        configuration.write_text(
            f"[DEFAULT]\ntransport_url = {bus}\nlog_file = {place}/nova.log\nrpc_response_timeout = 30\n"
            f"state_path = {place}\n"
            f"[database]\nconnection = {main.settings.url}\n[api_database]\nconnection = {api.settings.url}\n"
            "[quota]\ncount_usage_from_placement = false\n"
        )
        with _conductor(bus, main, api) if who == "ours" else contextlib.nullcontext():
            told[who] = _ask(devstack, configuration, methods, "remote" if who == "ours" else "")
        main.dispose()
        api.dispose()
    return told["ours"], told["nova"]


def _described(row):
    skip = 3 if isinstance(row, OnObject) else 2
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {
        "on_object": isinstance(row, OnObject),
        "needs": [
            one.name
            for one in list(inspect.signature(row.run).parameters.values())[skip:]
            if one.default is inspect.Parameter.empty and one.kind in named
        ],
    }


@contextlib.contextmanager
def _conductor(url, main, api):
    conf = cfg.ConfigOpts()
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf([], default_config_files=[])
    transports = Transports(conf)
    cells = CellDirectory(api, lambda found: Database(DatabaseSettings(url=found)))
    endpoint = ObjectEndpoint(CellStores(main), ApiStores(api), QuotaService(cells), Zones())
    server = RpcServer(transports.get(url), ["conductor"], "conductor-1", [endpoint], WireSerializer())
    server.start()
    try:
        yield
    finally:
        server.stop()
        server.wait(30)
        transports.close()
        cells.close()


def _ask(site, configuration, methods, mode):
    written = configuration.with_name("answers.json")
    done = subprocess.run(
        [NovaEnvironment.of(site).program("python"), CLIENT, configuration, methods, written, mode],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert written.exists(), done.stderr[-3000:]
    return json.loads(written.read_text())


def _differences(ours, nova, path=""):
    """Where two answers say something else; a field may lack where the other has nothing in it."""
    if isinstance(ours, dict) and isinstance(nova, dict):
        for key in sorted({*ours, *nova}):
            yield from _differences(ours.get(key), nova.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(nova, list) and len(ours) == len(nova):
        for number, (mine, theirs) in enumerate(zip(ours, nova, strict=True)):
            yield from _differences(mine, theirs, f"{path}[{number}]")
    elif ours != nova and not (ours in ABSENT and nova in ABSENT):
        yield f"{path}: {ours!r}, with Nova {nova!r}"


@pytest.mark.parametrize("name", [f"{kind}.{method}" for kind, method in sorted(METHODS)])
def test_a_call_ends_as_with_a_conductor_of_novas(answers, name):
    ours, nova = (each[name] for each in answers)
    if name in DIFFERS:
        assert ours.get("error", "") in DIFFERS[name], (ours, nova)
        return
    assert ours.get("error") == nova.get("error"), (ours, nova)
    if "error" in nova:
        return
    assert set(ours.get("changes", ())) <= set(nova.get("changes", ()))
    kind, method = name.split(".")
    not_compared = NOT_COMPARED.get(kind.removesuffix("List"), set())
    parts = ("result",) if method == "destroy" else ("result", "object")  # what is left of it is nobody's
    differing = [
        each
        for part in parts
        for each in _differences(ours.get(part), nova.get(part), part)
        if not_compared.isdisjoint(each.partition(":")[0].replace("[", ".").split("."))
    ]
    assert name in OTHER_OF_SEVERAL or not differing
