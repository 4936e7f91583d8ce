"""How a server looks to clients, at every microversion.

The getters read a `ServerRow` and never load anything: what a field needs stands beside it. Contract:
rest_response_fields.json of GET /servers/{id}, GET /servers/detail, GET /servers and PUT /servers/{id}.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from openkeel.api.answer_types import UUIDS, WHOLE
from openkeel.api.forms import enum
from openkeel.api.links import LINK_SHAPE
from openkeel.api.tables import ABSENT, ALWAYS, Field, Getter, Rendering, View, a
from openkeel.api.versions import END, V
from openkeel.db.stores.server_rows import Need, ServerRow
from openkeel.domain.host_ids import host_id
from openkeel.domain.server_status import UNKNOWN, WITH_FAULT, WITH_PROGRESS
from openkeel.objects.network_info import fixed_ips
from openkeel.policies import servers as rules
from openkeel.services.boot_images import shown_properties

_INTERNAL_ERROR: Final = 500


# Getters


@lru_cache(maxsize=4096)
def iso(moment: datetime | None) -> str | None:
    """A time as clients know it: seconds, in UTC."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _exact(name: str) -> Getter:
    """A time with microseconds and no zone. Contract: OS-SRV-USG."""

    def get(row: Any, _: Rendering) -> str | None:
        moment = getattr(row, name)
        return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S.%f")

    return get


def _text(name: str) -> Getter:
    """A column in which clients see no null."""
    return lambda row, _: getattr(row, name) or ""


def _links(row: ServerRow, rendering: Rendering) -> list[dict[str, str]]:
    return rendering.request.links.self_and_bookmark("servers", row.uuid)


def _status(row: ServerRow, _: Rendering) -> str:
    return UNKNOWN if row.is_down else row.status


def _host_id(row: ServerRow, _: Rendering) -> str:
    return host_id(row.project_id or "", row.host)


def _created(row: ServerRow, _: Rendering) -> str | None:
    return iso(row.created_at)


def _updated(row: ServerRow, _: Rendering) -> str | None:
    return iso(row.updated_at or row.created_at)


def _disk_config(row: ServerRow, _: Rendering) -> str:
    return "AUTO" if row.auto_disk_config else "MANUAL"


def addresses(row: ServerRow) -> dict[str, list[dict[str, Any]]]:
    """Addresses by network, fixed ones before the floating ones mapped to them."""
    networks: dict[str, list[dict[str, Any]]] = {}
    for vif in row.network_info:
        listed = networks.setdefault(vif["network"]["label"], [])
        for ip in fixed_ips(vif):
            for kind, one in (("fixed", ip), *(("floating", ip) for ip in ip.get("floating_ips", ()))):
                listed.append(
                    {
                        "version": one["version"],
                        "addr": one["address"],
                        "OS-EXT-IPS:type": kind,
                        "OS-EXT-IPS-MAC:mac_addr": vif["address"],
                    }
                )
    return networks


def plain_addresses(row: ServerRow) -> dict[str, list[dict[str, Any]]]:
    """Addresses by network and nothing more about them."""
    return {
        label: [{"version": ip["version"], "addr": ip["addr"]} for ip in ips]
        for label, ips in addresses(row).items()
    }


def _flavor_link(row: ServerRow, rendering: Rendering) -> dict[str, Any]:
    if not row.flavor:
        return {}
    flavor_id = row.flavor["flavorid"]
    return {"id": flavor_id, "links": rendering.request.links.bookmarked("flavors", flavor_id)}


def _image(row: ServerRow, rendering: Rendering) -> Any:
    if not row.image_ref:
        return ""
    return {"id": row.image_ref, "links": rendering.request.links.image(row.image_ref)}


def _image_with_properties(row: ServerRow, rendering: Rendering) -> Any:
    image = _image(row, rendering)
    return (
        {**image, "properties": shown_properties(row.system_metadata)} if image and not row.is_down else image
    )


def _progress(row: ServerRow, _: Rendering) -> Any:
    return (row.progress or 0) if row.status in WITH_PROGRESS else ABSENT


