"""Who asks: the context of a request, from what the token middleware found."""

import logging
from collections.abc import Mapping
from typing import Any

import orjson

from openkeel.common.context import Context
from openkeel.policies import Enforcer

LOG = logging.getLogger(__name__)


def from_environ(environ: Mapping[str, Any], policy: Enforcer) -> Context:
    """The context of an authenticated WSGI request.

    `is_admin` is what the rule context_is_admin says. The catalogue comes with it, cut down to the
    services we call for the user.
    """
    catalog: Any = None
    if environ.get("HTTP_X_SERVICE_CATALOG"):
        try:
            catalog = orjson.loads(environ["HTTP_X_SERVICE_CATALOG"])
        except orjson.JSONDecodeError:
            LOG.warning("The service catalogue of a token is not JSON")
    ctx: Context = Context.from_environ(
        dict(environ),
        remote_address=environ.get("REMOTE_ADDR"),
        service_catalog=catalog,
        request_id=environ.get("openstack.request_id"),
        global_request_id=environ.get("openstack.global_request_id"),
    )
    ctx.is_admin = policy.is_admin(ctx)
    return ctx
