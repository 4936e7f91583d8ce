"""What a server asks of CPUs, memory and devices of its host."""

from typing import Any

from openkeel.notifications.payloads.base import Payload, nested, payload
from openkeel.objects import enums, fields


@payload
class VirtCPUTopologyPayload(Payload):
    VERSION = "1.0"
    fields = {
        "sockets": fields.IntegerField(nullable=True, default=1),
        "cores": fields.IntegerField(nullable=True, default=1),
        "threads": fields.IntegerField(nullable=True, default=1),
    }


@payload
class InstanceNUMACellPayload(Payload):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(),
        "cpuset": fields.SetOfIntegersField(),
        "pcpuset": fields.SetOfIntegersField(),
        "memory": fields.IntegerField(),
        "pagesize": fields.IntegerField(nullable=True),
        "cpu_topology": fields.ObjectField("VirtCPUTopologyPayload", nullable=True),
        "cpu_pinning_raw": fields.DictOfIntegersField(nullable=True),
        "cpu_policy": fields.ChoiceField(enums.CPUAllocationPolicy, nullable=True),
        "cpu_thread_policy": fields.ChoiceField(enums.CPUThreadAllocationPolicy, nullable=True),
        "cpuset_reserved": fields.SetOfIntegersField(nullable=True),
    }
    sources = {"cpu_topology": nested(VirtCPUTopologyPayload, "cpu_topology")}


def _cells(topology: Any) -> list[Payload]:
    return [InstanceNUMACellPayload.of(cell) for cell in topology.cells]


@payload
class InstanceNUMATopologyPayload(Payload):
    VERSION = "1.0"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "cells": fields.ListOfObjectsField("InstanceNUMACellPayload"),
        "emulator_threads_policy": fields.ChoiceField(enums.CPUEmulatorThreadsPolicy, nullable=True),
    }
    sources = {"cells": _cells}


@payload
class InstancePCIRequestPayload(Payload):
    VERSION = "1.1"
    fields = {
        "count": fields.IntegerField(),
        "spec": fields.ListOfDictOfNullableStringsField(),
        "alias_name": fields.StringField(nullable=True),
        "request_id": fields.UUIDField(nullable=True),
        "numa_policy": fields.ChoiceField(enums.PCINUMAAffinityPolicy, nullable=True),
    }


def _requests(requests: Any) -> list[Payload]:
    return [InstancePCIRequestPayload.of(request) for request in requests.requests]


@payload
class InstancePCIRequestsPayload(Payload):
    VERSION = "1.0"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "requests": fields.ListOfObjectsField("InstancePCIRequestPayload"),
    }
    sources = {"requests": _requests}
