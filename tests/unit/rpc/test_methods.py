"""The table of methods agrees with the contract."""

import inspect
import json
import os
from pathlib import Path

import pytest

from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.conductor import ComputeTaskClient, ConductorClient
from openkeel.rpc.describe import describe_rpc
from openkeel.rpc.methods import APIS, COMPUTE, COMPUTE_TASK, CONDUCTOR, SCHEDULER
from openkeel.rpc.scheduler import SchedulerClient
from openkeel.rpc.versions import SERVICE_VERSION, compute_version, resolve_cap

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[4] / "shared"))
ROUTING = {"self", "ctx", "host"}


@pytest.fixture
def contract():
    path = SHARED / "contracts" / "rpc.json"
    if not path.exists():
        pytest.skip("the contract facts are not beside the repository")
    return json.loads(path.read_text())


def test_every_row_sends_what_novas_client_sends(contract):
    calls = {(c["topic"], c["namespace"], c["sends"]): c for c in contract["client_calls"]}
    for api in APIS:
        for method in api.methods:
            topic = api.alternate_topic if method.alternate else api.topic
            call = calls[topic, api.namespace, method.name]
            assert sorted(method.sends) == call["args"], method.name
            assert (method.version, str(method.how)) == (call["version"], call["how"]), method.name
            assert method.is_long == (call["timeout"] == "long_rpc_timeout"), method.name


def test_servers_take_every_argument_of_the_contract(contract):
    wanted = {}
    servers = {s["endpoint"]: s for s in contract["servers"] if s["endpoint"] != "_ComputeV5Proxy"}
    for row in contract["server_methods"]:
        if row["endpoint"] in servers:
            server = servers[row["endpoint"]]
            key = (server["topic"], server["namespace"], row["method"])
            wanted[key] = sorted(arg["name"] for arg in row["args"][1:])
    for server in describe_rpc()["servers"]:
        for method in server["methods"]:
            key = (server["topic"], server["namespace"], method["method"])
            assert sorted(method["args"]) == wanted[key]


@pytest.mark.parametrize(
    ("api", "client"),
    [
        (COMPUTE, ComputeClient),
        (CONDUCTOR, ConductorClient),
        (COMPUTE_TASK, ComputeTaskClient),
        (SCHEDULER, SchedulerClient),
    ],
)
def test_every_row_has_a_typed_client_method(api, client):
    typed = {
        name: set(inspect.signature(member).parameters) - ROUTING
        for name, member in vars(client).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }
    assert typed == {method.name: set(method.sends) for method in api.methods}


def test_version_levels_are_versions_releases_or_what_runs():
    assert resolve_cap("compute", None) is None
    assert resolve_cap("compute", "6.4") == "6.4"
    assert resolve_cap("compute", "flamingo") == "6.4"
    assert resolve_cap("compute", "auto", lambda: 68) == "6.4"
    assert resolve_cap("compute", "auto", lambda: 0) is None


def test_our_own_service_version_speaks_the_newest(contract):
    facts = json.loads((SHARED / "contracts" / "objects.json").read_text())
    assert facts["service_version_history"][-1] == {
        "compute_rpc": COMPUTE.version,
        "service_version": SERVICE_VERSION,
    }
    for row in facts["service_version_history"]:
        if row["service_version"] >= 56:
            assert compute_version(row["service_version"]) == row["compute_rpc"]
