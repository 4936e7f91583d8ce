"""Options of [glance]."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, session_options
from openkeel.common.option_help import ignored, later

GROUP: Final = "glance"
_IMPORTER: Final = "the cluster's importer fetches images, by HTTP"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    cfg.ListOpt(
        "api_servers",
        deprecated_for_removal=True,
        deprecated_since="21.0.0",
        deprecated_reason="The catalogue or endpoint_override says where Glance is.",
        help="Addresses of Glance; the first is used.",
    ),
    cfg.IntOpt(
        "num_retries",
        default=3,
        min=0,
        help="How often a request is tried again after a lost connection.",
    ),
    cfg.BoolOpt(
        "verify_glance_signatures",
        default=False,
        help=later("image signatures", "Check the signature of an image before a server boots from it."),
    ),
    cfg.BoolOpt(
        "enable_certificate_validation",
        default=False,
        deprecated_for_removal=True,
        deprecated_since="16.0.0",
        deprecated_reason="Certificates are checked whenever trusted ones are given.",
        help=later("image signatures", "Check the certificates of image signatures."),
    ),
    cfg.ListOpt(
        "default_trusted_certificate_ids",
        default=[],
        help=later(
            "image signatures", "Ids of the certificates that are trusted when the request names none."
        ),
    ),
    cfg.BoolOpt(
        "enable_rbd_download",
        default=False,
        help=ignored("Fetch images directly from Ceph where Glance shows their place there.", _IMPORTER),
    ),
    cfg.StrOpt("rbd_user", default="", help=ignored("Ceph user for direct downloads.", _IMPORTER)),
    cfg.IntOpt(
        "rbd_connect_timeout", default=5, help=ignored("Seconds to wait for Ceph to answer.", _IMPORTER)
    ),
    cfg.StrOpt("rbd_pool", default="", help=ignored("Ceph pool in which Glance keeps images.", _IMPORTER)),
    cfg.StrOpt("rbd_ceph_conf", default="", help=ignored("Path of Ceph's configuration file.", _IMPORTER)),
    cfg.BoolOpt(
        "debug",
        default=False,
        help=ignored("Log the requests to Glance at debug level.", "default_log_levels says what is logged"),
    ),
    *session_options(
        {
            "cafile": [cfg.DeprecatedOpt("ca_file", group="ssl")],
            "certfile": [cfg.DeprecatedOpt("cert_file", group="ssl")],
            "keyfile": [cfg.DeprecatedOpt("key_file", group="ssl")],
            "insecure": [cfg.DeprecatedOpt("api_insecure", group=GROUP)],
        }
    ),
    *adapter_options("image"),
)
