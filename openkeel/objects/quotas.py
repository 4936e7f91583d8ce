"""Limits of projects and users."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Quotas(NovaObject):
    VERSION = "1.3"
    fields = {
        "project_id": fields.StringField(nullable=True, default=fields.NULL),
        "reservations": fields.ListOfStringsField(nullable=True, default=[]),
        "user_id": fields.StringField(nullable=True, default=fields.NULL),
    }


@VersionedObjectRegistry.register
class QuotasNoOp(Quotas):
    VERSION = "1.3"
