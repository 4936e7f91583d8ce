"""Tokens of consoles, for the proxies that serve them: /os-console-auth-tokens."""

from typing import Any, Final, NoReturn

from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import ANYONE, Field, Operation, View
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid
from openkeel.policies import console_auth_tokens as rules

# Fields

CONSOLE: Final = View(
    Field("instance_uuid"),
    Field("host"),
    Field("port"),
    Field("tls_port", since=V.SPICE_DIRECT),
    Field("internal_access_path"),
)

# Bodies and queries

NOTHING: Final = Query(strict_since=V.SPICE_DIRECT, since=V.BASE)

# Handlers


def show(request: Request) -> Any:
    """Where a token leads."""
    return request.services.console_tokens.find(request.params["id"])


def refuse(_request: Request) -> NoReturn:
    """Compat: in these versions only tokens of RDP consoles were known, and there are none any more."""
    raise Invalid("Tokens of this kind of console are known from version 2.31 on.")


# Operations

_PATH: Final = "/os-console-auth-tokens/{id}"

OPERATIONS: Final = (
    Operation(
        "GET",
        _PATH,
        refuse,
        until=V.CONSOLE_TOKENS_OF_ALL_TYPES,
        rule=ANYONE,
        query=NOTHING,
        view=CONSOLE.one("console"),
    ),
    Operation(
        "GET",
        _PATH,
        show,
        since=V.CONSOLE_TOKENS_OF_ALL_TYPES,
        rule=rules.CONSOLE_AUTH_TOKENS,
        query=NOTHING,
        view=CONSOLE.one("console"),
    ),
)
