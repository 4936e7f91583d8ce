"""The life of a server, as every swap must be able to give it."""

from typing import Any

from tests.interop.client import Client
from tests.interop.swap import Swap


def live(swap: Swap, cloud: Client, host: str | None = None, name: str = "interop") -> None:
    """Boot, stop, start, reboot both ways, delete; then nothing is left."""
    with swap.step("boot"):
        server = cloud.boot(name, host=host)
        where = server["OS-EXT-SRV-ATTR:host"]
        assert host in {None, where}
        assert server["addresses"]["private"]
        check_allocation(cloud, server)
    with swap.step("stop"):
        cloud.stop(server["id"])
    with swap.step("start"):
        cloud.start(server["id"])
    with swap.step("reboot soft and hard"):
        cloud.reboot(server["id"], "SOFT")
        cloud.reboot(server["id"], "HARD")
    with swap.step("read its actions"):
        for action in ("create", "stop", "start", "reboot"):
            cloud.await_action(server["id"], action)
    with swap.step("delete"):
        cloud.delete(server["id"])
        assert not cloud.leftovers()


def check_allocation(cloud: Client, server: dict[str, Any]) -> None:
    """The server holds its flavor in Placement, on its node and nowhere else."""
    holders = {name: rows for name, rows in cloud.allocations().items() if server["id"] in rows}
    node = server["OS-EXT-SRV-ATTR:hypervisor_hostname"]
    assert set(holders) == {node}, f"{server['id']} on {node} holds {holders}"
    assert holders[node][server["id"]]["VCPU"] == server["flavor"]["vcpus"]
