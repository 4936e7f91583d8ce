"""The guest's NUMA nodes and where they are pinned."""

from typing import Any

from openkeel.objects import enums, fields
from openkeel.objects.base import DictCompat, EphemeralObject, NovaObject, VersionedObjectRegistry, is_older


@VersionedObjectRegistry.register
class InstanceNUMACell(EphemeralObject, DictCompat):
    VERSION = "1.6"
    fields = {
        "id": fields.IntegerField(),
        "cpu_pinning_raw": fields.DictOfIntegersField(nullable=True, default=fields.NULL),
        "cpu_policy": fields.ChoiceField(enums.CPUAllocationPolicy, nullable=True, default=fields.NULL),
        "cpu_thread_policy": fields.ChoiceField(
            enums.CPUThreadAllocationPolicy, nullable=True, default=fields.NULL
        ),
        "cpu_topology": fields.ObjectField("VirtCPUTopology", nullable=True),
        "cpuset": fields.SetOfIntegersField(),
        "cpuset_reserved": fields.SetOfIntegersField(nullable=True, default=fields.NULL),
        "memory": fields.IntegerField(),
        "pagesize": fields.IntegerField(nullable=True, default=fields.NULL),
        "pcpuset": fields.SetOfIntegersField(),
    }
    since = {
        "cpu_policy": "1.3",
        "cpu_thread_policy": "1.3",
        "cpuset_reserved": "1.4",
        "pcpuset": "1.5",
    }
    widened = {"cpu_policy": {"mixed": "1.6"}}

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        pinned = primitive.get("pcpuset")
        super().obj_make_compatible(primitive, target_version)
        if is_older(target_version, "1.5") and primitive.get("cpu_policy") == "dedicated":
            primitive["cpuset"] = pinned  # pinned CPUs stood with the others


@VersionedObjectRegistry.register
class InstanceNUMATopology(NovaObject, DictCompat):
    VERSION = "1.3"
    fields = {
        "id": fields.IntegerField(),
        "cells": fields.ListOfObjectsField("InstanceNUMACell"),
        "emulator_threads_policy": fields.ChoiceField(enums.CPUEmulatorThreadsPolicy, nullable=True),
        "instance_uuid": fields.UUIDField(),
    }
    since = {
        "emulator_threads_policy": "1.3",
    }
