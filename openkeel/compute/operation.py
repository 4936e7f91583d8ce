"""What stands around everything that is done to one server on this host. The order is written here only.

`Operations(ctx, uuid, action)` is the context manager of an instance RPC: the server's lock, its
fresh row, the check that the action still stands (or the begin move), the event in its action log,
the body, the end move; after an error the notification, the fault and the failure move. When the
server vanished or is being deleted there is nothing to record: the error goes up and `cast` ends
the message quietly.
"""

import functools
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from oslo_utils import strutils

from openkeel import objects
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.common.locks import NamedLocks
from openkeel.domain.errors import (
    Forbidden,
    InstanceDeleting,
    InstanceNotFound,
    Invalid,
    InvalidState,
    KeelError,
    NotFound,
    StateConflict,
)
from openkeel.domain.lifecycle import LIFECYCLE, Action, Rule, Step
from openkeel.domain.states import TaskState, VMState
from openkeel.objects.stores import CellStores

LOG = logging.getLogger(__name__)

# What bodies may read of a server without another question to the conductor.
EXPECTED_ATTRS: Final = ("flavor", "info_cache", "metadata", "system_metadata")

SUPERSEDED: Final = (InstanceNotFound, InstanceDeleting, StateConflict)

_MESSAGE_LENGTH: Final = 255  # the column's width
_DELETING: Final = frozenset({TaskState.DELETING, TaskState.SOFT_DELETING})

_Self = TypeVar("_Self")
_P = ParamSpec("_P")


class Notifier(Protocol):
    """Where notifications about servers go (notifications.servers.ServerNotifier). Raises nothing."""

    def started(
        self, ctx: Context, instance: objects.Instance, action: Action, image: Mapping[str, Any] | None = None
    ) -> None:
        """An action begins; a build with an image."""

    def ended(self, ctx: Context, instance: objects.Instance, action: Action) -> None: ...

    def failed(self, ctx: Context, instance: objects.Instance, action: Action, error: BaseException) -> None:
        """An action failed; the server still stands where it failed."""

    def settled(self, ctx: Context, instance: objects.Instance, action: Action) -> None:
        """The failure was recorded; the server is at rest."""

    def shutting_down(self, ctx: Context, instance: objects.Instance) -> None:
        """The guest and what it holds are about to be taken away."""

    def shut_down(self, ctx: Context, instance: objects.Instance) -> None:
        """The guest is no more."""

    def exists(self, ctx: Context, instance: objects.Instance, begin: datetime, end: datetime) -> None:
        """The server was here in a period."""


class NoNotifier:
    """Nobody listens."""

    def started(
        self, ctx: Context, instance: objects.Instance, action: Action, image: Mapping[str, Any] | None = None
    ) -> None:
        """Say nothing."""

    def ended(self, ctx: Context, instance: objects.Instance, action: Action) -> None:
        """Say nothing."""

    def failed(self, ctx: Context, instance: objects.Instance, action: Action, error: BaseException) -> None:
        """Say nothing."""

    def settled(self, ctx: Context, instance: objects.Instance, action: Action) -> None:
        """Say nothing."""

    def shutting_down(self, ctx: Context, instance: objects.Instance) -> None:
        """Say nothing."""

    def shut_down(self, ctx: Context, instance: objects.Instance) -> None:
        """Say nothing."""

    def exists(self, ctx: Context, instance: objects.Instance, begin: datetime, end: datetime) -> None:
        """Say nothing."""


