"""Options of the proxies that lead browsers to the consoles of guests."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_config.types import String

from openkeel.common.option_help import ignored, later

_PROXIES: Final = "the console proxies"
_ANY: Final = "0.0.0.0"  # noqa: S104

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.StrOpt(
            "cert",
            default="self.pem",
            help=later(_PROXIES, "Path of the certificate, and the key if `key` is not set, of a proxy."),
        ),
        cfg.StrOpt("key", help=later(_PROXIES, "Path of the key of that certificate.")),
        cfg.BoolOpt(
            "ssl_only",
            default=False,
            help=later(_PROXIES, "Refuse connections that are not encrypted."),
        ),
        cfg.StrOpt(
            "web",
            default="/usr/share/spice-html5",
            help=later(_PROXIES, "Directory of the pages that a proxy serves beside its consoles."),
        ),
        cfg.StrOpt("record", help=later(_PROXIES, "Path of files in which a proxy records all traffic.")),
        cfg.BoolOpt("source_is_ipv6", default=False, help=later(_PROXIES, "Listen on an IPv6 address.")),
        cfg.BoolOpt(
            "daemon",
            default=False,
            help=ignored("Go to the background.", "that is for what starts the daemons"),
        ),
    ),
    "console": (
        cfg.ListOpt(
            "allowed_origins",
            default=[],
            deprecated_name="console_allowed_origins",
            deprecated_group="DEFAULT",
            help=later(_PROXIES, "Further hosts, besides that of the proxy, whose pages may open consoles."),
        ),
        cfg.StrOpt(
            "ssl_ciphers",
            help=later(_PROXIES, "Ciphers of a proxy, as OpenSSL lists them. Its defaults when not set."),
        ),
        cfg.StrOpt(
            "ssl_minimum_version",
            choices=("default", "tlsv1_1", "tlsv1_2", "tlsv1_3"),
            default="default",
            help=later(_PROXIES, "Oldest TLS that a proxy speaks; `default` for what OpenSSL says."),
        ),
    ),
    "consoleauth": (
        cfg.IntOpt(
            "token_ttl",
            default=600,
            min=0,
            deprecated_name="console_token_ttl",
            deprecated_group="DEFAULT",
            help=later("console tokens", "Seconds for which the token of a console opens it."),
        ),
        cfg.BoolOpt(
            "enforce_session_timeout",
            default=False,
            help=later(_PROXIES, "Close a console when its token has run out."),
        ),
    ),
    "vnc": (
        cfg.StrOpt(
            "novncproxy_host",
            default=_ANY,
            deprecated_group="DEFAULT",
            help=later(_PROXIES, "Address on which novncproxy listens."),
        ),
        cfg.PortOpt(
            "novncproxy_port",
            default=6080,
            deprecated_group="DEFAULT",
            help=later(_PROXIES, "Port on which novncproxy listens."),
        ),
        cfg.ListOpt(
            "auth_schemes",
            item_type=String(choices=["none", "vencrypt"]),
            default=["none"],
            help=later(
                _PROXIES,
                "How novncproxy logs in to VNC servers: not at all, or by vencrypt with the files below. The "
                "first that the server knows is taken.",
            ),
        ),
        cfg.StrOpt(
            "vencrypt_client_key",
            help=later(_PROXIES, "Path of the key with which novncproxy logs in to VNC servers."),
        ),
        cfg.StrOpt(
            "vencrypt_client_cert",
            help=later(_PROXIES, "Path of the certificate of that key."),
        ),
        cfg.StrOpt(
            "vencrypt_ca_certs",
            help=later(_PROXIES, "Path of the certificates that VNC servers are checked with."),
        ),
    ),
    "spice": (
        cfg.HostAddressOpt(
            "html5proxy_host", default=_ANY, help=later(_PROXIES, "Address on which spicehtml5proxy listens.")
        ),
        cfg.PortOpt(
            "html5proxy_port", default=6082, help=later(_PROXIES, "Port on which spicehtml5proxy listens.")
        ),
    ),
    "serial_console": (
        cfg.StrOpt(
            "serialproxy_host", default=_ANY, help=later(_PROXIES, "Address on which serialproxy listens.")
        ),
        cfg.PortOpt(
            "serialproxy_port", default=6083, help=later(_PROXIES, "Port on which serialproxy listens.")
        ),
    ),
}
