"""`db ironic_compute_node_move`: a bare metal node and its servers go to another compute of Nova's.

OpenKeel drives no bare metal, but its control plane has Nova's computes that do. Contract: what Nova's
documents say of the command.
"""

from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, say
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.services import COMPUTE
from openkeel.domain.errors import ComputeHostNotFound, Conflict, Invalid, NotFound


def _move(conf: cfg.ConfigOpts, args: Any) -> int:
    if not (args.compute_node_uuid and args.destination_service_host):
        raise Invalid("Both --ironic-node-uuid and --destination-host are needed.")
    cells = cell_directory(conf)
    try:
        cell, node = _find(cells, args.compute_node_uuid)
        source, target = node.host, args.destination_service_host
        service = cell.services.find(target, COMPUTE)
        if service is None:
            raise ComputeHostNotFound(host=target)
        present = cell.services.find(source, COMPUTE)
        if present is not None and not present.forced_down:
            raise Conflict(f"The compute service of host {source} must be forced down before its nodes move.")
        # The node last: whoever was cut off finds it at its old host, and the rest of its servers by it.
        for instance in cell.instances.list_by_host(source, node=node.hypervisor_hostname):
            instance.host = target
            cell.instances.save(instance)
            say(f"Instance {instance.uuid} belongs to host {target} now.")
        node.host, node.service_id = target, service.id
        cell.compute_nodes.save(node)
        say(f"Node {node.uuid} belongs to host {target} now.")
    finally:
        cells.close()
    return 0


def _find(cells: CellDirectory, node_uuid: str) -> tuple[CellStores, Any]:
    for cell in cells.cells(include_cell0=False):
        for node in cell.compute_nodes.list_by_uuids([node_uuid]):
            return cell, node
    raise NotFound(f"There is no compute node {node_uuid}.")


COMMANDS: Final = (
    Command(
        "ironic_compute_node_move",
        _move,
        "Give a bare metal node and its servers to another compute. The present one must be forced down.",
        [
            argument(
                "--ironic-node-uuid",
                dest="compute_node_uuid",
                metavar="<uuid>",
                help="The node, which is called so by Ironic and Placement as well.",
            ),
            argument(
                "--destination-host",
                dest="destination_service_host",
                metavar="<host>",
                help="The host of the compute that shall have it.",
            ),
        ],
    ),
)