class Operations:
    """Makes the context managers of one host."""

    def __init__(
        self,
        host: str,
        stores: CellStores,
        locks: NamedLocks,
        clock: Clock,
        notifier: Notifier | None = None,
    ) -> None:
        self._clock = clock
        self._host = host
        self._stores = stores
        self._locks = locks
        self.notifier = notifier or NoNotifier()

    @contextmanager
    def __call__(
        self,
        ctx: Context,
        instance_uuid: str,
        action: Action,
        *,
        event: str,
        begin: bool = False,
        ends_itself: bool = False,
        tells_itself: bool = False,
        expected_attrs: Sequence[str] = EXPECTED_ATTRS,
    ) -> Iterator[objects.Instance]:
        """Do `action` to the server: yields its fresh row for the body.

        With `begin` the action starts here; else whoever sent the message made the begin move, and
        the row must still say so. `ends_itself`: the body makes the end move (or removes the row).
        `tells_itself`: the body says when the action has started, as far as others are to know.

        Raises: what the body raises; InstanceNotFound, InstanceDeleting, StateConflict.
        """
        rule = LIFECYCLE[action]
        with self._locks.hold(instance_uuid):
            instance = self._stores.instances.get(instance_uuid, expected_attrs)
            if begin:
                self._stores.instances.move(instance, rule, Step.BEGIN)
            else:
                check_under_way(instance, rule)
            if not tells_itself:
                self.notifier.started(ctx, instance, action)
            with self.event(ctx, instance_uuid, event):
                try:
                    yield instance
                    if not ends_itself:
                        self._stores.instances.move(instance, rule, Step.DONE)
                except SUPERSEDED:
                    raise
                except Exception as error:
                    self.fail(ctx, instance, action, error)
                    raise
            self.notifier.ended(ctx, instance, action)

    @contextmanager
    def event(self, ctx: Context, instance_uuid: str, name: str) -> Iterator[None]:
        """Record the block as an event of the request's action, with its error if it has one."""
        actions = self._stores.actions
        # The log must not decide about the work: what cannot be recorded is only missing there.
        self._record(name, instance_uuid, lambda: actions.event_start(ctx, instance_uuid, name, self._host))
        try:
            yield
        except BaseException as failure:
            error = failure  # the name bound by `except` ends with the block
            self._record(
                name, instance_uuid, lambda: actions.event_finish(ctx, instance_uuid, name, error=error)
            )
            raise
        self._record(name, instance_uuid, lambda: actions.event_finish(ctx, instance_uuid, name))

    @staticmethod
    def _record(name: str, instance_uuid: str, write: Callable[[], None]) -> None:
        try:
            write()
        except Exception:
            LOG.exception("%s of instance %s is not in its action log", name, instance_uuid)

    def fail(self, ctx: Context, instance: objects.Instance, action: Action, error: BaseException) -> bool:
        """Record that the action failed: the fault, the failure move, the notification.

        False, and nothing recorded, when the server is gone, being deleted or in other hands. Other
        failures to record are logged, because the caller has a better error to raise.
        """
        try:
            row = self._stores.instances.get(instance.uuid)
            check_under_way(row, LIFECYCLE[action])
            self.notifier.failed(ctx, instance, action, error)
            # The fault first: killed in between, we leave no server in error that does not say why.
            self._stores.faults.create(fault_of(instance.uuid, error, self._host))
            self._stores.instances.move(instance, LIFECYCLE[action], Step.FAILED)
        except SUPERSEDED as overtaken:
            LOG.info("failure of %s not recorded: %s", action, overtaken)
            return False
        except Exception:
            LOG.exception("failure of %s of instance %s could not be recorded", action, instance.uuid)
            return False
        self.notifier.settled(ctx, instance, action)
        return True


def check_under_way(instance: objects.Instance, rule: Rule) -> None:
    """The row must say that this action was begun. Raises: InstanceDeleting, StateConflict."""
    if instance.task_state in rule.running():
        return
    if instance.task_state in _DELETING or instance.vm_state == VMState.DELETED:
        raise InstanceDeleting(instance_uuid=instance.uuid)
    raise StateConflict(
        instance_uuid=instance.uuid, expected=sorted(rule.running()), found=instance.task_state
    )


def cast(
    method: Callable[Concatenate[_Self, Context, _P], None],
) -> Callable[Concatenate[_Self, Context, _P], None]:
    """Mark an RPC method that nobody waits for: its failures are recorded already, so they end here."""

    @functools.wraps(method)
    def endpoint(self: _Self, ctx: Context, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            method(self, ctx, *args, **kwargs)
        except SUPERSEDED as overtaken:
            LOG.info("%s has nothing to do: %s", method.__name__, overtaken)
        except Exception:
            LOG.exception("%s failed", method.__name__)

    return endpoint


_CODES: Final[tuple[tuple[type[KeelError], int], ...]] = (
    (NotFound, 404),
    (Forbidden, 403),
    (InvalidState, 409),
    (Invalid, 400),
)


def fault_of(instance_uuid: str, error: BaseException, host: str | None) -> objects.InstanceFault:
    """The fault that tells the owner what went wrong.

    The message is ours, or only the kind of an error we do not know, whose text may say too much.
    Details are for administrators, without passwords.
    """
    is_ours = isinstance(error, KeelError)
    code = next((code for kind, code in _CODES if isinstance(error, kind)), 500)
    details = strutils.mask_password("".join(traceback.format_exception(error)))
    return objects.InstanceFault(
        instance_uuid=instance_uuid,
        code=code,
        message=(str(error) if is_ours else type(error).__name__)[:_MESSAGE_LENGTH],
        details=details,
        host=host,
    )