def _fault(row: ServerRow, rendering: Rendering) -> Any:
    if row.fault is None or row.status not in WITH_FAULT:
        return ABSENT
    shown: dict[str, Any] = {
        "code": row.fault.code,
        "created": iso(row.fault.created_at),
        "message": row.fault.message,
    }
    # Where our own code tripped, the traceback is for administrators.
    if row.fault.details and (row.fault.code != _INTERNAL_ERROR or rendering.request.ctx.is_admin):
        shown["details"] = row.fault.details
    return shown


def _instance_name(row: ServerRow, rendering: Rendering) -> str:
    template = rendering.request.services.server_naming.instance_name_template
    if row.id is None:
        return ""  # the guest's name is made of the number that the cell gives
    try:
        return str(template % row.id)
    except TypeError:  # a template that uses other fields
        return str(template % {"id": row.id, "uuid": row.uuid, "display_name": row.display_name or ""})


def _locked_reason(row: ServerRow, _: Rendering) -> Any:
    return row.system_metadata.get("locked_reason") if row.locked else None


def _security_groups(row: ServerRow, _: Rendering) -> Any:
    return [{"name": name} for name in row.security_groups] if row.security_groups else ABSENT


def _volumes(row: ServerRow, _: Rendering) -> list[dict[str, Any]]:
    return [{"id": volume.id} for volume in row.volumes]


def _volumes_with_flag(row: ServerRow, _: Rendering) -> list[dict[str, Any]]:
    return [
        {"id": volume.id, "delete_on_termination": volume.delete_on_termination} for volume in row.volumes
    ]


def _host_status(row: ServerRow, _: Rendering) -> str:
    return row.host_status


def _unknown_host_status(row: ServerRow, _: Rendering) -> Any:
    return row.host_status if row.host_status == UNKNOWN else ABSENT


def _listed(name: str) -> Getter:
    def get(row: Any, _: Rendering) -> list[Any]:
        return list(getattr(row, name))

    return get


def _certificates(row: ServerRow, _: Rendering) -> list[str] | None:
    return None if row.certificates is None else list(row.certificates)


def _of_flavor(name: str) -> Getter:
    def get(flavor: Mapping[str, Any], _: Rendering) -> Any:
        return flavor.get(name)

    return get


# Fields

EMBEDDED_FLAVOR: Final = View(
    Field("vcpus", get=_of_flavor("vcpus")),
    Field("ram", get=_of_flavor("memory_mb")),
    Field("disk", get=_of_flavor("root_gb")),
    Field("ephemeral", get=_of_flavor("ephemeral_gb")),
    Field("swap", get=_of_flavor("swap"), type=WHOLE),
    Field("original_name", get=_of_flavor("name")),
    Field("extra_specs", get=_of_flavor("extra_specs"), rule=rules.SHOW_FLAVOR_EXTRA_SPECS, shape=(".*",)),
)

_ADDRESS_SHAPE: Final = (
    ".*",
    ".*[].OS-EXT-IPS-MAC:mac_addr",
    ".*[].OS-EXT-IPS:type",
    ".*[].addr",
    ".*[].version",
)
_FLAVOR_LINK_SHAPE: Final = (".id", ".links", ".links[].href", ".links[].rel")
_HINT_SHAPE: Final = tuple(
    f".{name}"
    for name in (
        "build_near_host_ip",
        "cidr",
        "different_cell",
        "different_host",
        "group",
        "query",
        "same_host",
        "target_cell",
    )
)

_NO_IMAGE: Final = enum("")
_ATTR: Final = "OS-EXT-SRV-ATTR"


def _extended(name: str, get: Getter, since: int = 0, until: int = END, **more: Any) -> Field:
    """An internal of the server that few may see."""
    return Field(f"{_ATTR}:{name}", get, since, until, rule=rules.EXTENDED_ATTRIBUTES, **more)


# Shown of every server, whether or not its cell answers.
_ALWAYS: Final = (
    Field("id", get=a("uuid")),
    Field("links", get=_links, shape=LINK_SHAPE),
    Field("status", get=_status),
    Field("tenant_id", get=a("project_id")),
    Field("created", get=_created),
)

