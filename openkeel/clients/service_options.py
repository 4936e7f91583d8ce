"""The options that the groups of all outside services share: keystoneauth's, with Nova's defaults."""

from collections.abc import Mapping
from typing import Any, Final

from keystoneauth1 import loading
from oslo_config import cfg


def session_options(deprecated: Mapping[str, list[cfg.DeprecatedOpt]] | None = None) -> list[cfg.Opt]:
    """How to connect: certificates and timeout. `deprecated` is by option name."""
    return list(loading.get_session_conf_options(deprecated_opts=dict(deprecated or {})))


def adapter_options(service_type: str) -> list[cfg.Opt]:
    """Where the service is and how often it is asked again."""
    options: list[cfg.Opt] = loading.get_adapter_conf_options(include_deprecated=False)
    defaults: dict[str, Any] = {"service_type": service_type, "valid_interfaces": ["internal", "public"]}
    for option in options:
        if option.dest in defaults:
            option.default = defaults[option.dest]
    return options


def auth_options() -> list[cfg.Opt]:
    """With whose credentials; the plugin's own options join when it is loaded."""
    return list(loading.get_auth_common_conf_options())


SERVICE_USER: Final[tuple[cfg.Opt, ...]] = (
    cfg.BoolOpt(
        "send_service_user_token",
        default=False,
        help="Send a token of this account beside the user's own token to other services. They then "
        "accept a user's token that ran out during long work, and trust that the call comes from the "
        "compute service. Needs credentials in this group and a role the services take as a service role.",
    ),
    *session_options(),
    *auth_options(),
)
