"""What the hypervisor measures of a server: /servers/{server_id}/diagnostics."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api.answer_types import TEXT, TRUTH, WHOLE, or_null
from openkeel.api.forms import enum
from openkeel.api.request import Request
from openkeel.api.resources.server_metadata import load
from openkeel.api.schema import Array, Object, Prop, Query, Schema
from openkeel.api.tables import Behaviour, Operation, RawView
from openkeel.api.versions import V
from openkeel.domain.errors import Unsupported
from openkeel.objects.base import NovaObject
from openkeel.policies import server_diagnostics as rules

# Fields

_TRAFFIC: Final = ("octets", "errors", "drop", "packets", "rate")
_CPU: Final = ("id", "time", "utilisation")
_DISK: Final = ("read_bytes", "read_requests", "write_bytes", "write_requests", "errors_count")
_NIC: Final = ("mac_address", *(f"{way}_{what}" for way in ("rx", "tx") for what in _TRAFFIC))
_GUEST: Final[dict[str, Schema]] = {
    "state": enum("pending", "running", "paused", "shutdown", "crashed", "suspended"),
    "driver": TEXT,
    "hypervisor": or_null(TEXT),
    "hypervisor_os": or_null(TEXT),
    "uptime": or_null(WHOLE),
    "config_drive": TRUTH,
    "num_cpus": or_null(WHOLE),
    "num_nics": or_null(WHOLE),
    "num_disks": or_null(WHOLE),
}


def _numbers(*names: str) -> Object:
    leaves = {name: or_null(TEXT if name == "mac_address" else WHOLE) for name in names}
    return Object(*(Prop(name, leaf, required=True) for name, leaf in leaves.items()))


_COMMON: Final[dict[str, Schema]] = {
    **_GUEST,
    "memory_details": _numbers("maximum", "used"),
    "cpu_details": Array(_numbers(*_CPU)),
    "disk_details": Array(_numbers(*_DISK)),
    "nic_details": Array(_numbers(*_NIC)),
}
# Before, every hypervisor had words of its own.
_TYPE: Final = Object(
    *(Prop(name, leaf, required=True, since=V.COMMON_DIAGNOSTICS) for name, leaf in _COMMON.items()),
    extra=True,
)
DIAGNOSTICS: Final = RawView(*_TYPE.paths(), type=_TYPE)

# Bodies and queries

NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

COMMON: Final = Behaviour("diagnostics in the words all hypervisors share", since=V.COMMON_DIAGNOSTICS)

# Handlers


def show(request: Request) -> Mapping[str, Any]:
    """What is measured now."""
    service = request.services.diagnostics
    if request.has(COMMON):
        facts: Mapping[str, Any] = _plain(service.common(request.ctx, request.target))
        return facts
    own: Mapping[str, Any] = service.of_hypervisor(request.ctx, request.target)
    return own


def _plain(value: Any) -> Any:
    """An object with all that it holds, as JSON has it; what is not set is null."""
    if isinstance(value, NovaObject):
        return {
            name: _plain(getattr(value, name)) if value.obj_attr_is_set(name) else None
            for name in value.fields
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/servers/{server_id}/diagnostics",
        show,
        rule=rules.SERVER_DIAGNOSTICS,
        target=load,
        query=NOTHING,
        view=DIAGNOSTICS,
        behaviours=(COMMON,),
        faults=(409,),
        # Contract: a hypervisor that measures nothing is a server without the feature.
        errors={Unsupported: 501},
    ),
)
