"""Tokens of consoles, for the proxies that serve them: /os-console-auth-tokens."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import ANYONE, Behaviour, Field, Operation, View
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

ALL_TYPES: Final = Behaviour("tokens of every console type", since=V.CONSOLE_TOKENS_OF_ALL_TYPES)

# Handlers


def show(request: Request) -> Any:
    """Where a token leads.

    Compat: early versions knew only tokens of RDP consoles, which are no more; they refuse before any
    rule is asked.
    """
    if not request.has(ALL_TYPES):
        raise Invalid("Tokens of this kind of console are known from version 2.31 on.")
    request.enforce(rules.CONSOLE_AUTH_TOKENS)
    return request.services.console_tokens.find(request.params["id"])


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-console-auth-tokens/{id}",
        show,
        rule=ANYONE,
        query=NOTHING,
        view=CONSOLE.one("console"),
        behaviours=(ALL_TYPES,),
        more_rules=(rules.CONSOLE_AUTH_TOKENS,),
    ),
)
