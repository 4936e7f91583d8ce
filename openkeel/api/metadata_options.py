"""Options of what a server learns about itself: metadata service and config drive (group api)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_config.types import String

from openkeel.common.option_help import later

_METADATA: Final = "the metadata service"
_VENDORDATA: Final = "vendor data"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "api": (
        cfg.IntOpt(
            "metadata_cache_expiration",
            default=15,
            min=0,
            help=later(
                _METADATA,
                "Seconds for which the metadata of a server is kept before it is read again. 0 not to keep "
                "it.",
            ),
        ),
        cfg.BoolOpt(
            "local_metadata_per_cell",
            default=False,
            help=later(
                _METADATA,
                "Whether each cell has metadata services of its own, which look into no other cell.",
            ),
        ),
        cfg.StrOpt(
            "dhcp_domain",
            default="novalocal",
            help=later(_METADATA, "Domain that is put behind the hostname of a server. Empty for none."),
        ),
        cfg.StrOpt(
            "config_drive_skip_versions",
            default="1.0 2007-01-19 2007-03-01 2007-08-29 2007-10-10 2007-12-15 2008-02-01 2008-09-01",
            help=later(
                "EC2 metadata on config drives",
                "Versions of the EC2 metadata, separated by spaces, that a config drive leaves out.",
            ),
        ),
        cfg.ListOpt(
            "vendordata_providers",
            item_type=String(choices=["StaticJSON", "DynamicJSON"]),
            default=["StaticJSON"],
            help=later(
                _VENDORDATA,
                "Where vendor data comes from: the file vendordata_jsonfile_path (StaticJSON), the services "
                "vendordata_dynamic_targets (DynamicJSON), or both.",
            ),
        ),
        cfg.StrOpt(
            "vendordata_jsonfile_path",
            help=later(_VENDORDATA, "Path of a JSON file that every server gets as vendor data."),
        ),
        cfg.ListOpt(
            "vendordata_dynamic_targets",
            default=[],
            help=later(
                _VENDORDATA,
                "REST services that are asked for the vendor data of a server, each as name@URL. Their "
                "answers are found under their names.",
            ),
        ),
        cfg.StrOpt(
            "vendordata_dynamic_ssl_certfile",
            default="",
            help=later(
                _VENDORDATA,
                "Path of the certificates, or one certificate, that those services are checked with.",
            ),
        ),
        cfg.IntOpt(
            "vendordata_dynamic_connect_timeout",
            default=5,
            min=3,
            help=later(_VENDORDATA, "Seconds to wait for a connection to one of those services."),
        ),
        cfg.IntOpt(
            "vendordata_dynamic_read_timeout",
            default=5,
            min=0,
            help=later(_VENDORDATA, "Seconds to wait for the answer of one of those services."),
        ),
        cfg.BoolOpt(
            "vendordata_dynamic_failure_fatal",
            default=False,
            help=later(
                _VENDORDATA,
                "Whether a server fails to start, or its metadata to be answered, when one of those "
                "services fails. If not, its part is left out.",
            ),
        ),
    ),
}
