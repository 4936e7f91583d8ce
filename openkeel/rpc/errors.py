"""Errors on the wire: ours travel under Nova's names, Nova's are received as our kinds.

`ROWS` is the one table. A server raises what oslo.messaging sends as module `nova.exception`, class
and arguments as Nova's, so that a Nova peer raises its own class again. A client translates what it
receives back into our kinds (`from_wire`), so nobody outside this package sees a wire error.

Unexpected errors are logged where they happen and cross the wire as their class name only: their
texts may hold secrets.
"""

import functools
import importlib.util
import inspect
import logging
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import oslo_messaging

from openkeel.domain import errors
from openkeel.objects.base import CannotBackport

LOG = logging.getLogger(__name__)

WIRE_MODULE: Final = "nova.exception"
EXCEPTION_MODULES: Final = (WIRE_MODULE,)


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of ours and its name on the wire.

    `facts` renames facts of ours to arguments of theirs; others keep their names. `code` is the HTTP
    status that Nova's class carries. Of several rows with one `wire` name the first is what we
    receive; of several with one `kind` the first is what we send.
    """

    kind: type[errors.KeelError]
    wire: str
    code: int = 500
    facts: Mapping[str, str] = field(default_factory=dict)


ROWS: Final = (
    # Servers
    Row(errors.InstanceNotFound, "InstanceNotFound", 404),
    Row(errors.InstanceExists, "InstanceExists"),
    Row(errors.InstanceDeleting, "UnexpectedDeletingTaskStateError", 500, {"found": "actual"}),
    Row(errors.StateConflict, "UnexpectedTaskStateError", 500, {"found": "actual"}),
    Row(errors.StateConflict, "InstanceUpdateConflict", 500, {"found": "actual"}),
    Row(errors.InstanceInvalidState, "InstanceInvalidState", 400),
    Row(errors.InstanceIsLocked, "InstanceIsLocked", 400),
    Row(errors.InstanceNotReady, "InstanceNotReady", 400),
    Row(errors.ConsoleNotAvailable, "ConsoleNotAvailable", 404),
    # Boot
    Row(errors.NoValidHost, "NoValidHost"),
    Row(errors.MaxRetriesExceeded, "MaxRetriesExceeded"),
    Row(errors.HostMappingNotFound, "HostMappingNotFound", 400),
    Row(errors.ComputeResourcesUnavailable, "ComputeResourcesUnavailable", 400),
    Row(errors.RescheduledError, "RescheduledException"),
    Row(errors.BuildAborted, "BuildAbortException"),
    Row(errors.VirtualInterfaceCreateFailed, "VirtualInterfaceCreateException"),
    # Rows of the databases
    Row(errors.ServiceNotFound, "ServiceNotFound", 404),
    Row(errors.ServiceBinaryExists, "ServiceBinaryExists"),
    Row(errors.ComputeHostNotFound, "ComputeHostNotFound", 404),
    Row(errors.MigrationNotFound, "MigrationNotFound", 404),
    Row(errors.FlavorNotFound, "FlavorNotFound", 404),
    Row(errors.BuildRequestNotFound, "BuildRequestNotFound", 404),
    Row(errors.RequestSpecNotFound, "RequestSpecNotFound", 404),
    Row(errors.InstanceMappingNotFound, "InstanceMappingNotFound", 404),
    Row(errors.CellMappingNotFound, "CellMappingNotFound", 404),
    Row(errors.MigrationNotFoundForInstance, "MigrationNotFoundForInstance", 404),
    Row(errors.MigrationNotFoundByStatus, "MigrationNotFoundByStatus", 404),
    Row(errors.VolumeNotFound, "VolumeNotFound", 404),
    Row(errors.SnapshotNotFound, "SnapshotNotFound", 404),
    Row(errors.VolumeBDMNotFound, "VolumeBDMNotFound", 404),
    Row(errors.InstanceInfoCacheNotFound, "InstanceInfoCacheNotFound", 404),
    Row(errors.InstanceTagNotFound, "InstanceTagNotFound", 404),
    Row(errors.InstanceActionNotFound, "InstanceActionNotFound"),
    Row(errors.PciDeviceNotFound, "PciDeviceNotFound", 404),
    Row(errors.PciDeviceNotFoundById, "PciDeviceNotFoundById", 404),
    Row(errors.ShareNotFound, "ShareNotFound", 404),
    Row(errors.TaskAlreadyRunning, "TaskAlreadyRunning"),
    Row(errors.TaskNotRunning, "TaskNotRunning"),
    Row(errors.InvalidToken, "InvalidToken", 400),
    Row(errors.QuotaExists, "QuotaExists"),
    Row(errors.FlavorExists, "FlavorExists"),
    Row(errors.FlavorIdExists, "FlavorIdExists"),
    Row(errors.FlavorAccessNotFound, "FlavorAccessNotFound", 404),
    Row(errors.FlavorAccessExists, "FlavorAccessExists"),
    Row(errors.KeypairNotFound, "KeypairNotFound", 404),
    Row(errors.KeyPairExists, "KeyPairExists"),
    Row(errors.AggregateNotFound, "AggregateNotFound", 404),
    Row(errors.AggregateNameExists, "AggregateNameExists"),
    Row(errors.AggregateHostExists, "AggregateHostExists"),
    Row(errors.AggregateHostNotFound, "AggregateHostNotFound", 404),
    Row(errors.InstanceGroupNotFound, "InstanceGroupNotFound", 404),
    # Networks
    Row(errors.NetworkNotFound, "NetworkNotFound", 404),
    Row(errors.NetworkAmbiguous, "NetworkAmbiguous", 400),
    Row(errors.NetworkRequiresSubnet, "NetworkRequiresSubnet", 400, {"network_id": "network_uuid"}),
    Row(errors.UnableToAutoAllocateNetwork, "UnableToAutoAllocateNetwork", 400),
    Row(
        errors.ExternalNetworkAttachForbidden,
        "ExternalNetworkAttachForbidden",
        403,
        {"network_id": "network_uuid"},
    ),
    Row(errors.PortNotFound, "PortNotFound", 404),
    Row(errors.PortInUse, "PortInUse", 400),
    Row(errors.PortNotUsable, "PortNotUsable", 400),
    Row(errors.PortRequiresFixedIP, "PortRequiresFixedIP", 400),
    Row(errors.PortLimitExceeded, "PortLimitExceeded", 413),
    Row(errors.PortBindingFailed, "PortBindingFailed", 400),
    Row(errors.FixedIpInvalid, "FixedIpInvalidOnHost", 400),
    Row(errors.FixedIpAlreadyInUse, "FixedIpAlreadyInUse"),
    Row(errors.NoMoreFixedIps, "NoMoreFixedIps", 500, {"network_id": "net"}),
    Row(errors.SecurityGroupNotFound, "SecurityGroupNotFound", 404),
    Row(errors.SecurityGroupCannotBeApplied, "SecurityGroupCannotBeApplied", 400),
    Row(errors.NoUniqueMatch, "NoUniqueMatch", 409),
    # Images
    Row(errors.ImageNotFound, "ImageNotFound", 404),
    Row(errors.ImageNotAuthorized, "ImageNotAuthorized"),
    # Down parts
    Row(errors.ComputeServiceUnavailable, "ComputeServiceUnavailable", 400),
    # Objects
    Row(CannotBackport, "ObjectActionError", 500, {"kind": "action"}),
    # The kinds themselves: for whatever has no row of its own
    Row(errors.NotFound, "NotFound", 404),
    Row(errors.AlreadyExists, "DuplicateRecord"),
    Row(errors.Invalid, "Invalid", 400),
    Row(errors.InvalidState, "InstanceInvalidState", 400),
    Row(errors.Conflict, "InstanceUpdateConflict"),
    Row(errors.Forbidden, "Forbidden", 403),
    Row(errors.OverQuota, "OverQuota", 413),
    Row(errors.NoCapacity, "NoValidHost"),
    Row(errors.Unavailable, "ServiceUnavailable", 400),
    Row(errors.Internal, "NovaException"),
    Row(errors.Timeout, "NovaException"),
    Row(errors.KeelError, "NovaException"),
)

# What an error without a row means, by the status it carries.
_KIND_BY_CODE: Final[Mapping[int, type[errors.KeelError]]] = {
    400: errors.Invalid,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    413: errors.OverQuota,
    503: errors.Unavailable,
}


class WireError(Exception):
    """Base of the classes that stand for Nova's. `kwargs` travels because oslo.messaging looks for it."""

    def __init__(self, message: str | None = None, **kwargs: Any) -> None:
        super().__init__(message if message is not None else type(self).__name__)
        self.kwargs = kwargs


