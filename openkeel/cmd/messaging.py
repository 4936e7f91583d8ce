"""The message bus as the daemons use it: one set of connections and clients for a process."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from oslo_config import cfg

from openkeel.common.context import admin_context
from openkeel.rpc.base import BaseClient
from openkeel.rpc.client import Timeouts
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.conductor import ComputeTaskClient, ConductorClient
from openkeel.rpc.patience import LOST
from openkeel.rpc.scheduler import SchedulerClient
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports
from openkeel.rpc.versions import resolve_cap

LOG = logging.getLogger(__name__)

_PING_S: Final = 10


class Messaging:
    """Made after the fork. Clients are made when first asked for."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        transports: Transports,
        minimum_compute: Callable[[], int] | None = None,
        *,
        is_conductor: bool = False,
    ) -> None:
        """`minimum_compute` is asked when `upgrade_levels.compute` is auto.

        Objects from the future are brought down by a conductor; conductors have nobody to ask.
        """
        self._levels = conf.upgrade_levels
        self._timeouts = Timeouts(answer_s=conf.rpc_response_timeout, long_s=conf.long_rpc_timeout)
        self._pulse_s = max(1, min(conf.report_interval, conf.rpc_response_timeout))
        self._minimum_compute = minimum_compute
        self._computes: dict[str | None, ComputeClient] = {}
        for service in ("baseapi", "compute", "conductor", "scheduler"):
            resolve_cap(service, self._levels[service])  # what cannot be meant ends the daemon here
        self._is_conductor = is_conductor
        self.transports = transports

    @cached_property
    def _serializer(self) -> WireSerializer:
        return WireSerializer() if self._is_conductor else self.conductor.serializer

    @cached_property
    def conductor(self) -> ConductorClient:
        """Data of our own cell."""
        return self._conductor(self._timeouts)

    @cached_property
    def pulse(self) -> ConductorClient:
        """The same for heartbeats: when the next one is due, nobody waits for the answer to the last."""
        return self._conductor(replace(self._timeouts, answer_s=self._pulse_s))

    def _conductor(self, timeouts: Timeouts) -> ConductorClient:
        return ConductorClient(
            self.transports.get(),
            timeouts=timeouts,
            version_cap=resolve_cap("conductor", self._levels.conductor),
        )

    @cached_property
    def tasks(self) -> ComputeTaskClient:
        """Work across hosts."""
        return ComputeTaskClient(self.transports.get(), self._serializer, timeouts=self._timeouts)

    @cached_property
    def scheduler(self) -> SchedulerClient:
        """Where a server goes."""
        return SchedulerClient(
            self.transports.get(),
            self._serializer,
            timeouts=self._timeouts,
            version_cap=resolve_cap("scheduler", self._levels.scheduler),
        )

    def computes(self, transport_url: str | None = None) -> ComputeClient:
        """The computes of a cell, by the transport URL of its mapping."""
        if transport_url not in self._computes:
            self._computes[transport_url] = ComputeClient(
                self.transports.get(transport_url),
                self._serializer,
                timeouts=self._timeouts,
                version_cap=resolve_cap("compute", self._levels.compute, self._minimum_compute),
            )
        return self._computes[transport_url]

    def await_conductor(self) -> None:
        """Return when a conductor of our cell answers: nothing of a compute works before."""
        asked = BaseClient(
            "conductor",
            self.transports.get(),
            self._serializer,
            timeouts=Timeouts(answer_s=min(self._timeouts.answer_s, _PING_S)),
            version_cap=resolve_cap("baseapi", self._levels.baseapi),
        )
        is_told = False
        while True:
            try:
                asked.ping(admin_context(), arg="ready?")
            except LOST as error:
                if not is_told:
                    LOG.warning("no conductor answers, waiting for one: %s", error)
                is_told = True
            else:
                return

    def forget_levels(self) -> None:
        """Computes may have been upgraded: look anew what they understand."""
        self._computes = {}

    def server(self, topics: Sequence[str], host: str, endpoints: Sequence[Any], service: str) -> RpcServer:
        """A server of our own cell's bus."""
        return RpcServer(self.transports.get(), topics, host, endpoints, self._serializer, service=service)

    def close(self) -> None:
        """The last thing a daemon does."""
        self.transports.close()
