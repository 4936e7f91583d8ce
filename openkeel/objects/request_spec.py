"""What a server asks of its host, in the words of the scheduler."""

from openkeel.objects import fields
from openkeel.objects.base import EphemeralObject, NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Destination(NovaObject):
    VERSION = "1.4"
    fields = {
        "aggregates": fields.ListOfStringsField(nullable=True, default=fields.NULL),
        "allow_cross_cell_move": fields.BooleanField(default=False),
        "cell": fields.ObjectField("CellMapping", nullable=True),
        "forbidden_aggregates": fields.SetOfStringsField(nullable=True, default=fields.NULL),
        "host": fields.StringField(),
        "node": fields.StringField(nullable=True),
    }
    since = {
        "cell": "1.1",
        "aggregates": "1.2",
        "allow_cross_cell_move": "1.3",
        "forbidden_aggregates": "1.4",
    }


@VersionedObjectRegistry.register
class RequestGroup(EphemeralObject):
    VERSION = "1.3"
    fields = {
        "aggregates": fields.ListOfListsOfStringsField(default=[]),
        "forbidden_aggregates": fields.SetOfStringsField(default=set()),
        "forbidden_traits": fields.SetOfStringsField(default=set()),
        "in_tree": fields.UUIDField(nullable=True, default=fields.NULL),
        "provider_uuids": fields.ListOfUUIDField(default=[]),
        "requester_id": fields.StringField(nullable=True, default=fields.NULL),
        "required_traits": fields.SetOfStringsField(default=set()),
        "resources": fields.DictOfIntegersField(default={}),
        "use_same_provider": fields.BooleanField(default=True),
    }
    since = {
        "provider_uuids": "1.1",
        "requester_id": "1.1",
        "in_tree": "1.2",
        "forbidden_aggregates": "1.3",
    }


@VersionedObjectRegistry.register
class RequestLevelParams(NovaObject):
    VERSION = "1.1"
    fields = {
        "root_forbidden": fields.SetOfStringsField(default=set()),
        "root_required": fields.SetOfStringsField(default=set()),
        "same_subtree": fields.ListOfListsOfStringsField(default=[]),
    }
    since = {
        "same_subtree": "1.1",
    }


@VersionedObjectRegistry.register
class RequestSpec(NovaObject):
    VERSION = "1.15"
    fields = {
        # Server
        "id": fields.IntegerField(),
        "instance_uuid": fields.UUIDField(),
        "user_id": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "num_instances": fields.IntegerField(default=1),
        "is_bfv": fields.BooleanField(),
        # What it needs
        "flavor": fields.ObjectField("Flavor"),
        "image": fields.ObjectField("ImageMeta", nullable=True),
        "numa_topology": fields.ObjectField("InstanceNUMATopology", nullable=True),
        "pci_requests": fields.ObjectField("InstancePCIRequests", nullable=True),
        "requested_resources": fields.ListOfObjectsField("RequestGroup", nullable=True, default=fields.NULL),
        "requested_networks": fields.ObjectField("NetworkRequestList"),
        "request_level_params": fields.ObjectField("RequestLevelParams"),
        "security_groups": fields.ObjectField("SecurityGroupList"),
        "network_metadata": fields.ObjectField("NetworkMetadata"),
        # Where it may go
        "availability_zone": fields.StringField(nullable=True),
        "force_hosts": fields.ListOfStringsField(nullable=True),
        "force_nodes": fields.ListOfStringsField(nullable=True),
        "ignore_hosts": fields.ListOfStringsField(nullable=True),
        "requested_destination": fields.ObjectField("Destination", nullable=True, default=fields.NULL),
        "instance_group": fields.ObjectField("InstanceGroup", nullable=True),
        "scheduler_hints": fields.DictOfListOfStringsField(nullable=True),
        # Progress
        "limits": fields.ObjectField("SchedulerLimits", nullable=True),
        "retry": fields.ObjectField("SchedulerRetries", nullable=True),
    }
    since = {
        "requested_destination": "1.6",
        "security_groups": "1.8",
        "user_id": "1.9",
        "network_metadata": "1.10",
        "is_bfv": "1.11",
        "requested_resources": "1.12",
        "request_level_params": "1.13",
        "requested_networks": "1.14",
    }


@VersionedObjectRegistry.register
class SchedulerLimits(NovaObject):
    VERSION = "1.0"
    fields = {
        "disk_gb": fields.IntegerField(nullable=True, default=fields.NULL),
        "memory_mb": fields.IntegerField(nullable=True, default=fields.NULL),
        "numa_topology": fields.ObjectField("NUMATopologyLimits", nullable=True, default=fields.NULL),
        "vcpu": fields.IntegerField(nullable=True, default=fields.NULL),
    }


@VersionedObjectRegistry.register
class SchedulerRetries(NovaObject):
    VERSION = "1.1"
    fields = {
        "hosts": fields.ObjectField("ComputeNodeList"),
        "num_attempts": fields.IntegerField(),
    }
