"""The management commands of both on one set of databases."""

import subprocess

from devstack.lib.site import NODES
from tests.interop import openkeel_daemons
from tests.interop.nodes import make_predictable
from tests.interop.nova_daemons import common_file, nova_compute

NODE, OTHER = NODES


def test_both_tell_the_same_of_cells_and_hosts(swap):
    for words in (
        ("cell_v2", "list_cells"),
        ("cell_v2", "list_cells", "--verbose"),
        ("cell_v2", "list_hosts"),
        ("db", "version"),
        ("api_db", "version"),
    ):
        with swap.step(" ".join(words)):
            nova, ours = _nova(swap, *words), _ours(swap, *words)
            assert (ours.returncode, _said(ours)) == (nova.returncode, _said(nova))


def test_nova_manage_finds_our_hosts(swap, cloud):
    """A host of ours that is not mapped is mapped by nova-manage, and known to our scheduler."""
    make_predictable(swap.site, cloud, NODE)
    with swap.step("take a host out"):
        swap.openkeel.stop(openkeel_daemons.compute(NODE))
        cloud.request("DELETE", f"/os-services/{cloud.services()['nova-compute', NODE]['id']}")
        assert NODE not in _nova(swap, "cell_v2", "list_hosts").stdout
        swap.openkeel.start(openkeel_daemons.compute(NODE))
    with swap.step("nova-manage cell_v2 discover_hosts"):
        found = _nova(swap, "cell_v2", "discover_hosts", "--verbose")
        assert found.returncode == 0, found.stdout + found.stderr
        assert NODE in _ours(swap, "cell_v2", "list_hosts").stdout
    with swap.step("boot there"):
        cloud.delete(cloud.boot("found", host=NODE)["id"])


def test_openkeel_manage_finds_novas_hosts(swap, cloud):
    make_predictable(swap.site, cloud, NODE)
    with swap.step("take a host out"):
        swap.take_out(openkeel_daemons.compute(NODE))
        cloud.request("DELETE", f"/os-services/{cloud.services()['nova-compute', NODE]['id']}")
    for text in ("If this is the first time", "No compute node record for"):
        swap.expect("nova-compute", text, "it is the first time")
    swap.put_in(nova_compute(swap.nova, swap.site, NODE))
    with swap.step("openkeel-manage cell_v2 discover_hosts"):
        found = _ours(swap, "cell_v2", "discover_hosts", "--verbose")
        assert found.returncode == 0, found.stdout + found.stderr
        assert NODE in _nova(swap, "cell_v2", "list_hosts").stdout
    with swap.step("boot there"):
        cloud.delete(cloud.boot("found", host=NODE)["id"])


def test_neither_finds_anything_to_change_in_the_others_schema(swap):
    for words in (("api_db", "sync"), ("db", "sync"), ("db", "online_data_migrations")):
        with swap.step(" ".join(words)):
            nova, ours = _nova(swap, *words), _ours(swap, *words)
            assert nova.returncode == 0, nova.stdout + nova.stderr
            assert ours.returncode == 0, ours.stdout + ours.stderr


def _said(done: "subprocess.CompletedProcess[str]") -> list[list[str]]:
    """Words by line; Nova's log goes to the same place, and it writes the URL of no bus a little shorter."""
    lines = [line.replace("none:///", "none:/") for line in done.stdout.splitlines() if " INFO " not in line]
    return [line.split() for line in lines if not line.startswith("+")]


def _nova(swap, *words: str) -> "subprocess.CompletedProcess[str]":
    return swap.nova.manage(*words, files=(common_file(swap.site),))


def _ours(swap, *words: str) -> "subprocess.CompletedProcess[str]":
    program = swap.site.venv / "bin" / "openkeel-manage"
    return subprocess.run(
        [str(program), "--config-file", str(common_file(swap.site)), *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
