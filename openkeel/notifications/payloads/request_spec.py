"""What the scheduler is asked."""

from typing import Any

from openkeel.notifications.payloads.base import Payload, absent, attribute, nested, payload
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.notifications.payloads.flavor import FlavorPayload
from openkeel.notifications.payloads.image import ImageMetaPayload
from openkeel.notifications.payloads.numa import InstanceNUMATopologyPayload, InstancePCIRequestsPayload
from openkeel.notifications.payloads.server_group import ServerGroupPayload
from openkeel.notifications.payloads.states import InstanceState
from openkeel.objects import fields


@payload
class CellMappingPayload(Payload):
    """Without the URLs: they hold passwords."""

    VERSION = "2.0"
    fields = {
        "uuid": fields.UUIDField(),
        "name": fields.StringField(nullable=True),
        "disabled": fields.BooleanField(default=False),
    }


@payload
class DestinationPayload(Payload):
    VERSION = "1.0"
    fields = {
        "host": fields.StringField(),
        "node": fields.StringField(nullable=True),
        "cell": fields.ObjectField("CellMappingPayload", nullable=True),
        "aggregates": fields.ListOfStringsField(nullable=True, default=fields.NULL),
    }
    sources = {"cell": nested(CellMappingPayload, "cell")}


def _hosts(retries: Any) -> list[str]:
    return [str(node.host) for node in retries.hosts]


@payload
class SchedulerRetriesPayload(Payload):
    VERSION = "1.0"
    fields = {
        "num_attempts": fields.IntegerField(),
        "hosts": fields.ListOfStringsField(),
    }
    sources = {"hosts": _hosts}


def _group_names(spec: object) -> list[str]:
    groups = attribute(spec, "security_groups") or ()
    return [str(attribute(group, "name") or attribute(group, "uuid")) for group in groups]


@payload
class RequestSpecPayload(Payload):
    VERSION = "1.1"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "project_id": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        "flavor": fields.ObjectField("FlavorPayload", nullable=True),
        "ignore_hosts": fields.ListOfStringsField(nullable=True),
        "image": fields.ObjectField("ImageMetaPayload", nullable=True),
        "instance_group": fields.ObjectField("ServerGroupPayload", nullable=True),
        "image_meta": fields.ObjectField("ImageMetaPayload", nullable=True),
        "numa_topology": fields.ObjectField("InstanceNUMATopologyPayload", nullable=True),
        "pci_requests": fields.ObjectField("InstancePCIRequestsPayload", nullable=True),
        "num_instances": fields.IntegerField(default=1),
        "force_hosts": fields.StringField(nullable=True),
        "force_nodes": fields.StringField(nullable=True),
        "scheduler_hints": fields.DictOfListOfStringsField(nullable=True),
        "requested_destination": fields.ObjectField("DestinationPayload", nullable=True),
        "retry": fields.ObjectField("SchedulerRetriesPayload", nullable=True),
        "security_groups": fields.ListOfStringsField(),
    }
    sources = {
        "flavor": nested(FlavorPayload, "flavor"),
        "image": nested(ImageMetaPayload, "image"),
        "image_meta": absent,  # the contract has it beside `image`, and nothing puts it there
        "instance_group": nested(ServerGroupPayload, "instance_group"),
        "numa_topology": nested(InstanceNUMATopologyPayload, "numa_topology"),
        "pci_requests": nested(InstancePCIRequestsPayload, "pci_requests"),
        "requested_destination": nested(DestinationPayload, "requested_destination"),
        "retry": nested(SchedulerRetriesPayload, "retry"),
        "security_groups": _group_names,
        # Compat: lists in the request, texts in the notification.
        "force_hosts": lambda spec: _listed(attribute(spec, "force_hosts")),
        "force_nodes": lambda spec: _listed(attribute(spec, "force_nodes")),
    }


def _listed(names: list[str] | None) -> str | None:
    return None if names is None else str(list(names))


@payload
class ComputeTaskPayload(Payload):
    """Work across hosts that failed."""

    VERSION = "1.0"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "request_spec": fields.ObjectField("RequestSpecPayload", nullable=True),
        "state": fields.ChoiceField(InstanceState, nullable=True),
        "reason": fields.ObjectField("ExceptionPayload"),
    }
    sources = {
        "request_spec": nested(RequestSpecPayload, "request_spec"),
        "reason": nested(ExceptionPayload, "error"),
    }
