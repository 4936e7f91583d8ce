"""Certificates that may have signed the image."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class TrustedCerts(NovaObject):
    VERSION = "1.0"
    fields = {
        "ids": fields.ListOfStringsField(),
    }
