"""Who a compute host is, where daemons of both kinds take turns on it.

Nova's fake driver makes its node's UUID of the node's name. The daemons agree on a host only if OpenKeel's
compute node has that UUID too, so a node gets it before its first swap, as a deployer would give it: by
`compute_id`, before the first start. It keeps it from then on.
"""

import uuid
from pathlib import Path

import requests
import yaml

from devstack.lib.site import Site
from openkeel.virt.kubevirt.names import COMPUTE_NODE_UUID
from tests.interop.client import Client, eventually
from tests.interop.nova_daemons import common_file
from tests.interop.openkeel_daemons import OpenKeelDaemons, compute


def predictable_uuid(node: str) -> str:
    """The UUID that Nova's PredictableNodeUUIDDriver gives a node."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, node))


def identity_file(site: Site, node: str) -> Path:
    return site.data / "openkeel" / node / "compute_id"


def make_predictable(site: Site, cloud: Client, node: str) -> None:
    """Give a node without servers the UUID that Nova's fake driver will say; nothing when it has it.

    It is taken out of the deployment and comes back as a new one, mapped to its cell.
    """
    wanted = predictable_uuid(node)
    if cloud.hypervisors()[node]["id"] == wanted:
        return
    daemons = OpenKeelDaemons(site)
    daemons.stop(compute(node))
    cloud.request("DELETE", f"/os-services/{cloud.services()['nova-compute', node]['id']}")
    eventually(lambda: node not in cloud.providers(), 300, f"{node} is gone")
    _note_on_node(site, node, wanted)
    identity_file(site, node).parent.mkdir(parents=True, exist_ok=True)
    identity_file(site, node).write_text(wanted)
    daemons.start(compute(node))
    discover(site)
    eventually(lambda: cloud.hypervisors()[node]["id"] == wanted, 300, f"{node} is {wanted}")


def discover(site: Site) -> str:
    """Map new hosts to their cell, by openkeel-manage; what it printed."""
    import subprocess

    words = ("--config-file", str(common_file(site)), "cell_v2", "discover_hosts", "--verbose")
    done = subprocess.run(
        [str(site.venv / "bin" / "openkeel-manage"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _note_on_node(site: Site, node: str, node_uuid: str) -> None:
    """The Kubernetes node remembers who it is."""
    config = yaml.safe_load(site.kubeconfig.read_text())
    token = config["users"][0]["user"].get("token")
    requests.patch(
        f"{config['clusters'][0]['cluster']['server']}/api/v1/nodes/{node}",
        json={"metadata": {"annotations": {COMPUTE_NODE_UUID: node_uuid}}},
        headers={
            "Content-Type": "application/merge-patch+json",
            **({"Authorization": f"Bearer {token}"} if token else {}),
        },
        timeout=30,
    ).raise_for_status()
