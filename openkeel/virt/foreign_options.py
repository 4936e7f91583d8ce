"""Options of Nova's other hypervisor drivers, which a `nova.conf` may have: accepted and ignored.

What they mean is in Nova's configuration reference. No daemon registers them. Those of libvirt, the
longest list, are in `libvirt_options.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import not_ours

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "guestfs": not_ours(
        "libvirt driver",
        (cfg.BoolOpt("debug", default=False),),
    ),
    "mks": not_ours(
        "VMware driver",
        (
            cfg.BoolOpt("enabled", default=False),
            cfg.URIOpt("mksproxy_base_url", schemes=["http", "https"], default="http://127.0.0.1:6090/"),
        ),
    ),
    "vmware": not_ours(
        "VMware driver",
        (
            cfg.IntOpt("api_retry_count", default=10, min=0),
            cfg.StrOpt("ca_file"),
            cfg.StrOpt("cache_prefix"),
            cfg.StrOpt("cluster_name"),
            cfg.IntOpt("connection_pool_size", default=10, min=10),
            cfg.IntOpt("console_delay_seconds", min=0),
            cfg.StrOpt("datastore_regex"),
            cfg.HostAddressOpt("host_ip"),
            cfg.StrOpt("host_password", secret=True),
            cfg.PortOpt("host_port", default=443),
            cfg.StrOpt("host_username"),
            cfg.BoolOpt("insecure", default=False),
            cfg.StrOpt("integration_bridge"),
            cfg.IntOpt("maximum_objects", default=100, min=0),
            cfg.StrOpt("pbm_default_policy"),
            cfg.BoolOpt("pbm_enabled", default=False),
            cfg.StrOpt("pbm_wsdl_location"),
            cfg.StrOpt("serial_log_dir", default="/opt/vmware/vspc"),
            cfg.URIOpt("serial_port_proxy_uri", schemes=["telnet", "telnets"]),
            cfg.StrOpt("serial_port_service_uri"),
            cfg.FloatOpt("task_poll_interval", default=0.5),
            cfg.BoolOpt("use_linked_clone", default=True),
            cfg.StrOpt("vnc_keymap", default="en-us"),
            cfg.PortOpt("vnc_port", default=5900),
            cfg.IntOpt("vnc_port_total", default=10000, min=0),
        ),
    ),
    "zvm": not_ours(
        "z/VM driver",
        (
            cfg.StrOpt("ca_file"),
            cfg.URIOpt("cloud_connector_url", sample_default="http://zvm.example.org:8080/"),
            cfg.StrOpt("image_tmp_path", default="$state_path/images", sample_default="$state_path/images"),
            cfg.IntOpt("reachable_timeout", default=300),
        ),
    ),
}
