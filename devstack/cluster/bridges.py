"""What ovs-cni does on a node: an OVS port on br-int that carries the Neutron port's id.

OVN sees the id, binds the logical port, and Neutron tells the compute API. Commands to one node's database
are gathered: while one ovs-vsctl runs the next batch waits, so that fifty boots cost a few processes.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import orjson

LOG = logging.getLogger(__name__)

BRIDGE: Final = "br-int"
OWNER: Final = "openkeel-standin"
TIMEOUT_S: Final = 20
BATCH: Final = 100
SETTLE_AGAIN_S: Final = 2.0

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
        self._settling: set[asyncio.Task[None]] = set()

    def plug(self, plugs: list[Plug], done: Done) -> None:
        self._submit(plugs, _plug_words, done)

    def unplug(self, plugs: list[Plug], done: Done) -> None:
        self._submit(plugs, _unplug_words, done)

    def settle(self, nodes: Iterable[str], wanted: Iterable[Plug]) -> None:
        """After a restart: remove our stale ports, add the missing; retried until a node answers."""
        by_node: dict[str, dict[str, Plug]] = {node: {} for node in nodes}
        for plug in wanted:
            by_node.setdefault(plug.node, {})[plug.device] = plug
        for node, plugs in by_node.items():
            _keep(self._settling, self._settle_node(node, plugs))

    async def _settle_node(self, node: str, plugs: Mapping[str, Plug]) -> None:
        while True:
            present, error = await self._devices(node)
            commands = [["--if-exists", "del-port", BRIDGE, device] for device in present - plugs.keys()]
            commands += [_plug_words(plug) for device, plug in plugs.items() if device not in present]
            for batch in _batches(commands):
                error = error or await self._run(node, _joined(batch))
            if not error:
                return
            LOG.error("%s: the bridge does not settle: %s", node, error)
            await asyncio.sleep(SETTLE_AGAIN_S)

    async def close(self) -> None:
        """Let what runs end; nothing waits for a bridge that does not answer."""
        for task in self._settling:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._settling, return_exceptions=True)

    def _submit(self, plugs: list[Plug], words: Callable[[Plug], list[str]], done: Done) -> None:
        if not plugs:
            done("")
            return
        node = plugs[0].node
        queue = self._queues[node]
        queue.waiting.append((_joined([words(plug) for plug in plugs]), done))
        if not queue.running:
            queue.running = True
            _keep(self._tasks, self._work(node, queue))

    async def _work(self, node: str, queue: _Queue) -> None:
        await asyncio.sleep(0)  # let the other boots of this turn join
        while queue.waiting:
            batch, queue.waiting = queue.waiting[:BATCH], queue.waiting[BATCH:]
            error = await self._run(node, _joined([command for command, _ in batch]))
            for command, done in batch:
                # One bad command spoils the transaction: find out whose it was.
                done(await self._run(node, command) if error and len(batch) > 1 else error)
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

    async def _devices(self, node: str) -> tuple[set[str], str]:
        """The devices this stand-in made on a node, or why they are not known."""
        words = ["--format=json", "--columns=name", "find", "Interface", f"external_ids:owner={OWNER}"]
        output, error = await self._vsctl(node, words)
        return (set(), error) if error else ({row[0] for row in orjson.loads(output)["data"]}, "")


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[None, None, None]) -> None:
    """Run in the background, held until it is done."""
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _joined(commands: Iterable[list[str]]) -> list[str]:
    """Several ovs-vsctl commands as one transaction."""
    words: list[str] = []
    for command in commands:
        words += [*(["--"] if words else []), *command]
    return words


def _batches(commands: list[list[str]]) -> Iterator[list[list[str]]]:
    for start in range(0, len(commands), BATCH):
        yield commands[start : start + BATCH]


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