class _WireModule(types.ModuleType):
    """Makes a class for any name asked for, as there is one module in the contract for all of them."""

    def __getattr__(self, name: str) -> type[WireError]:
        if name.startswith("_"):
            raise AttributeError(name)
        made = type(name, (WireError,), {"__module__": WIRE_MODULE})
        setattr(self, name, made)
        return made


_wire_module: Final = _WireModule(WIRE_MODULE)


def install_wire_module() -> None:
    """Let oslo.messaging find classes when a peer's error arrives. The real module is left alone."""
    if "nova" in sys.modules or importlib.util.find_spec("nova"):
        return
    package = types.ModuleType("nova")
    package.__path__ = []
    package.exception = _wire_module  # type: ignore[attr-defined]
    sys.modules["nova"] = package
    sys.modules[WIRE_MODULE] = _wire_module


def _row_of(error: errors.KeelError) -> Row:
    for kind in type(error).__mro__:
        for row in ROWS:
            if row.kind is kind:
                return row
    raise AssertionError(f"no row for {type(error)}")  # KeelError itself has one


def _plain(value: Any) -> Any:
    """A fact as JSON can carry it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)


def to_wire(error: Exception) -> Exception:
    """The error as a peer must receive it."""
    if isinstance(error, errors.Unsupported):
        # Compat: drivers of Nova say so by Python's own class, and its API turns that into an answer.
        return NotImplementedError(str(error))
    if isinstance(error, errors.KeelError):
        row = _row_of(error)
        arguments = {row.facts.get(name, name): _plain(value) for name, value in error.facts.items()}
        arguments.pop("message", None)
        return wire_class(row.wire)(str(error), **{**arguments, "code": row.code})
    return wire_class("NovaException")(f"Unexpected {type(error).__name__}", code=500)


def wire_class(name: str) -> type[WireError]:
    """Our stand-in for a class of Nova's."""
    found: type[WireError] = getattr(_wire_module, name)
    return found


