"""Remotable methods of what servers are given besides disks and NICs: PCI devices, shares."""

from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores


def _detach(stores: Stores, _ctx: Context, share: Any) -> None:
    stores.cell.shares.delete(share.instance_uuid, share.share_id)


METHODS: Final[Methods] = {
    # PCI devices
    ("PciDevice", "save"): OnObject(lambda s, ctx, item: s.cell.pci_devices.update_or_create(item)),
    ("PciDevice", "get_by_dev_id"): OnClass(lambda s, ctx, id: s.cell.pci_devices.get(id)),  # noqa: A006
    ("PciDevice", "get_by_dev_addr"): OnClass(
        lambda s, ctx, compute_node_id, dev_addr: s.cell.pci_devices.get_by_address(compute_node_id, dev_addr)
    ),
    ("PciDeviceList", "get_by_compute_node"): OnClass(
        lambda s, ctx, node_id: s.cell.pci_devices.list_by_node(node_id)
    ),
    ("PciDeviceList", "get_by_instance_uuid"): OnClass(lambda s, ctx, uuid: s.cell.pci_devices.list(uuid)),
    ("PciDeviceList", "get_by_parent_address"): OnClass(
        lambda s, ctx, node_id, parent_addr: s.cell.pci_devices.list_by_parent(node_id, parent_addr)
    ),
    # Shares
    ("ShareMapping", "save"): OnObject(lambda s, ctx, item: s.cell.shares.update_or_create(item)),
    ("ShareMapping", "delete"): OnObject(_detach),
    ("ShareMapping", "get_by_instance_uuid_and_share_id"): OnClass(
        lambda s, ctx, instance_uuid, share_id: s.cell.shares.get(instance_uuid, share_id)
    ),
    ("ShareMappingList", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.shares.list(instance_uuid)
    ),
    ("ShareMappingList", "get_by_share_id"): OnClass(
        lambda s, ctx, share_id: s.cell.shares.list_by_share(share_id)
    ),
    ("ShareMappingList", "get_by_host_for_reconcile"): OnClass(
        lambda s, ctx, host: s.cell.shares.list_by_host(host)
    ),
}
