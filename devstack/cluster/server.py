"""Puts the parts together and serves them."""

import asyncio
import logging
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aiohttp import web

from devstack.cluster.admin import PREFIX, Admin
from devstack.cluster.api import Api, ApiSettings
from devstack.cluster.bridges import Bridges, NoBridges, OvsBridges, Plug
from devstack.cluster.clock import Clock, LoopClock
from devstack.cluster.controllers.claims import ClaimController, VolumeController
from devstack.cluster.controllers.data_volumes import DataVolumeController
from devstack.cluster.controllers.garbage import GarbageCollector, NamespaceController
from devstack.cluster.controllers.instances import InstanceController
from devstack.cluster.controllers.machines import MachineController
from devstack.cluster.controllers.placement import Placement
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.pods import PodController
from devstack.cluster.controllers.runtime import Controller, Runtime
from devstack.cluster.controllers.storage_profiles import StorageProfileController
from devstack.cluster.faults import Faults
from devstack.cluster.guests import SimulatedGuests
from devstack.cluster.imports import HttpImporter, Importer
from devstack.cluster.journal import SqliteJournal
from devstack.cluster.logs import Logs
from devstack.cluster.objects import Key
from devstack.cluster.registry import Registry
from devstack.cluster.requests import MAX_BODY
from devstack.cluster.schema import published
from devstack.cluster.seed import NodeSize, seed
from devstack.cluster.store import Store
from devstack.cluster.subresources import Subresources
from devstack.cluster.timings import Timings
from devstack.cluster.watch import WatchHub

LOG = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
BACKLOG: Final = 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """One stand-in cluster."""

    data: Path
    port: int
    nodes: tuple[str, ...]
    kubeconfig: Path | None = None
    ovs_run_dir: str = ""
    token: str = ""
    token_required: bool = False
    validation: str = "Strict"
    history: int = 2000
    bookmark_s: float = 60.0
    size: NodeSize = field(default_factory=NodeSize)
    timings: Timings = field(default_factory=Timings)


@dataclass
class ControlPlane:
    """Store, registry and controllers: the cluster without its HTTP face."""

    plane: Plane
    runtime: Runtime
    pods: PodController
    instances: InstanceController

    def start(self) -> list[Plug]:
        """Take up what an earlier process left, and begin; returns what is plugged for the running guests."""
        self.instances.adopt()
        plugged = self.pods.adopt()
        self.runtime.start()
        return plugged

    @classmethod
    def build(
        cls, store: Store, clock: Clock, timings: Timings, bridges: Bridges, importer: Importer
    ) -> "ControlPlane":
        faults = Faults()
        guests = SimulatedGuests(clock, timings, faults)
        registry = Registry(store, clock, published())
        plane = Plane(registry, faults, timings, guests, bridges, importer)
        placement = Placement(store)
        due: dict[str, Runtime] = {}

        def pod_again(key: Key) -> None:
            due["runtime"].enqueue(pods, key)

        def volume_again(key: Key) -> None:
            due["runtime"].enqueue(volumes, key)

        pods = PodController(plane, placement, pod_again)
        volumes = DataVolumeController(plane, volume_again)
        instances = InstanceController(plane, placement)
        controllers: list[Controller] = [
            MachineController(plane),
            instances,
            pods,
            volumes,
            ClaimController(plane),
            VolumeController(plane),
            StorageProfileController(plane),
            GarbageCollector(plane),
            NamespaceController(plane),
        ]
        runtime = due["runtime"] = Runtime(store, clock, controllers)

        def guest_changed(uid: str) -> None:
            key = instances.guest_changed(uid)
            if key:
                runtime.enqueue(instances, key)

        guests.watch(guest_changed)
        return cls(plane, runtime, pods, instances)


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    return listener


async def serve(settings: Settings, ready: asyncio.Event | None = None) -> None:
    """Run the cluster until cancelled."""
    listener = _listen(settings.port)  # first of all: a second server must not touch anything
    clock = LoopClock()
    journal = SqliteJournal(settings.data / "objects.sqlite", clock.call_soon)
    store = Store(history=settings.history, journal=journal, version=journal.version())
    journal.load_into(store)
    bridges = OvsBridges(settings.ovs_run_dir) if settings.ovs_run_dir else None
    importer = HttpImporter()
    control = ControlPlane.build(store, clock, settings.timings, bridges or NoBridges(), importer)
    hub = WatchHub(store)
    plane = control.plane
    api = Api(
        plane.registry,
        hub,
        Subresources(plane),
        Logs(store, plane.guests, clock),
        plane.faults,
        ApiSettings(settings.token, settings.token_required, settings.validation, settings.bookmark_s),
    )
    admin = Admin(plane, hub, api.pages)
    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_route("*", PREFIX + "{tail:.*}", admin.handle)
    app.router.add_route("*", "/{tail:.*}", api.handle)
    seed(plane.registry, settings.nodes, settings.size)
    plugged = control.start()
    if bridges:
        bridges.settle(settings.nodes, plugged)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0, handle_signals=False)
    await runner.setup()
    try:
        await web.SockSite(runner, listener, backlog=BACKLOG).start()
        LOG.info("serving on http://%s:%d", HOST, settings.port)
        if ready:
            ready.set()
        await asyncio.Event().wait()
    finally:
        for watcher in hub.watchers():
            watcher.close()
        await runner.cleanup()
        await importer.close()
        if bridges:
            await bridges.close()
        journal.close()
