"""Remote methods: the table, the classes that serve them, the clients that send them, and the contract."""

import inspect

import pytest

from openkeel.compute.boot import Boot
from openkeel.compute.console import Console
from openkeel.compute.delete import Delete
from openkeel.compute.diagnostics import Diagnostics
from openkeel.compute.endpoint import ComputeEndpoint, FormerComputeEndpoint
from openkeel.compute.events import Events
from openkeel.compute.host_control import HostControl
from openkeel.compute.image_cache import ImageCache
from openkeel.compute.power import Power
from openkeel.compute.power_sync import PowerSync
from openkeel.compute.recovery import Recovery
from openkeel.conductor.compute_task_endpoint import ComputeTaskEndpoint
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.domain.errors import Unsupported
from openkeel.rpc.base import BaseClient, BaseEndpoint
from openkeel.rpc.client import ApiClient
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.conductor import ComputeTaskClient, ConductorClient
from openkeel.rpc.errors import EXCEPTION_MODULES
from openkeel.rpc.methods import APIS, BASE, COMPUTE, COMPUTE_5, COMPUTE_TASK, CONDUCTOR, SCHEDULER
from openkeel.rpc.scheduler import SchedulerClient
from openkeel.rpc.versions import SERVICE_VERSION, compute_version, resolve_cap
from openkeel.scheduler.endpoint import SchedulerEndpoint
from tests.fixtures.contract import facts

CAPABILITIES = (
    Boot,
    Console,
    Delete,
    Diagnostics,
    Events,
    HostControl,
    ImageCache,
    Power,
    PowerSync,
    Recovery,
)
SERVED_BY = [
    pytest.param(COMPUTE, CAPABILITIES, id="compute"),
    pytest.param(CONDUCTOR, (ObjectEndpoint,), id="conductor"),
    pytest.param(COMPUTE_TASK, (ComputeTaskEndpoint,), id="compute_task"),
    pytest.param(SCHEDULER, (SchedulerEndpoint,), id="scheduler"),
    pytest.param(BASE, (BaseEndpoint,), id="baseapi"),
]
SENT_BY = [
    pytest.param(COMPUTE, ComputeClient, id="compute"),
    pytest.param(CONDUCTOR, ConductorClient, id="conductor"),
    pytest.param(COMPUTE_TASK, ComputeTaskClient, id="compute_task"),
    pytest.param(SCHEDULER, SchedulerClient, id="scheduler"),
    pytest.param(BASE, BaseClient, id="baseapi"),
]
# The classes of the contract that stand for one of our namespaces.
SERVERS = {"ConductorManager", "ComputeTaskManager", "SchedulerManager", "ComputeManager", "BaseRPCAPI"}


def remote_methods(*classes):
    """Public methods that take a context first, with the arguments that follow it."""
    found = {}
    for each in classes:
        for name, member in vars(each).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                arguments = list(inspect.signature(member).parameters)[1:]
                if arguments and arguments[0].lstrip("_") == "ctx":
                    assert name not in found, f"{name} is served twice"
                    found[name] = set(arguments[1:])
    return found


@pytest.fixture
def server_methods():
    servers = {s["endpoint"]: s for s in facts("rpc", "servers") if s["endpoint"] in SERVERS}
    return {
        (servers[row["endpoint"]]["topic"], servers[row["endpoint"]]["namespace"], row["method"]): row
        for row in facts("rpc", "server_methods")
        if row["endpoint"] in servers
    }


@pytest.mark.parametrize(("api", "classes"), SERVED_BY)
def test_what_the_table_says_is_served_with_these_arguments(api, classes):
    table = {method.name: {*method.sends, *method.accepts} for method in api.methods}
    assert remote_methods(*classes).items() >= table.items()


@pytest.mark.parametrize(("api", "classes"), SERVED_BY)
def test_what_is_served_under_a_name_of_the_contract_is_in_the_table(api, classes, server_methods):
    contract = {
        name for topic, namespace, name in server_methods if (topic, namespace) == (api.topic, api.namespace)
    }
    table = {method.name for method in api.methods}
    assert remote_methods(*classes).keys() & contract == table


@pytest.mark.parametrize(("api", "client"), SENT_BY)
def test_what_the_table_says_has_a_typed_client_method(api, client):
    table = {method.name: set(method.sends) for method in api.methods}
    # `host` says whom to ask, and is sent only where the table has it too.
    address = {name: {"host"} - sends for name, sends in table.items()}
    sent = {name: has - address.get(name, set()) for name, has in remote_methods(client).items()}
    assert sent == table


def test_what_is_served_is_in_the_contract_with_the_same_arguments(server_methods):
    for api in APIS:
        for method in api.methods:
            row = server_methods[api.topic, api.namespace, method.name]
            names = {argument["name"] for argument in row["args"]} - {"context", "ctxt"}
            assert {*method.sends, *method.accepts} == names, method.name


def test_topics_namespaces_and_versions_are_the_contracts():
    ours = {(api.topic, api.namespace, api.version, api.alternate_topic) for api in APIS}
    theirs = {
        (row["topic"], row["namespace"], row["version"], row.get("topic_alt"))
        for row in facts("rpc", "servers")
        if row["endpoint"] in SERVERS
    }
    assert ours == theirs


