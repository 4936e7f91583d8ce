"""Choosing hosts: ask Placement, look at the hosts, decide, claim.

The decision is pure and may be wrong by the time it is made: other schedulers run beside us. The claim
in Placement is what counts; one that is refused moves on to the next candidate. All claims of a call
are undone together when the call fails.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from openkeel.clients import errors as service_errors
from openkeel.clients.placement.interface import Placement
from openkeel.clients.placement.types import AllocationRequest, Candidates
from openkeel.common.clock import Clock
from openkeel.common.undo import Undo
from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.aggregates import AggregateCache
from openkeel.scheduler.host_state import AggregateFacts, HostState, Liveness, make_host_state
from openkeel.scheduler.occupancy import Occupancy
from openkeel.scheduler.pipeline import Pipeline, Tally
from openkeel.scheduler.reads import Reads
from openkeel.scheduler.request import Request
from openkeel.scheduler.request_filters import RequestFilterSettings, Surroundings, apply_request_filters
from openkeel.scheduler.resources import candidate_query, summary

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SelectorSettings:
    """Options of [scheduler] and of the services, under their own names."""

    max_attempts: int = 3
    max_placement_results: int = 1000
    service_down_time: int = 60
    default_availability_zone: str = "nova"
    weighs_image_properties: bool = False
    request_filters: RequestFilterSettings = field(default_factory=RequestFilterSettings)


@dataclass(frozen=True, slots=True)
class Choice:
    """A host for one server and the way Placement offers (or has granted) it."""

    host: HostState
    allocation: AllocationRequest
    availability_zone: str


class Selector:
    """Decides and claims. Safe for threads: a call keeps what it knows to itself."""

    def __init__(
        self,
        placement: Placement,
        reads: Reads,
        pipeline: Pipeline,
        *,
        aggregates: AggregateCache,
        occupancy: Occupancy,
        clock: Clock,
        settings: SelectorSettings | None = None,
    ) -> None:
        self._placement = placement
        self._reads = reads
        self._pipeline = pipeline
        self._aggregates = aggregates
        self._occupancy = occupancy
        self._clock = clock
        self._settings = settings or SelectorSettings()

    def select(
        self,
        spec: Any,
        instance_uuids: Sequence[str],
        *,
        with_alternates: bool,
        on_candidates: Callable[[], None] = lambda: None,
    ) -> list[list[Choice]]:
        """For each server its host, claimed, and then its alternates, not claimed.

        `on_candidates` is called when there are hosts with room, before they are compared.

        Raises: NoValidHost, which says what refused how many hosts; Unavailable. Nothing stays claimed.
        """
        aggregates = self._aggregates.all()
        around = Surroundings(aggregates, self._settings.request_filters)
        request = apply_request_filters(Request.from_spec(spec), around)
        request, places = self._with_other_servers(request)
        call = _Call(request, self._hosts(request, aggregates, places))
        on_candidates()
        with Undo("scheduling", ", ".join(instance_uuids)) as undo:
            chosen = [self._claimed(call, uuid, undo) for uuid in instance_uuids]
        if request.group is not None:
            for uuid, choice in zip(instance_uuids, chosen, strict=True):
                self._occupancy.put(choice.host.host, [uuid])
        if not with_alternates:
            return [[choice] for choice in chosen]
        return self._with_alternates(call, chosen)

    # What is asked

    def _with_other_servers(self, request: Request) -> tuple[Request, Mapping[str, str]]:
        """The request with its server group as it is now; on which host each server of interest is."""
        group = request.group
        if group is None:
            return request, self._places(request.named_servers)
        members = group.members | self._reads.group_members(group.uuid)
        places = self._places(members | request.named_servers)
        hosts = group.hosts | {places[member] for member in members & places.keys()}
        return replace(request, group=replace(group, members=members, hosts=hosts)), places

    def _places(self, instance_uuids: frozenset[str]) -> Mapping[str, str]:
        if not instance_uuids:
            return {}
        places = dict(self._occupancy.hosts_of(instance_uuids))
        places.update(self._reads.hosts_of(instance_uuids - places.keys()))
        return places

    def _candidates(self, request: Request) -> Candidates:
        query = candidate_query(
            request, limit=self._settings.max_placement_results, in_tree=self._only_node(request)
        )
        try:
            candidates = self._placement.allocation_candidates(query)
        except service_errors.Rejected as error:
            raise NoValidHost(reason=f"Placement refuses the request: {error.detail}") from error
        if not candidates.requests:
            LOG.info("no candidates in Placement for %s", query)
            raise NoValidHost(reason=f"No host has room for {summary(query)}.")
        return candidates

    def _only_node(self, request: Request) -> str | None:
        """The node's uuid when the request allows just one, so that Placement looks nowhere else."""
        hosts = request.force_hosts or ((request.target.host,) if request.target.host else ())
        nodes = request.force_nodes or ((request.target.node,) if request.target.node else ())
        if not hosts and not nodes:
            return None
        uuids = self._reads.node_uuids(hosts, nodes)
        if not uuids:
            raise NoValidHost(reason="The host that the request names does not exist.")
        return uuids[0] if len(uuids) == 1 else None

    def _hosts(
        self, request: Request, aggregates: Sequence[AggregateFacts], places: Mapping[str, str]
    ) -> list[HostState]:
        """The hosts Placement offers, in its order, as they are now."""
        offers = self._candidates(request).by_root()
        liveness = Liveness(self._clock.now(), self._settings.service_down_time)
        states = {
            record.node.uuid: make_host_state(
                record.node,
                record.service,
                cell_uuid=record.cell_uuid,
                liveness=liveness,
                aggregates=aggregates,
                offers=offers[record.node.uuid],
            )
            for record in self._reads.nodes(offers.keys())
        }
        unknown = len(offers) - len(states)
        if unknown:
            LOG.info("%d candidates of Placement are no compute nodes of an enabled cell", unknown)
        if not states:
            raise NoValidHost(reason="None of the hosts with room is known to a cell.")
        hosts = [states[uuid] for uuid in offers if uuid in states]
        return self._with_occupants(hosts, places)

    def _with_occupants(self, hosts: list[HostState], places: Mapping[str, str]) -> list[HostState]:
        if places:
            on_host: dict[str, set[str]] = defaultdict(set)
            for uuid, host_name in places.items():
                on_host[host_name].add(uuid)
            hosts = [replace(host, instances=frozenset(on_host[host.host])) for host in hosts]
        if self._settings.weighs_image_properties:
            properties = self._reads.image_properties_on([host.host for host in hosts])
            hosts = [replace(host, image_properties=tuple(properties.get(host.host, ()))) for host in hosts]
        return hosts

    # Deciding and claiming

    def _claimed(self, call: "_Call", instance_uuid: str, undo: Undo) -> Choice:
        tally = Tally()
        refused = 0
        for host in self._pipeline.ranked(call.hosts(), call.request, tally):
            allocation = self._claim_on(host, call, instance_uuid, undo)
            if allocation is not None:
                call.take(host, allocation, instance_uuid)
                return self._choice(host, allocation)
            refused += 1
        if refused:
            tally.add("Placement", "its room was taken meanwhile", count=refused)
        raise NoValidHost(reason=f"Of {call.count} with room, {tally}.")

    def _claim_on(
        self, host: HostState, call: "_Call", instance_uuid: str, undo: Undo
    ) -> AllocationRequest | None:
        """Claim one of the host's offers; None when all are refused."""
        request = call.request
        for offer in host.offers:
            try:
                self._placement.claim(instance_uuid, offer, request.project_id, request.user_id)
            except service_errors.ConsumerInUse as error:
                # They belong to another delivery of this request: not ours to undo.
                raise NoValidHost(reason="The server has resources on a host already.") from error
            except (service_errors.Conflict, service_errors.Rejected) as error:
                LOG.debug("claim of %s on %s refused: %s", instance_uuid, host.host, error)
                call.withdraw(host, offer)
            except service_errors.ServiceError:
                # The answer is lost, the claim perhaps not.
                undo.add("allocations", self._placement.delete_allocations, instance_uuid)
                raise
            else:
                undo.add("allocations", self._placement.delete_allocations, instance_uuid)
                return offer
        return None

    def _with_alternates(self, call: "_Call", chosen: Sequence[Choice]) -> list[list[Choice]]:
        """Further hosts per server, in its host's cell, none of them chosen for any server."""
        wanted = self._settings.max_attempts - 1
        if wanted <= 0 or call.request.is_forced:
            return [[choice] for choice in chosen]
        taken = {choice.host.uuid for choice in chosen}
        spare = [
            host
            for host in self._pipeline.ranked(call.hosts(), call.request, Tally())
            if host.uuid not in taken and host.offers
        ]
        return [
            [
                choice,
                *[
                    self._choice(host, host.offers[0])
                    for host in spare
                    if host.cell_uuid == choice.host.cell_uuid
                ][:wanted],
            ]
            for choice in chosen
        ]

    def _choice(self, host: HostState, allocation: AllocationRequest) -> Choice:
        zone = next(iter(host.zones), self._settings.default_availability_zone)
        return Choice(host, allocation, zone)


class _Call:
    """What one call knows: the request and the hosts, both changed by every server placed."""

    def __init__(self, request: Request, hosts: Sequence[HostState]) -> None:
        self.request = request
        self.count = f"{len(hosts)} host{'' if len(hosts) == 1 else 's'}"
        self._hosts = {host.uuid: host for host in hosts}

    def hosts(self) -> list[HostState]:
        """The hosts as they are after what was placed so far."""
        return list(self._hosts.values())

    def take(self, host: HostState, allocation: AllocationRequest, instance_uuid: str) -> None:
        """A server was placed."""
        self._hosts[host.uuid] = self._hosts[host.uuid].with_instance(instance_uuid, self.request, allocation)
        if self.request.group is not None:
            group = self.request.group.with_member(instance_uuid, host.host)
            self.request = replace(self.request, group=group)

    def withdraw(self, host: HostState, offer: AllocationRequest) -> None:
        """Placement refused an offer: nobody needs to try it again in this call."""
        self._hosts[host.uuid] = self._hosts[host.uuid].without_offer(offer)
