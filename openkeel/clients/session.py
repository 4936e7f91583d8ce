"""Connections to the outside services: who asks, over which pool, how long, how often again.

A `Connection` is made once per service and process (after forking: connections must not be shared
by processes) and used by all threads. A request with a context that has a token is made as that
user, with our service token beside it when `[service_user] send_service_user_token` says so; any
other request is made on the service account of the group.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import requests
from keystoneauth1 import exceptions as ksa
from keystoneauth1 import loading, plugin, service_token
from keystoneauth1.access import service_catalog
from keystoneauth1.adapter import Adapter
from keystoneauth1.session import Session, TCPKeepAliveAdapter
from oslo_config import cfg
from oslo_context.context import get_current

from openkeel.clients import errors
from openkeel.common.context import Context

# More threads than this in one process would only queue at the service anyway.
POOL_SIZE = 64
DEFAULT_TIMEOUT_S = 60.0
DEFAULT_RETRIES = 2
FIRST_PAUSE_S = 0.5


class UserAuth(plugin.BaseAuthPlugin):
    """The token of a context, with the catalogue that came with it.

    A context whose catalogue lacks the service (Nova and we send only some types between daemons)
    asks the service account for the address.
    """

    def __init__(self, ctx: Context, fallback: plugin.BaseAuthPlugin | None) -> None:
        super().__init__()
        self._token = ctx.auth_token
        self._project_id = ctx.project_id
        self._catalog = service_catalog.ServiceCatalogV2(ctx.service_catalog)
        self._fallback = fallback

    def get_token(self, session: Session, **kwargs: Any) -> str | None:  # noqa: ARG002 interface
        return self._token

    def get_endpoint(
        self,
        session: Session,
        *,
        service_type: str | None = None,
        interface: Any = None,
        region_name: str | None = None,
        service_name: str | None = None,
        **kwargs: Any,
    ) -> str | None:
        url = (
            self._catalog.url_for(
                service_type=service_type,
                interface=interface,
                region_name=region_name,
                service_name=service_name,
            )
            if self._knows(service_type)
            else None
        )
        if url is None and self._fallback is not None:
            url = self._fallback.get_endpoint(
                session,
                service_type=service_type,
                interface=interface,
                region_name=region_name,
                service_name=service_name,
                **kwargs,
            )
        return url

    def get_project_id(self, session: Session, **kwargs: Any) -> str | None:  # noqa: ARG002 interface
        return self._project_id

    def _knows(self, service_type: str | None) -> bool:
        return any(entry.get("type") == service_type for entry in self._catalog.catalog)

    def invalidate(self) -> bool:
        return False  # nobody but the user can get another token


@dataclass(frozen=True)
class Retries:
    """How often an idempotent request is tried again, and what the whole may take."""

    connect: int = DEFAULT_RETRIES
    first_pause_s: float = FIRST_PAUSE_S
    status: int = 0
    timeout_s: float = DEFAULT_TIMEOUT_S


class Connection:
    """Requests to one service."""

    def __init__(
        self,
        service: str,
        session: Session,
        *,
        adapter: Mapping[str, Any],
        service_auth: plugin.BaseAuthPlugin | None = None,
        token_auth: plugin.BaseAuthPlugin | None = None,
        retries: Retries | None = None,
        microversion: str | None = None,
        version_path: str = "",
    ) -> None:
        """`service_auth` is the group's own account, `token_auth` the one whose service token is sent.

        `version_path` (e.g. "/v2.0") goes before every path, unless the address in the catalogue ends
        with it already.
        """
        self.service = service
        self._session = session
        self._adapter = dict(adapter)
        self._service_auth = service_auth
        self._token_auth = token_auth
        self._retries = retries or Retries()
        self._microversion = microversion
        self._version_path = version_path

    def request(
        self,
        method: str,
        path: str,
        *,
        ctx: Context | None = None,
        body: Any = None,
        params: Any = None,
        headers: Mapping[str, str] | None = None,
        microversion: str | None = None,
        idempotent: bool | None = None,
        timeout_s: float | None = None,
        stream: bool = False,
    ) -> requests.Response:
        """Make the request and return the answer, which is below 400.

        GET, PUT and DELETE count as idempotent unless said otherwise; only such are tried again
        after a lost connection. The answer of a repeated DELETE may be 404: callers take it as done.

        Raises: errors of `clients.errors`.
        """
        as_user = ctx is not None and bool(ctx.auth_token)
        again = method != "POST" if idempotent is None else idempotent
        adapter = self._adapter_for(ctx, again=again)
        arguments: dict[str, Any] = {
            "timeout": timeout_s or self._retries.timeout_s,
            "headers": dict(headers or {}),
        }
        if body is not None:
            arguments["json"] = body
        if params is not None:
            arguments["params"] = params
        if stream:
            arguments["stream"] = True
        version = microversion or self._microversion
        if version is not None:
            arguments["microversion"] = version
        with errors.translated(self.service, as_user=as_user):
            return self._send(
                adapter,
                method,
                self._rooted(path, ctx),
                arguments,
                attempts=1 + self._retries.connect * again,
            )

    def json(self, method: str, path: str, **kwargs: Any) -> Any:
        """As `request`; returns the decoded body, None when there is none."""
        response = self.request(method, path, **kwargs)
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise errors.Unavailable(
                service=self.service, status=response.status_code, code="", detail="its answer is not JSON"
            ) from error

    def endpoint(self, ctx: Context | None = None) -> str:
        """The base address. Raises: NotSetUp when the catalogue has none."""
        with errors.translated(self.service, as_user=False):
            url = self._adapter_for(ctx, again=True).get_endpoint()
        if not url:
            raise errors.NotSetUp(
                service=self.service, status=None, code="", detail="the catalogue has no endpoint for it"
            )
        return str(url).rstrip("/")

    def url(self, path: str, ctx: Context | None = None) -> str:
        """The whole address of a path, for somebody else to ask. Raises: Unavailable."""
        return self.endpoint(ctx) + self._rooted(path, ctx)

    def headers(self, ctx: Context | None = None) -> dict[str, str]:
        """The headers that authenticate a request made by somebody else."""
        auth = self._auth(ctx)
        if auth is None:
            return {}
        with errors.translated(self.service, as_user=ctx is not None):
            return dict(self._session.get_auth_headers(auth) or {})

    def _rooted(self, path: str, ctx: Context | None) -> str:
        if self._version_path and not self.endpoint(ctx).endswith(self._version_path):
            return self._version_path + path
        return path

    def _send(
        self, adapter: Adapter, method: str, path: str, arguments: dict[str, Any], *, attempts: int
    ) -> requests.Response:
        give_up = time.monotonic() + self._retries.timeout_s
        pause = self._retries.first_pause_s
        while True:
            attempts -= 1
            try:
                response: requests.Response = adapter.request(path, method, **arguments)
            except ksa.RetriableConnectionFailure:
                if attempts <= 0 or time.monotonic() + pause >= give_up:
                    raise
                time.sleep(pause)
                pause *= 2
            else:
                return response

    def _adapter_for(self, ctx: Context | None, *, again: bool) -> Adapter:
        current = ctx if ctx is not None else get_current()
        return Adapter(
            self._session,
            auth=self._auth(ctx),
            connect_retries=0,
            status_code_retries=self._retries.status if again else 0,
            global_request_id=None if current is None else current.global_id,
            **self._adapter,
        )

    def _auth(self, ctx: Context | None) -> plugin.BaseAuthPlugin | None:
        if ctx is None or not ctx.auth_token:
            return self._service_auth
        user = UserAuth(ctx, self._service_auth or self._token_auth)
        if self._token_auth is None:
            return user
        return service_token.ServiceTokenAuthWrapper(user, self._token_auth)


def pooled_session(**kwargs: Any) -> requests.Session:
    """A requests session that keeps a connection for every thread."""
    pool = requests.Session()
    for scheme in ("https://", "http://"):
        pool.mount(scheme, TCPKeepAliveAdapter(pool_connections=4, pool_maxsize=POOL_SIZE, **kwargs))
    return pool


def connect(
    conf: cfg.ConfigOpts,
    group: str,
    service: str,
    *,
    connect_retries: int | None = None,
    endpoint_override: str | None = None,
    microversion: str | None = None,
    version_path: str = "",
    place: Mapping[str, Any] | None = None,
) -> Connection:
    """The connection that the group's options describe; `clients.options` must be registered.

    `connect_retries` and `endpoint_override` are values of the group's own older options for the
    same things, if it has any; `place` says where the service is, in keystoneauth's words, for a group
    that has only such. Without credentials there and in [service_user] the connection can only speak for
    users.
    """
    options = conf[group]
    adapter: dict[str, Any] = {} if endpoint_override is None else {"endpoint_override": endpoint_override}
    again = Retries(DEFAULT_RETRIES if connect_retries is None else connect_retries)
    again = replace(again, timeout_s=options.timeout or DEFAULT_TIMEOUT_S)
    if place is not None:
        adapter.update(place)
    else:
        loading.adapter.process_conf_options(options, adapter)
        for own in ("connect_retries", "status_code_retries"):
            adapter.pop(own)
        again = replace(
            again,
            connect=again.connect if options.connect_retries is None else options.connect_retries,
            first_pause_s=options.connect_retry_delay or FIRST_PAUSE_S,
            status=options.status_code_retries or 0,
        )
    session = loading.load_session_from_conf_options(
        conf,
        group,
        session=pooled_session(tls_ciphers=options.tls_ciphers, tls_min_version=options.tls_min_version),
    )
    return Connection(
        service,
        session,
        adapter=adapter,
        # Groups that Nova knows without credentials (glance) speak for the daemon as its service user.
        service_auth=account(conf, group) or account(conf, "service_user"),
        token_auth=_service_token_account(conf),
        retries=again,
        microversion=microversion,
        version_path=version_path,
    )


def account(conf: cfg.ConfigOpts, group: str) -> plugin.BaseAuthPlugin | None:
    """The credentials of the group; None when it has none."""
    if "auth_type" not in conf[group] or not (conf[group].auth_type or conf[group].auth_section):
        return None
    return loading.load_auth_from_conf_options(conf, group)


def _service_token_account(conf: cfg.ConfigOpts) -> plugin.BaseAuthPlugin | None:
    if not conf.service_user.send_service_user_token:
        return None
    return account(conf, "service_user")
