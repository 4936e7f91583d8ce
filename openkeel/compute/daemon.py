"""The compute daemon as a whole: its host, its capabilities, its life.

`build_host` composes what the capabilities are given, `ComputeService` runs them. Adding a capability
is adding it to `capabilities`; its remote methods and its periodic work follow.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Protocol

from openkeel.clients.glance.interface import Glance
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock, SystemClock
from openkeel.common.locks import NamedLocks
from openkeel.common.periodic import Periodic, PeriodicRunner
from openkeel.compute.boot import Boot
from openkeel.compute.console import Console
from openkeel.compute.delete import Delete
from openkeel.compute.diagnostics import Diagnostics
from openkeel.compute.endpoint import ComputeEndpoint
from openkeel.compute.events import Events
from openkeel.compute.host import Capability, Host, Rebuilder, SchedulerNews, ServerGroups
from openkeel.compute.host_control import HostControl
from openkeel.compute.identity import NodeIdentity
from openkeel.compute.image_cache import ImageCache
from openkeel.compute.network import Allocator
from openkeel.compute.operation import Notifier, Operations
from openkeel.compute.port_rounds import PortRounds
from openkeel.compute.power import Power
from openkeel.compute.power_sync import PowerSync
from openkeel.compute.recovery import Recovery
from openkeel.compute.settings import Settings
from openkeel.compute.tasks import Tasks, ThreadTasks
from openkeel.compute.tracker import Tracker
from openkeel.compute.usage_audit import UsageAudit
from openkeel.compute.waiters import Waiters
from openkeel.objects.stores import CellStores
from openkeel.virt.driver import Driver

LOG = logging.getLogger(__name__)


class Server(Protocol):
    """What takes messages from the bus (rpc.server.RpcServer)."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def wait(self, timeout_s: float | None = None) -> bool: ...


def build_host(
    name: str,
    *,
    driver: Driver,
    stores: CellStores,
    neutron: Neutron,
    placement: Placement,
    conductor: Rebuilder,
    scheduler: SchedulerNews,
    groups: ServerGroups,
    settings: Settings | None = None,
    clock: Clock | None = None,
    notifier: Notifier | None = None,
    tasks: Tasks | None = None,
) -> Host:
    """Everything that belongs to one host, made once."""
    settings = settings or Settings()
    driver = _without_formats(driver, settings.hidden_image_formats)
    clock = clock or SystemClock()
    locks = NamedLocks()
    return Host(
        name=name,
        node=driver.host.node_name(),
        driver=driver,
        stores=stores,
        placement=placement,
        network=Allocator(name, neutron, stores, locks, clock, settings.port_retries),
        conductor=conductor,
        scheduler=scheduler,
        groups=groups,
        operations=Operations(name, stores, locks, clock, notifier),
        tracker=Tracker(
            name,
            driver,
            stores,
            placement,
            ratios=settings.ratios,
            reserved=settings.reserved,
            identity=NodeIdentity(settings.state_path) if settings.state_path else None,
        ),
        waiters=Waiters(),
        tasks=tasks or ThreadTasks(max_concurrent_builds=settings.max_concurrent_builds),
        locks=locks,
        clock=clock,
        settings=settings,
    )


def _without_formats(driver: Driver, hidden: Collection[str]) -> Driver:
    able = driver.capabilities
    return replace(driver, capabilities=replace(able, image_formats=able.image_formats.difference(hidden)))


class ComputeService:
    """One compute daemon: `start` to `stop`.

    Args:
        host: Made by `build_host`.
        glance: Where images are.
        make_server: Given the endpoint, makes the bus's server; None serves no bus (tests).
    """

    def __init__(
        self, host: Host, glance: Glance, make_server: Callable[[ComputeEndpoint], Server] | None = None
    ) -> None:
        self.host = host
        self.boot = Boot(host)
        self.delete = Delete(host, self.boot)
        self.power = Power(host)
        self.power_sync = PowerSync(host, self.power)
        self.host_control = HostControl(host)
        self.recovery = Recovery(host, self.boot, self.delete, self.power)
        self.capabilities: tuple[Capability, ...] = (
            self.boot,
            self.delete,
            self.power,
            Console(host),
            Diagnostics(),
            Events(host),
            self.host_control,
            ImageCache(host, glance),
            self.power_sync,
            PortRounds(host),
            self.recovery,
            UsageAudit(host),
        )
        self.endpoint = ComputeEndpoint(self.capabilities)
        self._make_server = make_server
        self._server: Server | None = None
        self._runner: PeriodicRunner | None = None

    def periodics(self) -> tuple[Periodic, ...]:
        """The periodic work of all capabilities."""
        return tuple(row for capability in self.capabilities for row in capability.periodics())

    def start(self) -> None:
        """Register the host, recover what was cut off, then take work. Raises: Internal, HostFailure."""
        host = self.host
        host.driver.host.start(self.power_sync.on_event)
        host.tracker.register()
        self.recovery.at_start()
        if self._make_server is not None:
            self._server = self._make_server(self.endpoint)
            self._server.start()
        if host.settings.periodic_enabled:
            self._runner = PeriodicRunner(
                self.periodics(), fuzz_s=host.settings.periodic_fuzz_s, clock=host.clock
            )
            self._runner.start()
        LOG.info("host %s (node %s) takes work", host.name, host.node)

    def stop(self) -> None:
        """Take no more work, give what runs `stop_timeout_s`, and leave the guests alone."""
        host = self.host
        deadline = host.clock.monotonic() + host.settings.stop_timeout_s

        def left_s() -> float:
            return max(0.0, deadline - host.clock.monotonic())

        if self._runner is not None:
            self._runner.stop(timeout_s=min(10.0, left_s()))
        if self._server is not None:
            self._server.stop()
        host.tasks.drain(left_s())
        if self._server is not None:
            self._server.wait(left_s())
        host.driver.host.stop()

    def reload(self) -> None:
        """Nothing the compute reads may change while it runs."""
