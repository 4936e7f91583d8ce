"""The plans of all nouns that live in a cell."""

import json
from typing import Any, Final

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.stores.plan import OBJECT_CODEC, Codec, Plan, json_codec
from openkeel.objects.network_info import NetworkInfo


def _load_hv_specs(text: str | None) -> list[Any]:
    return [
        objects.HVSpec(arch=arch, hv_type=hv_type, vm_mode=vm_mode)
        for arch, hv_type, vm_mode in json.loads(text or "[]")
    ]


def _dump_hv_specs(specs: Any) -> str:
    return json.dumps([[spec.arch, spec.hv_type, spec.vm_mode] for spec in specs])


INSTANCES: Final = Plan(objects.Instance, rows.Instance, list_class=objects.InstanceList)
INFO_CACHES: Final = Plan(
    objects.InstanceInfoCache,
    rows.InstanceInfoCache,
    codecs={
        "network_info": Codec(
            load=NetworkInfo.from_json,
            dump=lambda info: NetworkInfo(info or ()).to_json(),
        )
    },
)
BLOCK_DEVICES: Final = Plan(
    objects.BlockDeviceMapping, rows.BlockDeviceMapping, list_class=objects.BlockDeviceMappingList
)
ACTIONS: Final = Plan(objects.InstanceAction, rows.InstanceAction, list_class=objects.InstanceActionList)
EVENTS: Final = Plan(
    objects.InstanceActionEvent, rows.InstanceActionEvent, list_class=objects.InstanceActionEventList
)
FAULTS: Final = Plan(objects.InstanceFault, rows.InstanceFault, list_class=objects.InstanceFaultList)
SERVICES: Final = Plan(objects.Service, rows.Service, list_class=objects.ServiceList)
COMPUTE_NODES: Final = Plan(
    objects.ComputeNode,
    rows.ComputeNode,
    list_class=objects.ComputeNodeList,
    codecs={
        "stats": json_codec(empty={}),
        "host_ip": Codec(
            load=lambda text: text, dump=lambda address: None if address is None else str(address)
        ),
        "supported_hv_specs": Codec(_load_hv_specs, _dump_hv_specs, column="supported_instances"),
        "pci_device_pools": Codec(OBJECT_CODEC.load, OBJECT_CODEC.dump, column="pci_stats"),
    },
)
MIGRATIONS: Final = Plan(objects.Migration, rows.Migration, list_class=objects.MigrationList)
VIRTUAL_INTERFACES: Final = Plan(
    objects.VirtualInterface,
    rows.VirtualInterface,
    list_class=objects.VirtualInterfaceList,
    # Compat: kept as "mac/port id", so that one address may come again; read as the address alone.
    codecs={
        "address": Codec(load=lambda text: text.partition("/")[0] if text else text, dump=lambda text: text)
    },
)
PCI_DEVICES: Final = Plan(
    objects.PciDevice,
    rows.PciDevice,
    list_class=objects.PciDeviceList,
    codecs={"extra_info": json_codec(empty={})},
)
TAGS: Final = Plan(objects.Tag, rows.Tag, list_class=objects.TagList)
SHARES: Final = Plan(objects.ShareMapping, rows.ShareMapping, list_class=objects.ShareMappingList)
TASK_LOGS: Final = Plan(objects.TaskLog, rows.TaskLog, list_class=objects.TaskLogList)
SECURITY_GROUPS: Final = Plan(objects.SecurityGroup, rows.SecurityGroup, list_class=objects.SecurityGroupList)
EC2_INSTANCES: Final = Plan(objects.EC2InstanceMapping, rows.InstanceIdMapping)
EC2_IMAGES: Final = Plan(objects.S3ImageMapping, rows.S3Image)
