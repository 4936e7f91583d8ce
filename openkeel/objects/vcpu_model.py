"""CPU models and features."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class VirtCPUFeature(NovaObject):
    VERSION = "1.0"
    fields = {
        "name": fields.StringField(),
        "policy": fields.ChoiceField(enums.CPUFeaturePolicy, nullable=True),
    }


@VersionedObjectRegistry.register
class VirtCPUModel(NovaObject):
    VERSION = "1.0"
    fields = {
        "arch": fields.ChoiceField(enums.Architecture, nullable=True),
        "features": fields.ListOfObjectsField("VirtCPUFeature", default=[]),
        "match": fields.ChoiceField(enums.CPUMatch, nullable=True),
        "mode": fields.ChoiceField(enums.CPUMode, nullable=True),
        "model": fields.StringField(nullable=True),
        "topology": fields.ObjectField("VirtCPUTopology", nullable=True),
        "vendor": fields.StringField(nullable=True),
    }
