"""The objects of a boot: what the API database keeps of it and what the conductor is sent.

Nothing here asks anybody anything. Contract: a conductor of Nova must be able to go on from these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oslo_utils import uuidutils

from openkeel import objects
from openkeel.clients.glance.types import Image
from openkeel.clients.neutron.types import NetworkFacts
from openkeel.common.context import Context
from openkeel.domain.hostnames import hostname_for
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.services import boot_disks, boot_images
from openkeel.services.boot_hosts import Place
from openkeel.services.boot_networks import WantedResources
from openkeel.services.boot_request import BootRequest


@dataclass(frozen=True, slots=True)
class Plan:
    """A request with everything looked up that it names, ready to become servers."""

    request: BootRequest
    count: int
    flavor: objects.Flavor
    image: Image | None
    image_meta: objects.ImageMeta
    key: objects.KeyPair | None
    place: Place
    destination: objects.Destination | None
    networks: objects.NetworkRequestList
    network_facts: NetworkFacts
    port_resources: WantedResources
    security_groups: objects.SecurityGroupList
    reservation_id: str
    group: objects.InstanceGroup | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """All that belongs to one server of a boot."""

    request_spec: objects.RequestSpec
    build_request: objects.BuildRequest
    instance_mapping: objects.InstanceMapping

    @property
    def uuid(self) -> str:
        return str(self.build_request.instance_uuid)


def make_server(ctx: Context, plan: Plan, index: int, now: datetime) -> Server:
    """The objects of server number `index` (from 0) of the plan."""
    uuid = uuidutils.generate_uuid()
    instance = _instance(ctx, plan, uuid, index, now)
    tags = objects.TagList(
        objects=[objects.Tag(resource_id=uuid, tag=tag) for tag in dict.fromkeys(plan.request.tags)]
    )
    image_id = None if plan.image is None else plan.image.id
    build_request = objects.BuildRequest(
        instance_uuid=uuid,
        project_id=ctx.project_id,
        instance=instance,
        block_device_mappings=boot_disks.mappings(plan.request.disks, image_id, plan.flavor, uuid),
        tags=tags,
    )
    mapping = objects.InstanceMapping(
        instance_uuid=uuid,
        project_id=ctx.project_id,
        user_id=ctx.user_id,
        cell_mapping=None,
        queued_for_delete=False,
    )
    return Server(_request_spec(ctx, plan, uuid), build_request, mapping)


def _name(plan: Plan, index: int) -> str:
    return plan.request.name if plan.count == 1 else f"{plan.request.name}-{index + 1}"


def _pci_requests(uuid: str) -> objects.InstancePCIRequests:
    return objects.InstancePCIRequests(instance_uuid=uuid, requests=[])


def _instance(ctx: Context, plan: Plan, uuid: str, index: int, now: datetime) -> objects.Instance:
    request, flavor = plan.request, plan.flavor
    name = _name(plan, index)
    properties: Mapping[str, str] = {} if plan.image is None else plan.image.properties
    nothing_yet = dict.fromkeys(
        (
            "host",
            "node",
            "compute_id",
            "launched_on",
            "launched_at",
            "terminated_at",
            "cell_name",
            "locked_by",
            "updated_at",
            "deleted_at",
            "default_ephemeral_device",
            "default_swap_device",
            "ephemeral_key_uuid",
            "old_flavor",
            "new_flavor",
            "numa_topology",
            "vcpu_model",
            "device_metadata",
            "migration_context",
            "resources",
        )
    )
    return objects.Instance(
        **nothing_yet,
        uuid=uuid,
        user_id=ctx.user_id,
        project_id=ctx.project_id,
        display_name=name,
        display_description=request.description,
        hostname=request.hostname or hostname_for(name, uuid),
        reservation_id=plan.reservation_id,
        launch_index=index,
        created_at=now,
        deleted=False,
        vm_state=VMState.BUILDING,
        task_state=TaskState.SCHEDULING,
        power_state=int(PowerState.NOSTATE),
        progress=0,
        locked=False,
        cleaned=False,
        hidden=False,
        disable_terminate=False,
        shutdown_terminate=False,
        availability_zone=plan.place.zone,
        flavor=flavor,
        instance_type_id=flavor.id,
        memory_mb=flavor.memory_mb,
        vcpus=flavor.vcpus,
        root_gb=flavor.root_gb,
        ephemeral_gb=flavor.ephemeral_gb,
        image_ref="" if plan.image is None else plan.image.id,
        kernel_id=properties.get("kernel_id", ""),
        ramdisk_id=properties.get("ramdisk_id", ""),
        architecture=properties.get("hw_architecture", properties.get("architecture")),
        os_type=properties.get("os_type"),
        vm_mode=properties.get("hw_vm_mode", properties.get("vm_mode")),
        root_device_name=properties.get("img_root_device_name", properties.get("root_device_name")),
        config_drive="True" if request.config_drive else "",
        auto_disk_config=bool(request.auto_disk_config),
        user_data=request.user_data,
        key_name=None if plan.key is None else plan.key.name,
        key_data=None if plan.key is None else plan.key.public_key,
        keypairs=objects.KeyPairList(objects=[] if plan.key is None else [plan.key]),
        metadata=dict(request.metadata),
        system_metadata=_system_metadata(ctx, plan),
        access_ip_v4=request.access_ip_v4,
        access_ip_v6=request.access_ip_v6,
        # Compat: what was asked for stands in the request spec; rows of security groups belong to
        # nova-network, and a conductor of Nova would look for them.
        security_groups=objects.SecurityGroupList(objects=[]),
        info_cache=objects.InstanceInfoCache(instance_uuid=uuid, network_info=[]),
        pci_requests=_pci_requests(uuid),
        trusted_certs=(
            None
            if request.trusted_certificates is None
            else objects.TrustedCerts(ids=list(request.trusted_certificates))
        ),
    )


def _system_metadata(ctx: Context, plan: Plan) -> dict[str, str]:
    """What is kept of the image, and who the owner was. Contract: keys of instance_system_metadata."""
    owner: dict[str, Any] = {
        "owner_user_name": ctx.user_name,
        "owner_project_name": ctx.project_name,
        "boot_roles": ",".join(ctx.roles or ()),
    }
    return {
        **boot_images.system_metadata(plan.image, plan.flavor),
        **{key: value for key, value in owner.items() if value is not None},
    }


def _hints(hints: Mapping[str, Any]) -> dict[str, list[str]]:
    """Every hint as a list, which is how the wire has them."""
    return {
        key: [str(item) for item in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else [str(value)]
        for key, value in hints.items()
    }


def _request_spec(ctx: Context, plan: Plan, uuid: str) -> objects.RequestSpec:
    place = plan.place
    return objects.RequestSpec(
        instance_uuid=uuid,
        user_id=ctx.user_id,
        project_id=ctx.project_id,
        num_instances=plan.count,
        is_bfv=False,
        flavor=plan.flavor,
        image=plan.image_meta,
        numa_topology=None,
        pci_requests=_pci_requests(uuid),
        requested_resources=list(plan.port_resources.groups),
        requested_networks=plan.networks,
        request_level_params=objects.RequestLevelParams(
            root_required=set(),
            root_forbidden=set(),
            same_subtree=[list(subtree) for subtree in plan.port_resources.same_subtree],
        ),
        security_groups=plan.security_groups,
        network_metadata=objects.NetworkMetadata(
            physnets=set(plan.network_facts.physnets), tunneled=plan.network_facts.tunneled
        ),
        availability_zone=place.zone,
        force_hosts=[place.forced_host] if place.forced_host else None,
        force_nodes=[place.forced_node] if place.forced_node else None,
        ignore_hosts=None,
        requested_destination=plan.destination,
        instance_group=plan.group,
        scheduler_hints=_hints(plan.request.scheduler_hints),
        limits=objects.SchedulerLimits(numa_topology=None, vcpu=None, memory_mb=None, disk_gb=None),
        retry=None,
    )