def refuse(error: errors.KeelError) -> NoReturn:
    """Answer a message that was not even read."""
    LOG.warning("a message was refused: %s", error)
    _reply_with(to_wire(error))


def _reply_with(wire: Exception) -> NoReturn:
    try:
        raise wire  # noqa: TRY301 - oslo.messaging takes the error being handled
    except Exception as outgoing:
        raise oslo_messaging.ExpectedException from outgoing


def raising_wire_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an endpoint method so that its errors leave in their wire form."""
    name, signature = function.__name__, inspect.signature(function)

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as misfit:
            LOG.warning("%s was called wrongly: %s", name, misfit)
            # Compat: Python's own error, as a server of Nova's answers.
            return _reply_with(TypeError(f"{name}() {misfit}"))
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, errors.KeelError):
                LOG.info("%s refused: %r", name, error)
            else:
                LOG.exception("%s failed", name)
            wire = to_wire(error)
        _reply_with(wire)  # outside the handler: neither cause nor context travels
        return None

    return guarded


# Errors of the messaging library itself, most special first.
_MESSAGING: Final[tuple[tuple[type[Exception], type[errors.KeelError]], ...]] = (
    (oslo_messaging.MessagingTimeout, errors.Timeout),
    (oslo_messaging.UnsupportedVersion, errors.Unsupported),
    (oslo_messaging.NoSuchMethod, errors.Unsupported),
    (oslo_messaging.RPCVersionCapError, errors.Unsupported),
    (oslo_messaging.MessagingException, errors.Unavailable),
)


_REFUSED_CALLS: Final = frozenset({"UnsupportedVersion", "NoSuchMethod"})
_TRACE: Final = "Traceback (most recent call last)"


def from_wire(error: Exception) -> Exception:
    """What a received or raised messaging error means to us. Others come back as they are."""
    if isinstance(error, oslo_messaging.RemoteError):  # a class that oslo.messaging may not rebuild
        # The messaging library's own refusals come this way from a peer behind a real broker.
        is_refusal = error.exc_type in _REFUSED_CALLS
        received: type[errors.KeelError] = errors.Unsupported if is_refusal else errors.Internal
        return received(f"{error.exc_type}: {error.value}", remote=error.exc_type)
    for raised, kind in _MESSAGING:
        if isinstance(error, raised):
            return kind(str(error), service="The message bus")
    if type(error).__module__.removesuffix("_Remote") == WIRE_MODULE:
        name = type(error).__name__.removesuffix("_Remote")
        text = str(error.args[0]) if error.args else name
        return _from_nova(name, text, dict(getattr(error, "kwargs", {})))
    if isinstance(error, NotImplementedError):  # what `to_wire` makes of Unsupported
        said = str(error).partition("\n")[0]
        # Drivers of Nova give no reason; a deserialised error has at least its trace in its text.
        silent = not said or said.startswith(_TRACE)
        return errors.Unsupported("The hypervisor of this host does not offer that." if silent else said)
    name, text = type(error).__name__, str(error)
    # Errors of Python itself keep their class; what shows that they came from afar is the trace in them.
    if name.endswith("_Remote") or _TRACE in text:
        first = text.replace("\\n", "\n").partition("\n")[0]
        return errors.Internal(f"{name.removesuffix('_Remote')}: {first}", remote=name)
    return error


def _from_nova(name: str, text: str, arguments: dict[str, Any]) -> errors.KeelError:
    code = arguments.pop("code", 500)
    for row in ROWS:
        if row.wire == name:
            back = {theirs: ours for ours, theirs in row.facts.items()}
            facts = {back.get(key, key): value for key, value in arguments.items()}
            return row.kind(text, **facts)
    kind = _KIND_BY_CODE.get(code, errors.Internal)
    return kind(text, **{**arguments, "remote": name})


@contextmanager
def our_errors() -> Iterator[None]:
    """Turn what the messaging library raises inside the block into our kinds."""
    try:
        yield
    except Exception as error:
        ours = from_wire(error)
        if ours is error:
            raise
        raise ours from None
