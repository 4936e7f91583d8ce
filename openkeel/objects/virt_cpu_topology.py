"""Sockets, cores and threads of a guest."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class VirtCPUTopology(NovaObject):
    VERSION = "1.0"
    fields = {
        "cores": fields.IntegerField(nullable=True, default=1),
        "sockets": fields.IntegerField(nullable=True, default=1),
        "threads": fields.IntegerField(nullable=True, default=1),
    }
