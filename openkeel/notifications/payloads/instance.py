"""Servers, and what is done to them.

The source is a `Told`: the server with what the notification says about it besides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from openkeel import objects
from openkeel.common.context import Context
from openkeel.notifications.payloads.address import IpPayload
from openkeel.notifications.payloads.base import Payload, attribute, nested, payload
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.notifications.payloads.flavor import FlavorPayload
from openkeel.notifications.payloads.keypair import KeypairPayload
from openkeel.notifications.payloads.states import InstanceState, InstanceTaskState
from openkeel.notifications.payloads.storage import BlockDevicePayload, SharePayload
from openkeel.objects import enums, fields


@dataclass(frozen=True, slots=True)
class AuditPeriod:
    """The span that a notification tells about."""

    audit_period_beginning: datetime
    audit_period_ending: datetime


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """From where to where a server went."""

    old_state: str | None
    state: str | None
    old_task_state: str | None
    new_task_state: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """A server, and who asks for what is done to it."""

    instance: objects.Instance
    ctx: Context
    name_on_host: str | None = None
    error: BaseException | None = None
    volumes: Sequence[objects.BlockDeviceMapping] = ()
    shares: Sequence[objects.ShareMapping] | None = None
    audit_period: AuditPeriod | None = None
    state_update: StateUpdate | None = None
    old_display_name: str | None = None


def _addresses(told: Told) -> list[Any]:
    return list(IpPayload.all_of(attribute(attribute(told.instance, "info_cache"), "network_info")))


def _disk_config(told: Told) -> enums.DiskConfig:
    automatic = attribute(told.instance, "auto_disk_config", default=False)
    return enums.DiskConfig.AUTO if automatic else enums.DiskConfig.MANUAL


def _locked_reason(told: Told) -> str | None:
    if not attribute(told.instance, "locked", default=False):
        return None
    reason: str | None = (attribute(told.instance, "system_metadata") or {}).get("locked_reason")
    return reason


def _volumes(told: Told) -> list[Payload]:
    return [BlockDevicePayload.of(bdm) for bdm in told.volumes if attribute(bdm, "volume_id")]


def _shares(told: Told) -> list[Payload] | None:
    return None if told.shares is None else [SharePayload.of(share) for share in told.shares]


def _keypairs(told: Told) -> list[Payload]:
    return [KeypairPayload.of(keypair) for keypair in attribute(told.instance, "keypairs") or ()]


def _tags(told: Told) -> list[str]:
    return [tag.tag for tag in attribute(told.instance, "tags") or ()]


def _certificates(told: Told) -> list[str] | None:
    certificates = attribute(told.instance, "trusted_certs")
    return list(certificates.ids) if certificates is not None else None


@payload
class AuditPeriodPayload(Payload):
    VERSION = "1.0"
    fields = {
        "audit_period_beginning": fields.DateTimeField(),
        "audit_period_ending": fields.DateTimeField(),
    }


@payload
class InstanceStateUpdatePayload(Payload):
    VERSION = "1.0"
    fields = {
        "old_state": fields.StringField(nullable=True),
        "state": fields.StringField(nullable=True),
        "old_task_state": fields.StringField(nullable=True),
        "new_task_state": fields.StringField(nullable=True),
    }


@payload
class InstancePayload(Payload):
    """What every notification about a server says."""

    VERSION = "1.9"
    fields = {
        # Identity
        "uuid": fields.UUIDField(),
        "user_id": fields.StringField(nullable=True),
        "tenant_id": fields.StringField(nullable=True),
        "reservation_id": fields.StringField(nullable=True),
        "display_name": fields.StringField(nullable=True),
        "display_description": fields.StringField(nullable=True),
        "host_name": fields.StringField(nullable=True),
        # State
        "state": fields.ChoiceField(InstanceState, nullable=True),
        "task_state": fields.ChoiceField(InstanceTaskState, nullable=True),
        "power_state": fields.InstancePowerStateField(nullable=True),
        "progress": fields.IntegerField(nullable=True),
        "locked": fields.BooleanField(),
        "locked_reason": fields.StringField(nullable=True),
        "created_at": fields.DateTimeField(nullable=True),
        "updated_at": fields.DateTimeField(nullable=True),
        "launched_at": fields.DateTimeField(nullable=True),
        "terminated_at": fields.DateTimeField(nullable=True),
        "deleted_at": fields.DateTimeField(nullable=True),
        # Place
        "host": fields.StringField(nullable=True),
        "node": fields.StringField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        # What it is made of
        "flavor": fields.ObjectField("FlavorPayload"),
        "image_uuid": fields.StringField(nullable=True),
        "kernel_id": fields.StringField(nullable=True),
        "ramdisk_id": fields.StringField(nullable=True),
        "os_type": fields.StringField(nullable=True),
        "architecture": fields.StringField(nullable=True),
        "auto_disk_config": fields.ChoiceField(enums.DiskConfig),
        "key_name": fields.StringField(nullable=True),
        "metadata": fields.DictOfStringsField(),
        "ip_addresses": fields.ListOfObjectsField("IpPayload"),
        "block_devices": fields.ListOfObjectsField("BlockDevicePayload", nullable=True),
        "shares": fields.ListOfObjectsField("SharePayload", nullable=True),
        # Who asked
        "request_id": fields.StringField(nullable=True),
        "action_initiator_user": fields.StringField(nullable=True),
        "action_initiator_project": fields.StringField(nullable=True),
    }
    sources = {
        **{
            name: f"instance.{name}"
            for name in (
                "uuid",
                "user_id",
                "reservation_id",
                "display_name",
                "display_description",
                "task_state",
                "power_state",
                "progress",
                "locked",
                "created_at",
                "updated_at",
                "launched_at",
                "terminated_at",
                "deleted_at",
                "host",
                "node",
                "availability_zone",
                "kernel_id",
                "ramdisk_id",
                "os_type",
                "architecture",
                "key_name",
                "metadata",
            )
        },
        "tenant_id": "instance.project_id",
        "host_name": "instance.hostname",
        "state": "instance.vm_state",
        "locked_reason": _locked_reason,
        "flavor": nested(FlavorPayload, "instance.flavor"),
        "image_uuid": "instance.image_ref",
        "auto_disk_config": _disk_config,
        "ip_addresses": _addresses,
        "block_devices": _volumes,
        "shares": _shares,
        "request_id": "ctx.request_id",
        "action_initiator_user": "ctx.user_id",
        "action_initiator_project": "ctx.project_id",
    }


@payload
class InstanceActionPayload(InstancePayload):
    VERSION = "1.9"
    fields = {"fault": fields.ObjectField("ExceptionPayload", nullable=True)}
    sources = {"fault": nested(ExceptionPayload, "error")}


@payload
class InstanceCreatePayload(InstanceActionPayload):
    VERSION = "1.13"
    fields = {
        "instance_name": fields.StringField(nullable=True),
        "keypairs": fields.ListOfObjectsField("KeypairPayload"),
        "tags": fields.ListOfStringsField(),
        "trusted_image_certificates": fields.ListOfStringsField(nullable=True),
    }
    sources = {
        "instance_name": "name_on_host",
        "keypairs": _keypairs,
        "tags": _tags,
        "trusted_image_certificates": _certificates,
    }


@payload
class InstanceUpdatePayload(InstancePayload):
    VERSION = "2.1"
    fields = {
        "state_update": fields.ObjectField("InstanceStateUpdatePayload"),
        "audit_period": fields.ObjectField("AuditPeriodPayload"),
        "old_display_name": fields.StringField(nullable=True),
        "tags": fields.ListOfStringsField(),
    }
    sources = {
        "state_update": nested(InstanceStateUpdatePayload, "state_update"),
        "audit_period": nested(AuditPeriodPayload, "audit_period"),
        "tags": _tags,
    }


@payload
class InstanceExistsPayload(InstancePayload):
    VERSION = "2.1"
    fields = {"audit_period": fields.ObjectField("AuditPeriodPayload")}
    sources = {"audit_period": nested(AuditPeriodPayload, "audit_period")}


@payload
class InstanceActionRebuildPayload(InstanceActionPayload):
    VERSION = "1.10"
    fields = {"trusted_image_certificates": fields.ListOfStringsField(nullable=True)}
    sources = {"trusted_image_certificates": _certificates}


@payload
class InstanceActionRescuePayload(InstanceActionPayload):
    VERSION = "1.4"
    fields = {"rescue_image_ref": fields.UUIDField(nullable=True)}


@payload
class InstanceActionResizePrepPayload(InstanceActionPayload):
    VERSION = "1.4"
    fields = {"new_flavor": fields.ObjectField("FlavorPayload", nullable=True)}


@payload
class InstanceActionSnapshotPayload(InstanceActionPayload):
    VERSION = "1.10"
    fields = {"snapshot_image_id": fields.UUIDField()}


@payload
class InstanceActionSharePayload(InstanceActionPayload):
    VERSION = "1.0"
    fields = {"share_id": fields.UUIDField()}


@payload
class InstanceActionVolumePayload(InstanceActionPayload):
    VERSION = "1.7"
    fields = {"volume_id": fields.UUIDField()}


@payload
class InstanceActionVolumeSwapPayload(InstanceActionPayload):
    VERSION = "1.9"
    fields = {
        "old_volume_id": fields.UUIDField(),
        "new_volume_id": fields.UUIDField(),
    }
