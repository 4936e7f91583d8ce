"""The application made from the configuration: middleware that operators turn on, and tokens."""

from typing import Any, Final

from keystonemiddleware import auth_token
from oslo_config import cfg
from oslo_middleware import cors, healthcheck, http_proxy_to_wsgi, sizelimit

from openkeel.api.app import Settings, Wrapper, build_app
from openkeel.api.middleware import Application
from openkeel.api.negotiation import HEADER, OLD_HEADER
from openkeel.policies import Enforcer

_REQUEST_HEADERS: Final = ["X-Auth-Token", "X-Openstack-Request-Id", "X-Identity-Status", "X-Roles"]
_ANSWER_HEADERS: Final = ["X-Auth-Token", "X-Openstack-Request-Id", "X-Subject-Token", HEADER, OLD_HEADER]
_METHODS: Final = ["GET", "PUT", "POST", "DELETE", "PATCH"]


def make_app(
    conf: cfg.ConfigOpts, services: Any, policy: Enforcer, authenticate: Wrapper | None = None
) -> Application:
    """The API behind Keystone tokens, as [api], [keystone_authtoken] and [oslo_middleware] say.

    `authenticate` stands in their place if given.
    """
    return build_app(
        services,
        policy,
        settings(conf),
        authenticate or (lambda inner: auth_token.AuthProtocol(inner, {"oslo_config_config": conf})),
    )


def settings(conf: cfg.ConfigOpts) -> Settings:
    """What operators set about the API. Options of oslo.middleware are registered on the way."""
    conf.register_opts(sizelimit.OPTS, group="oslo_middleware")
    conf.register_opts(http_proxy_to_wsgi.OPTS, group="oslo_middleware")
    around: list[Wrapper] = []
    cors.set_defaults(
        allow_headers=[*_REQUEST_HEADERS, HEADER, OLD_HEADER],
        expose_headers=_ANSWER_HEADERS,
        allow_methods=_METHODS,
    )
    conf.register_opts(cors.CORS_OPTS, group="cors")
    if conf.cors.allowed_origin:
        around.append(lambda inner: cors.CORS(inner, conf))
    if conf.oslo_middleware.enable_proxy_headers_parsing:
        around.append(lambda inner: http_proxy_to_wsgi.HTTPProxyToWSGI(inner, conf))
    return Settings(
        max_limit=conf.api.max_limit,
        max_body_bytes=conf.oslo_middleware.max_request_body_size,
        compute_link_prefix=conf.api.compute_link_prefix,
        image_link_prefix=conf.api.glance_link_prefix,
        around=tuple(around),
        beside={"/healthcheck": healthcheck.Healthcheck(None, conf)},
    )