_SINCE_BASE: Final = (
    Field("accessIPv4", get=_text("access_ip_v4")),
    Field("accessIPv6", get=_text("access_ip_v6")),
    Field("addresses", get=lambda row, _: addresses(row), needs=(Need.NETWORK,), shape=_ADDRESS_SHAPE),
    Field(
        "flavor",
        get=_flavor_link,
        until=V.FLAVOR_EMBEDDED,
        needs=(Need.FLAVOR,),
        shape=_FLAVOR_LINK_SHAPE,
    ),
    Field("flavor", since=V.FLAVOR_EMBEDDED, view=EMBEDDED_FLAVOR, needs=(Need.FLAVOR,)),
    Field("hostId", get=_host_id),
    Field("image", get=_image, until=V.IMAGE_PROPERTIES_SHOWN, shape=_FLAVOR_LINK_SHAPE, type=_NO_IMAGE),
    Field(
        "image",
        get=_image_with_properties,
        since=V.IMAGE_PROPERTIES_SHOWN,
        needs=(Need.SYSTEM_METADATA,),
        shape=(*_FLAVOR_LINK_SHAPE, ".properties", ".properties.*"),
        type=_NO_IMAGE,
    ),
    Field("metadata", needs=(Need.METADATA,), shape=(".*",)),
    Field("name", get=a("display_name")),
    Field("user_id"),
    Field("updated", get=_updated),
    Field("OS-DCF:diskConfig", get=_disk_config),
    Field("progress", get=_progress, optional_since=ALWAYS),
    Field(
        "fault",
        get=_fault,
        needs=(Need.FAULT,),
        shape=(".code", ".created", ".message", ".details"),
        optional_since=ALWAYS,
    ),
)

# From 2.75 on the answer of an update has these too.
_NOT_AFTER_UPDATE: Final = (
    Field("OS-EXT-AZ:availability_zone", get=a("zone"), needs=(Need.ZONE,)),
    Field("config_drive", get=_text("config_drive")),
    Field("key_name"),
    Field("OS-SRV-USG:launched_at", get=_exact("launched_at")),
    Field("OS-SRV-USG:terminated_at", get=_exact("terminated_at")),
    Field(
        "security_groups",
        get=_security_groups,
        needs=(Need.SECURITY_GROUPS,),
        shape=("[].name",),
        optional_since=ALWAYS,
    ),
    _extended("host", a("host")),
    _extended("instance_name", _instance_name),
    _extended("hypervisor_hostname", a("node")),
    _extended("hostname", a("hostname"), V.SERVER_HOST_ATTRIBUTES, V.HOSTNAME),
    _extended("reservation_id", a("reservation_id"), V.SERVER_HOST_ATTRIBUTES),
    _extended("launch_index", a("launch_index"), V.SERVER_HOST_ATTRIBUTES),
    _extended("kernel_id", a("kernel_id"), V.SERVER_HOST_ATTRIBUTES),
    _extended("ramdisk_id", a("ramdisk_id"), V.SERVER_HOST_ATTRIBUTES),
    _extended("root_device_name", a("root_device_name"), V.SERVER_HOST_ATTRIBUTES),
    _extended("user_data", a("user_data"), V.SERVER_HOST_ATTRIBUTES, needs=(Need.USER_DATA,)),
    Field("OS-EXT-STS:task_state", get=a("task_state")),
    Field("OS-EXT-STS:vm_state", get=a("vm_state")),
    Field("OS-EXT-STS:power_state", get=lambda row, _: row.power_state or 0),
    Field(
        "os-extended-volumes:volumes_attached",
        get=_volumes,
        until=V.SERVER_HOST_ATTRIBUTES,
        needs=(Need.VOLUMES,),
        shape=("[].id",),
    ),
    Field(
        "os-extended-volumes:volumes_attached",
        get=_volumes_with_flag,
        since=V.SERVER_HOST_ATTRIBUTES,
        needs=(Need.VOLUMES,),
        shape=("[].id", "[].delete_on_termination"),
    ),
    # The second wins where both rules say yes.
    Field(
        "host_status",
        get=_unknown_host_status,
        since=V.HOST_STATUS,
        needs=(Need.HOST_STATUS,),
        rule=rules.SHOW_HOST_STATUS_UNKNOWN_ONLY,
    ),
    Field(
        "host_status",
        get=_host_status,
        since=V.HOST_STATUS,
        needs=(Need.HOST_STATUS,),
        rule=rules.SHOW_HOST_STATUS,
    ),
)

