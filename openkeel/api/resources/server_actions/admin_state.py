"""Lock and unlock a server, and set its state by hand."""

from typing import Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Object, Prop
from openkeel.api.tables import Behaviour, Operation
from openkeel.api.versions import V
from openkeel.domain.states import VMState
from openkeel.policies import admin_actions
from openkeel.policies import lock as rules

PATH: Final = "/servers/{id}/action"

LOCK: Final = Body(
    Prop("lock", forms.ANY, required=True, until=V.LOCK_REASON),
    Prop(
        "lock",
        Object(Prop("locked_reason", forms.string(minLength=1, maxLength=255)), types=("null",)),
        required=True,
        since=V.LOCK_REASON,
    ),
)
# Compat: what comes with an unlock is not looked at any more.
UNLOCK: Final = Body(Prop("unlock", forms.ANY, required=True), until=V.LOCK_REASON)
RESET_STATE: Final = Body(
    Prop("os-resetState", Object(Prop("state", forms.enum("active", "error"), required=True)), required=True)
)

# Compat: before there are reasons, what comes with a lock is not looked at, whatever it says.
REASON: Final = Behaviour("a lock has a reason", since=V.LOCK_REASON)

_STATES: Final = {"active": VMState.ACTIVE, "error": VMState.ERROR}


def lock(request: Request) -> None:
    """Refuse changes from now on."""
    asked = request.body["lock"] if request.has(REASON) else None
    reason = asked.get("locked_reason") if asked else None
    request.services.admin_state.lock(request.ctx, request.target, reason)


def unlock(request: Request) -> None:
    """Allow changes again; with the rule for that also what somebody else locked."""
    if request.services.admin_state.needs_override(request.ctx, request.target):
        request.enforce(rules.UNLOCK_UNLOCK_OVERRIDE, request.target)
    request.services.admin_state.unlock(request.ctx, request.target)


def reset_state(request: Request) -> None:
    """Set the state."""
    state = _STATES[request.body["os-resetState"]["state"]]
    request.services.admin_state.reset_state(request.ctx, request.target, state)


OPERATIONS: Final = (
    Operation(
        "POST",
        PATH,
        lock,
        action="lock",
        rule=rules.LOCK,
        target=load_server,
        body=LOCK,
        status=202,
        faults=(409,),
        behaviours=(REASON,),
    ),
    Operation(
        "POST",
        PATH,
        unlock,
        action="unlock",
        rule=rules.UNLOCK,
        target=load_server,
        body=UNLOCK,
        status=202,
        faults=(409,),
        more_rules=(rules.UNLOCK_UNLOCK_OVERRIDE,),
    ),
    Operation(
        "POST",
        PATH,
        reset_state,
        action="os-resetState",
        rule=admin_actions.RESET_STATE,
        target=load_server,
        body=RESET_STATE,
        status=202,
        faults=(409,),
    ),
)
