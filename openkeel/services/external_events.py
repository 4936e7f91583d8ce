"""What other services report about servers, handed on to the hosts.

Neutron says that a port was plugged, Cinder that a volume grew. Every event gets its own verdict;
the good ones go to their hosts, one message a host. Contract: external_event_result_codes of
states.json.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.services.power import ComputeOf

LOG = logging.getLogger(__name__)

NEED_A_TAG: Final = frozenset({"accelerator-request-bound", "power-update", "volume-extended"})

ACCEPTED: Final = 200
NO_TAG: Final = 400
NO_SERVER: Final = 404
NO_HOST: Final = 422
_SENT_WITH: Final = ("flavor", "info_cache", "metadata", "system_metadata")


@dataclass(frozen=True, slots=True)
class ExternalEvent:
    """One report."""

    name: str
    server_uuid: str
    status: str = "completed"
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a report."""

    event: ExternalEvent
    code: int

    @property
    def is_accepted(self) -> bool:
        return self.code == ACCEPTED


@dataclass(frozen=True, slots=True)
class _Server:
    instance: objects.Instance
    cell: CellStores


class ExternalEventService:
    """Hands reports on."""

    def __init__(self, cells: CellDirectory, compute_of: ComputeOf) -> None:
        self._cells = cells
        self._compute_of = compute_of

    def deliver(self, ctx: Context, events: Sequence[ExternalEvent]) -> list[Verdict]:
        """Judge every event and send the accepted ones. Returns: verdicts in the order of the events.

        Raises: Unavailable when RabbitMQ is down: the reporting service tries again.
        """
        servers = self._servers({event.server_uuid for event in events})
        verdicts = [Verdict(event, _judge(event, servers.get(event.server_uuid))) for event in events]
        accepted = [verdict.event for verdict in verdicts if verdict.is_accepted]
        self._send(ctx, accepted, servers)
        return verdicts

    def _servers(self, uuids: Iterable[str]) -> Mapping[str, _Server]:
        by_cell: dict[str, list[str]] = defaultdict(list)
        for mapping in self._cells.api.instance_mappings.list_by_uuids(sorted(uuids)):
            if mapping.cell_mapping is not None:
                by_cell[mapping.cell_mapping.uuid].append(mapping.instance_uuid)
        found = {}
        for cell_uuid, in_cell in by_cell.items():
            cell = self._cells.cell(cell_uuid)
            for instance in cell.instances.list_by_filters({"uuid": in_cell}, expected_attrs=_SENT_WITH):
                found[instance.uuid] = _Server(instance, cell)
        return found

    def _send(self, ctx: Context, events: Sequence[ExternalEvent], servers: Mapping[str, _Server]) -> None:
        by_host: dict[tuple[str, str], list[ExternalEvent]] = defaultdict(list)
        for event in events:
            server = servers[event.server_uuid]
            by_host[server.cell.mapping.uuid, str(server.instance.host)].append(event)
        for (_, host), together in by_host.items():
            uuids = dict.fromkeys(event.server_uuid for event in together)
            cell = servers[together[0].server_uuid].cell
            LOG.info("host %s is told of %d external events", host, len(together))
            self._compute_of(cell).external_instance_event(
                ctx,
                host=host,
                instances=[servers[uuid].instance for uuid in uuids],
                events=[_wire(event) for event in together],
            )


def _judge(event: ExternalEvent, server: _Server | None) -> int:
    if server is None:
        return NO_SERVER
    if event.tag is None and event.name in NEED_A_TAG:
        return NO_TAG
    return ACCEPTED if server.instance.host else NO_HOST


def _wire(event: ExternalEvent) -> objects.InstanceExternalEvent:
    return objects.InstanceExternalEvent(
        instance_uuid=event.server_uuid,
        name=event.name,
        status=event.status,
        tag=event.tag,
        data={},
    )