_LATER: Final = (
    Field("locked", get=lambda row, _: bool(row.locked), since=V.LOCKED_SHOWN),
    Field("description", get=a("display_description"), since=V.SERVER_DESCRIPTION),
    Field("tags", get=_listed("tags"), since=V.SERVER_TAGS, needs=(Need.TAGS,)),
    Field(
        "trusted_image_certificates",
        get=_certificates,
        since=V.TRUSTED_CERTIFICATES,
        needs=(Need.CERTIFICATES,),
    ),
    Field("locked_reason", get=_locked_reason, since=V.LOCK_REASON, needs=(Need.SYSTEM_METADATA,)),
    Field(f"{_ATTR}:hostname", get=a("hostname"), since=V.HOSTNAME),
    Field("pinned_availability_zone", get=a("pinned_zone"), since=V.PINNED_ZONE_SHOWN, needs=(Need.SPEC,)),
    Field(
        "scheduler_hints",
        since=V.SCHEDULER_HINTS_SHOWN,
        needs=(Need.SPEC,),
        shape=_HINT_SHAPE,
    ),
)

_GROUPS: Final = Field(
    "server_groups", get=_listed("groups"), since=V.SERVER_GROUPS_SHOWN, needs=(Need.GROUPS,), type=UUIDS
)


def _unless_down(one: Field) -> Field:
    """Leave the field out for servers whose cell does not answer."""
    get = one.get or a(one.name)
    return replace(
        one,
        get=lambda row, rendering: ABSENT if row.is_down else get(row, rendering),
        optional_since=min(one.optional_since, V.DOWN_CELLS),
    )


def _since(fields: Sequence[Field], since: int) -> tuple[Field, ...]:
    """Those of the fields that live beyond a version, from there on."""
    return tuple(replace(one, since=max(one.since, since)) for one in fields if one.until > since)


def _partly(fields: Sequence[Field], *shown_of_down: str) -> tuple[Field, ...]:
    return tuple(one if one.name in shown_of_down else _unless_down(one) for one in fields)


_KNOWN_OF_DOWN: Final = (
    "flavor",
    "image",
    "user_id",
    "OS-EXT-AZ:availability_zone",
    "OS-EXT-STS:power_state",
)

# Views

DETAIL: Final = View(*_ALWAYS, *_partly(_SINCE_BASE), *_partly(_NOT_AFTER_UPDATE), *_partly(_LATER))
SHOWN: Final = View(
    *_ALWAYS,
    *_partly(_SINCE_BASE, *_KNOWN_OF_DOWN),
    *_partly(_NOT_AFTER_UPDATE, *_KNOWN_OF_DOWN),
    *_partly(_LATER),
    _GROUPS,
)
UPDATED: Final = View(
    *_ALWAYS,
    *(one for one in _SINCE_BASE if one.name != "addresses"),
    Field(
        "addresses",
        get=lambda row, _: plain_addresses(row),
        until=V.STRICT_QUERIES,
        needs=(Need.NETWORK,),
        shape=(".*", ".*[].addr", ".*[].version"),
    ),
    Field(
        "addresses",
        get=lambda row, _: addresses(row),
        since=V.STRICT_QUERIES,
        needs=(Need.NETWORK,),
        shape=_ADDRESS_SHAPE,
    ),
    *_since(_NOT_AFTER_UPDATE, V.STRICT_QUERIES),
    *_LATER,
    _GROUPS,
)
BRIEF: Final = View(
    Field("id", get=a("uuid")),
    _unless_down(Field("name", get=a("display_name"))),
    Field(
        "status",
        get=lambda row, _: UNKNOWN if row.is_down else ABSENT,
        since=V.DOWN_CELLS,
        optional_since=ALWAYS,
    ),
    Field("links", get=_links, shape=LINK_SHAPE),
)
