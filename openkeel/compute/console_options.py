"""Options of the consoles of guests, as a host offers them and as clients are told of them.

Those of the proxies between the two are in `cmd/console_proxy_options.py`.
"""

import socket
from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored, later

_VNC: Final = "VNC consoles"
_SPICE: Final = "SPICE consoles"
_SERIAL: Final = "serial consoles"
_NO_PORT: Final = "guests listen on no port of the host, the API of the cluster leads to their consoles"
_DISPLAY: Final = "the cluster does not let it be chosen"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.StrOpt(
            "console_host",
            default=socket.gethostname(),
            sample_default="<current_hostname>",
            help=later("console notices", "Name of the host whose consoles guests are seen through."),
        ),
    ),
    "vnc": (
        cfg.BoolOpt(
            "enabled",
            default=True,
            deprecated_name="vnc_enabled",
            deprecated_group="DEFAULT",
            help=later(_VNC, "Whether guests have a graphical device that is seen through VNC."),
        ),
        cfg.URIOpt(
            "novncproxy_base_url",
            default="http://127.0.0.1:6080/vnc_auto.html",
            deprecated_group="DEFAULT",
            help=later(
                _VNC,
                "URL of the console page as users reach it. The token of a console is put behind it, so it "
                "must lead to a novncproxy that knows the cell of this host.",
            ),
        ),
        cfg.HostAddressOpt(
            "server_listen",
            default="127.0.0.1",
            help=ignored("Address on which the VNC servers of guests listen.", _NO_PORT),
        ),
        cfg.HostAddressOpt(
            "server_proxyclient_address",
            default="127.0.0.1",
            help=later(_VNC, "Address at which the proxy reaches the consoles of this host."),
        ),
    ),
    "spice": (
        cfg.BoolOpt(
            "enabled",
            default=False,
            help=later(_SPICE, "Whether guests have a graphical device that is seen through SPICE."),
        ),
        cfg.BoolOpt(
            "agent_enabled",
            default=True,
            help=later(_SPICE, "Whether guests have a channel for the SPICE agent."),
        ),
        cfg.URIOpt(
            "html5proxy_base_url",
            default="http://127.0.0.1:6082/spice_auto.html",
            help=later(
                _SPICE, "URL of the console page as users reach it. The token of a console is put behind it."
            ),
        ),
        cfg.URIOpt(
            "spice_direct_proxy_base_url",
            default="http://127.0.0.1:13002/nova",
            help=later(
                _SPICE,
                "URL of a proxy that leads SPICE clients other than browsers to a console. The token of the "
                "console is put behind it.",
            ),
        ),
        cfg.StrOpt(
            "server_listen",
            default="127.0.0.1",
            help=ignored("Address on which the SPICE servers of guests listen.", _NO_PORT),
        ),
        cfg.StrOpt(
            "server_proxyclient_address",
            default="127.0.0.1",
            help=later(_SPICE, "Address at which the proxy reaches the consoles of this host."),
        ),
        cfg.BoolOpt(
            "require_secure",
            default=False,
            help=ignored("Whether SPICE servers of guests take encrypted connections only.", _DISPLAY),
        ),
        cfg.StrOpt(
            "image_compression",
            choices=("auto_glz", "auto_lz", "quic", "glz", "lz", "off"),
            advanced=True,
            help=ignored("How SPICE servers compress pictures without loss.", _DISPLAY),
        ),
        cfg.StrOpt(
            "jpeg_compression",
            choices=("auto", "never", "always"),
            advanced=True,
            help=ignored("When SPICE servers compress pictures with loss, for slow networks.", _DISPLAY),
        ),
        cfg.StrOpt(
            "zlib_compression",
            choices=("auto", "never", "always"),
            advanced=True,
            help=ignored("When SPICE servers compress once more, for slow networks.", _DISPLAY),
        ),
        cfg.BoolOpt(
            "playback_compression",
            advanced=True,
            help=ignored("Whether SPICE servers compress sound.", _DISPLAY),
        ),
        cfg.StrOpt(
            "streaming_mode",
            choices=("filter", "all", "off"),
            advanced=True,
            help=ignored("What SPICE servers take for video and compress with loss.", _DISPLAY),
        ),
    ),
    "serial_console": (
        cfg.BoolOpt(
            "enabled",
            default=False,
            help=later(_SERIAL, "Whether users get consoles of the serial ports of their guests."),
        ),
        cfg.URIOpt(
            "base_url",
            default="ws://127.0.0.1:6083/",
            help=later(
                _SERIAL,
                "URL of the serial proxy as users reach it, ws:// or wss://. The token of a console is put "
                "behind it.",
            ),
        ),
        cfg.StrOpt(
            "port_range",
            regex=r"^\d+:\d+$",
            default="10000:20000",
            help=ignored("TCP ports of the host for serial ports of guests, as first:last.", _NO_PORT),
        ),
        cfg.StrOpt(
            "proxyclient_address",
            default="127.0.0.1",
            help=later(_SERIAL, "Address at which the proxy reaches the consoles of this host."),
        ),
    ),
}
