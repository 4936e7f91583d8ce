"""The stand-in Kubernetes cluster with KubeVirt. Its nodes plug into our switches."""

from devstack.lib.part import Part, Program
from devstack.lib.shell import output
from devstack.lib.site import NODES, Site


def _program(site: Site) -> Program:
    return Program(
        (
            *(f"{site.venv}/bin/python", "-m", "devstack.cluster"),
            *("--data", f"{site.data}/cluster"),
            *("--port", str(site.port("cluster"))),
            *("--nodes", ",".join(NODES)),
            *("--kubeconfig", str(site.kubeconfig)),
            *("--ovs-run-dir", str(site.node("{node}"))),
        ),
        port="cluster",
        stop_seconds=20,
    )


def _ready(site: Site) -> bool:
    kubectl = (site.bin / "kubectl", "--kubeconfig", site.kubeconfig, "--request-timeout=5s")
    return site.kubeconfig.exists() and output(*kubectl, "get", "--raw", "/version") is not None


PARTS = (
    Part(
        name="cluster",
        group="cluster",
        needs=("openkeel-environment", "kubectl", *(f"bridges-{node}" for node in NODES)),
        program=_program,
        code=lambda site: site.root / "devstack" / "cluster",
        ready=_ready,
    ),
)