def test_every_call_goes_out_as_novas_does():
    calls = {(one["topic"], one["namespace"], one["sends"]): one for one in facts("rpc", "client_calls")}
    for api in APIS:
        for method in api.methods:
            topic = api.alternate_topic if method.alternate else api.topic
            call = calls[topic, api.namespace, method.name]
            assert sorted(method.sends) == call["args"], method.name
            assert (method.version, str(method.how)) == (call["version"], call["how"]), method.name
            assert method.is_long == (call["timeout"] == "long_rpc_timeout"), method.name


def _optional(method):
    return {
        name
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize(("api", "classes"), SERVED_BY)
def test_callers_may_leave_out_what_they_may_with_nova(api, classes, server_methods):
    for method in api.methods:
        [served] = [getattr(each, method.name) for each in classes if hasattr(each, method.name)]
        row = server_methods[api.topic, api.namespace, method.name]
        theirs = {argument["name"] for argument in row["args"] if "default" in argument}
        assert _optional(served) >= theirs, method.name


class _Anything:
    """A capability that has every method and tells what it was given."""

    def __getattr__(self, name):
        def method(_ctx, **arguments):
            return name, arguments

        return method


def test_peers_of_the_version_before_are_served_as_well():
    [proxy] = [row for row in facts("rpc", "servers") if row["endpoint"] == "_ComputeV5Proxy"]
    assert proxy["version"] == COMPUTE_5
    endpoint = FormerComputeEndpoint(ComputeEndpoint([_Anything()]))
    rows = {
        row["method"]: row for row in facts("rpc", "server_methods") if row["endpoint"] == "_ComputeV5Proxy"
    }
    for method in COMPUTE.methods:
        must = set(method.sends)
        if method.name in rows:
            must = {arg["name"] for arg in rows[method.name]["args"] if "default" not in arg} - {"context"}
        name, given = getattr(endpoint, method.name)(None, **dict.fromkeys(must, 1))
        assert name == method.name
        missing = set(method.sends) - set(given)
        assert all(given[one] == 1 for one in must)
        assert missing <= {arg["name"] for arg in rows.get(name, {"args": []})["args"] if "default" in arg}


class _Recorder:
    """Stands for the messaging library: what is prepared and sent."""

    def __init__(self):
        self.sent = []

    def prepare(self, **how):
        self._how = how
        return self

    def call(self, _ctx, name, **arguments):
        self.sent.append({"method": name, "args": sorted(arguments), **self._how})

    cast = call


# Clients of Nova can also speak to conductors of 2014, whom no option of theirs leads to.
BEFORE_LIBERTY = {("build_instances", "1.8"), ("build_instances", "1.5")}
NOT_OURS_TO_SEND = {"supports_numa_live_migration"}


def _sent(api, method, cap, monkeypatch):
    """What our client sends to peers pinned to the version; None when it refuses."""
    recorder = _Recorder()
    monkeypatch.setattr("oslo_messaging.get_rpc_client", lambda *_args, **_named: recorder)
    client = ApiClient(api, None, None, version_cap=cap)
    try:
        client.send(method.name, None, **dict.fromkeys(method.sends, 1))
    except Unsupported:
        return None
    [sent] = recorder.sent
    return sent


def _pinned():
    for row in facts("rpc", "compute_client_pinned_differences"):
        yield COMPUTE, row
    apis = {"ComputeTaskAPI": COMPUTE_TASK, "SchedulerAPI": SCHEDULER}
    for row in facts("rpc", "other_client_pinned_differences"):
        yield apis[row["api"]], row


def test_to_pinned_peers_calls_go_as_novas_do(monkeypatch):
    seen = 0
    for api, row in _pinned():
        method = next((one for one in api.methods if one.name == row["method"]), None)
        if method is None or row["method"] in NOT_OURS_TO_SEND:
            continue
        for cap in row["version_caps"]:
            seen += 1
            sent, differs = _sent(api, method, cap, monkeypatch), row["differs"]
            if "not_sent" in differs or (method.name, differs.get("version")) in BEFORE_LIBERTY:
                assert sent is None, (method.name, cap)
                continue
            topic = api.alternate_topic if method.alternate else api.topic
            assert sent["version"] == differs.get("version", method.version), (method.name, cap)
            assert sent["args"] == differs.get("args", sorted(method.sends)), (method.name, cap)
            assert sent["topic"] == differs.get("topic", topic), (method.name, cap)
    assert seen > 100


def test_to_peers_of_each_version_that_differ_in_nothing_calls_go_unchanged(monkeypatch):
    differing = {(row["method"], cap) for _, row in _pinned() for cap in row["version_caps"]}
    for minor in range(6):
        for method in COMPUTE.methods:
            cap = f"6.{minor}"
            if (method.name, cap) not in differing:
                sent = _sent(COMPUTE, method, cap, monkeypatch)
                assert (sent["version"], sent["args"]) == (method.version, sorted(method.sends))


def test_names_of_releases_mean_what_they_mean_to_nova():
    for row in facts("rpc", "release_aliases"):
        assert resolve_cap(row["api"], row["release"]) == row["version"]


def test_the_service_version_is_the_newest_and_tells_what_a_peer_understands():
    history = facts("objects", "service_version_history")
    assert history[-1] == {"compute_rpc": COMPUTE.version, "service_version": SERVICE_VERSION}
    for row in history:
        if row["service_version"] >= 56:  # older ones are of releases that cannot be beside us
            assert compute_version(row["service_version"]) == row["compute_rpc"]


def test_the_errors_of_the_contract_may_cross_the_wire():
    assert set(facts("rpc", "wire")["allowed_remote_exmods"]) <= set(EXCEPTION_MODULES)
