"""What ovs-cni does on a node: an OVS port on br-int that carries the Neutron port's id.

OVN sees the id, binds the logical port, and Neutron tells the compute API. Commands to one node's database
are gathered: while one ovs-vsctl runs the next batch waits, so that fifty boots cost a few processes.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import orjson

LOG = logging.getLogger(__name__)

BRIDGE: Final = "br-int"
OWNER: Final = "openkeel-standin"
TIMEOUT_S: Final = 20

Done = Callable[[str], None]
"""Called with the error, empty on success."""


@dataclass(frozen=True, slots=True)
class Plug:
    """One interface of one pod on a node's bridge."""

    node: str
    port_id: str
    mac: str
    machine_uuid: str
    mtu: int | None = None
    bridge: str = BRIDGE

    @property
    def device(self) -> str:
        """The interface's name: as Neutron names TAP devices, 14 characters."""
        return f"tap{self.port_id[:11]}"


class Bridges(Protocol):
    def plug(self, plugs: list[Plug], done: Done) -> None: ...

    def unplug(self, plugs: list[Plug], done: Done) -> None: ...


class NoBridges:
    """A cluster without a network: everything is plugged at once, nowhere."""

    def plug(self, plugs: list[Plug], done: Done) -> None:
        del plugs
        done("")

    def unplug(self, plugs: list[Plug], done: Done) -> None:
        del plugs
        done("")


@dataclass
class _Queue:
    waiting: list[tuple[list[str], Done]] = field(default_factory=list)
    running: bool = False


class OvsBridges:
    """The nodes' Open vSwitch databases, each at `run_dir` with {node} filled in."""

    def __init__(self, run_dir: str) -> None:
        self._run_dir = run_dir
        self._queues: dict[str, _Queue] = defaultdict(_Queue)
        self._tasks: set[asyncio.Task[None]] = set()

    def plug(self, plugs: list[Plug], done: Done) -> None:
        self._submit(plugs, _plug_words, done)

    def unplug(self, plugs: list[Plug], done: Done) -> None:
        self._submit(plugs, _unplug_words, done)

    async def settle(self, nodes: Iterable[str], wanted: Iterable[Plug]) -> None:
        """After a restart: remove our ports nobody wants, add the wanted ones that are missing."""
        by_node: dict[str, dict[str, Plug]] = {node: {} for node in nodes}
        for plug in wanted:
            by_node.setdefault(plug.node, {})[plug.device] = plug
        for node, plugs in by_node.items():
            present = await self._devices(node)
            for device in present - plugs.keys():
                await self._run(node, ["--if-exists", "del-port", BRIDGE, device])
            missing = [plug for device, plug in plugs.items() if device not in present]
            if missing:
                self.plug(missing, _complain)

    async def close(self) -> None:
        """Wait for what runs."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _submit(self, plugs: list[Plug], words: Callable[[Plug], list[str]], done: Done) -> None:
        if not plugs:
            done("")
            return
        node = plugs[0].node
        command: list[str] = []
        for plug in plugs:
            command += [*(["--"] if command else []), *words(plug)]
        queue = self._queues[node]
        queue.waiting.append((command, done))
        if not queue.running:
            queue.running = True
            task = asyncio.get_running_loop().create_task(self._work(node, queue))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work(self, node: str, queue: _Queue) -> None:
        await asyncio.sleep(0)  # let the other boots of this turn join
        while queue.waiting:
            batch, queue.waiting = queue.waiting, []
            joined: list[str] = []
            for command, _ in batch:
                joined += [*(["--"] if joined else []), *command]
            error = await self._run(node, joined)
            if error and len(batch) > 1:
                # One bad command spoils the transaction: find out whose it was.
                for command, done in batch:
                    done(await self._run(node, command))
                continue
            for _, done in batch:
                done(error)
        queue.running = False

    def _socket(self, node: str) -> str:
        place = Path(self._run_dir.replace("{node}", node))
        return str(place if place.suffix == ".sock" else place / "db.sock")

    async def _run(self, node: str, words: list[str]) -> str:
        _, error = await self._vsctl(node, words)
        return error

    async def _vsctl(self, node: str, words: list[str]) -> tuple[bytes, str]:
        base = ["ovs-vsctl", f"--db=unix:{self._socket(node)}", f"--timeout={TIMEOUT_S}"]
        try:
            process = await asyncio.create_subprocess_exec(
                *base, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
        except OSError as error:
            return b"", f"cannot run ovs-vsctl: {error}"
        output, complaint = await process.communicate()
        return output, "" if process.returncode == 0 else complaint.decode(
            errors="replace"
        ).strip() or "ovs-vsctl failed"

    async def _devices(self, node: str) -> set[str]:
        """The devices this stand-in made on a node."""
        words = ["--format=json", "--columns=name", "find", "Interface", f"external_ids:owner={OWNER}"]
        output, error = await self._vsctl(node, words)
        if error:
            LOG.error("%s: %s", node, error)
            return set()
        return {row[0] for row in orjson.loads(output)["data"]}


def _complain(error: str) -> None:
    if error:
        LOG.error("plugging again failed: %s", error)


def _plug_words(plug: Plug) -> list[str]:
    return [
        "--may-exist",
        "add-port",
        plug.bridge,
        plug.device,
        "--",
        "set",
        "Interface",
        plug.device,
        "type=internal",
        f'mac="{plug.mac}"',
        *([f"mtu_request={plug.mtu}"] if plug.mtu else []),
        f"external_ids:iface-id={plug.port_id}",
        f'external_ids:attached-mac="{plug.mac}"',
        f"external_ids:vm-uuid={plug.machine_uuid}",
        "external_ids:iface-status=active",
        f"external_ids:owner={OWNER}",
    ]


def _unplug_words(plug: Plug) -> list[str]:
    return ["--if-exists", "del-port", plug.bridge, plug.device]
