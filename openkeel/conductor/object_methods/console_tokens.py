"""Remotable methods of the tokens that open consoles."""

import uuid
from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores
from openkeel.domain.errors import AlreadyExists, InvalidToken


def _authorize(stores: Stores, _ctx: Context, token: Any, ttl: int) -> str:
    if token.obj_attr_is_set("id"):
        raise AlreadyExists("This console was opened before.", action="authorize")
    token.token = str(uuid.uuid4())
    stores.cell.console_tokens.create(token, ttl)
    return str(token.token)


def _validate(stores: Stores, _ctx: Context, token: str) -> Any:
    found = stores.cell.console_tokens.find(token)
    if found is None:
        raise InvalidToken(token="***")  # noqa: S106 - it is not shown
    return found


METHODS: Final[Methods] = {
    ("ConsoleAuthToken", "authorize"): OnObject(_authorize),
    ("ConsoleAuthToken", "validate"): OnClass(_validate),
    ("ConsoleAuthToken", "clean_console_auths_for_instance"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.console_tokens.delete_all(instance_uuid)
    ),
    ("ConsoleAuthToken", "clean_expired_console_auths"): OnClass(
        lambda s, ctx: s.cell.console_tokens.delete_expired()
    ),
    ("ConsoleAuthToken", "clean_expired_console_auths_for_host"): OnClass(
        lambda s, ctx, host: s.cell.console_tokens.delete_expired(host)
    ),
}
