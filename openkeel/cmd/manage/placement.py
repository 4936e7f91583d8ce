"""`placement`: what Placement must know about hosts. Contract: exit codes of manage_cli.json."""

from typing import Any, Final

from oslo_config import cfg

from openkeel.clients import errors
from openkeel.clients.placement.client import make_client
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.db.cells import CellDirectory

_AMBIGUOUS: Final = 1
_PLACEMENT_FAILED: Final = 2
_NOT_UPDATED: Final = 3
_NO_HOST: Final = 4
_NO_NODE: Final = 5
_NO_PROVIDER: Final = 6


class _Problem(Exception):
    """A host whose aggregates cannot be written, and the exit code for it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _sync_aggregates(conf: cfg.ConfigOpts, args: Any) -> int:
    """Every host is tried; the code is that of the first that failed."""
    placement = make_client(conf)
    cells = cell_directory(conf)
    codes = []
    try:
        for aggregate in cells.api.aggregates.list():
            for host in aggregate.hosts:
                try:
                    node_uuid = _node_uuid(cells, host)
                    _add(placement, node_uuid, aggregate.uuid, host)
                except _Problem as problem:
                    complain(str(problem))
                    codes.append(problem.code)
                    continue
                if args.verbose:
                    say(f"Host {host} is in aggregate {aggregate.uuid}.")
    finally:
        cells.close()
    return codes[0] if codes else 0


def _node_uuid(cells: CellDirectory, host: str) -> str:
    mapping = cells.api.host_mappings.find(host)
    if mapping is None:
        raise _Problem(_NO_HOST, f"Host {host} is mapped to no cell.")
    nodes = cells.cell(mapping.cell_mapping.uuid).compute_nodes.list_by_host(host)
    if not nodes:
        raise _Problem(_NO_NODE, f"Host {host} has no compute node.")
    if len(nodes) > 1:
        raise _Problem(_AMBIGUOUS, f"Host {host} has several compute nodes: which is in the aggregate?")
    return str(nodes[0].uuid)


def _add(placement: Any, node_uuid: str, aggregate_uuid: str, host: str) -> None:
    try:
        placement.set_aggregate_member(node_uuid, aggregate_uuid, member=True)
    except errors.NotFound as error:
        raise _Problem(_NO_PROVIDER, f"Placement knows no provider {node_uuid} of host {host}.") from error
    except errors.Conflict as error:
        raise _Problem(_NOT_UPDATED, f"The aggregates of host {host} were not changed: {error}") from error
    except errors.ServiceError as error:
        raise _Problem(_PLACEMENT_FAILED, f"Placement failed over host {host}: {error}") from error


COMMANDS: Final = (
    Command(
        "sync_aggregates",
        _sync_aggregates,
        "Tell Placement which hosts are in which aggregates.",
        [argument("--verbose", action="store_true", default=False, help="Name every host.")],
    ),
)
