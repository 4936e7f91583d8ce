"""The host's NUMA nodes, and limits on their use."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class NUMACell(NovaObject):
    VERSION = "1.5"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "cpu_usage": fields.IntegerField(default=0),
        "cpuset": fields.SetOfIntegersField(),
        "memory": fields.IntegerField(),
        "memory_usage": fields.IntegerField(default=0),
        "mempages": fields.ListOfObjectsField("NUMAPagesTopology"),
        "network_metadata": fields.ObjectField("NetworkMetadata"),
        "pcpuset": fields.SetOfIntegersField(),
        "pinned_cpus": fields.SetOfIntegersField(),
        "siblings": fields.ListOfSetsOfIntegersField(),
        "socket": fields.IntegerField(nullable=True),
    }
    since = {
        "network_metadata": "1.3",
        "pcpuset": "1.4",
        "socket": "1.5",
    }


@VersionedObjectRegistry.register
class NUMAPagesTopology(NovaObject):
    VERSION = "1.1"
    fields = {
        "reserved": fields.IntegerField(default=0),
        "size_kb": fields.IntegerField(),
        "total": fields.IntegerField(),
        "used": fields.IntegerField(default=0),
    }
    since = {
        "reserved": "1.1",
    }


@VersionedObjectRegistry.register
class NUMATopology(NovaObject):
    VERSION = "1.2"
    fields = {
        "cells": fields.ListOfObjectsField("NUMACell"),
    }


@VersionedObjectRegistry.register
class NUMATopologyLimits(NovaObject):
    VERSION = "1.1"
    fields = {
        "cpu_allocation_ratio": fields.FloatField(),
        "network_metadata": fields.ObjectField("NetworkMetadata"),
        "ram_allocation_ratio": fields.FloatField(),
    }
    since = {
        "network_metadata": "1.1",
    }
