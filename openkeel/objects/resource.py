"""Things of a host that a server has been given besides those Placement counts."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Resource(NovaObject):
    VERSION = "1.0"
    fields = {
        "identifier": fields.StringField(),
        "metadata": fields.ObjectField("ResourceMetadata", subclasses=True),
        "provider_uuid": fields.UUIDField(),
        "resource_class": fields.ResourceClassField(),
    }


@VersionedObjectRegistry.register
class ResourceMetadata(NovaObject):
    VERSION = "1.0"


@VersionedObjectRegistry.register
class ResourceList(ObjectList[Resource]):
    VERSION = "1.0"
    fields = {
        "objects": fields.ListOfObjectsField("Resource"),
    }


@VersionedObjectRegistry.register
class LibvirtVPMEMDevice(ResourceMetadata):
    VERSION = "1.0"
    fields = {
        "align": fields.IntegerField(),
        "devpath": fields.StringField(),
        "label": fields.StringField(),
        "name": fields.StringField(),
        "size": fields.IntegerField(),
    }
