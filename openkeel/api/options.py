"""Options of the API (contract: config_options.json, groups api and wsgi)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "api": (
        cfg.IntOpt(
            "max_limit",
            default=1000,
            min=0,
            help="Most rows of one page of a list, whatever limit a client asks for.",
        ),
        cfg.StrOpt(
            "compute_link_prefix",
            help="URL that links in answers begin with. When not set they begin like the request's own URL; "
            "set it, or enable_proxy_headers_parsing, behind a proxy that changes it.",
        ),
        cfg.StrOpt(
            "glance_link_prefix",
            help="URL that links to images in answers begin with. When not set: as for compute_link_prefix.",
        ),
        cfg.BoolOpt(
            "enable_instance_password",
            default=True,
            help="Answer the administrator password that a new server was given.",
        ),
        cfg.StrOpt(
            "response_validation",
            choices=("error", "warn", "ignore"),
            default="warn",
            help=ignored(
                "What happens when an answer is not as its schema says: the request fails with 500, a line "
                "in the log, or nothing.",
                "answers and their schemas are made of the same tables, and tests compare them",
            ),
        ),
        # Lists over several cells
        cfg.BoolOpt(
            "list_records_by_skipping_down_cells",
            default=True,
            help="Whether lists of servers leave out, or show in part, what is in a cell that does not "
            "answer. If not, they fail with 503.",
        ),
        cfg.BoolOpt(
            "instance_list_per_project_cells",
            default=False,
            help=ignored(
                "Whether a project's list of servers asks only the cells it has servers in. Saves time when "
                "there are many cells and projects keep to a few.",
                "all cells are asked at the same time",
            ),
        ),
        cfg.StrOpt(
            "instance_list_cells_batch_strategy",
            choices=("distributed", "fixed"),
            default="distributed",
            help=ignored(
                "How many servers one cell is asked for at a time: the limit of the list spread over the "
                "cells, or instance_list_cells_batch_fixed_size.",
                "one statement reads what a page needs of a cell",
            ),
        ),
        cfg.IntOpt(
            "instance_list_cells_batch_fixed_size",
            default=100,
            min=100,
            help=ignored(
                "Servers that a cell is asked for at a time with the strategy `fixed`, and the least with "
                "`distributed`.",
                "one statement reads what a page needs of a cell",
            ),
        ),
        # Networks
        cfg.BoolOpt(
            "use_neutron_default_nets",
            default=False,
            help="Show every project in os-tenant-networks, besides its own, the networks of "
            "neutron_default_project_id.",
        ),
        cfg.StrOpt(
            "neutron_default_project_id",
            default="default",
            deprecated_name="neutron_default_tenant_id",
            help="Project whose networks are shown when use_neutron_default_nets is on.",
        ),
    ),
    "wsgi": (
        cfg.StrOpt(
            "api_paste_config",
            default="api-paste.ini",
            deprecated_group="DEFAULT",
            help=ignored(
                "Name of the paste file that says what a request passes through.",
                "OpenKeel's API has one fixed order",
            ),
        ),
        cfg.StrOpt(
            "secure_proxy_ssl_header",
            deprecated_group="DEFAULT",
            deprecated_for_removal=True,
            deprecated_since="31.0.0",
            deprecated_reason="A header that any client can send must not be trusted.",
            help=ignored(
                "Header, as WSGI names it, whose value is the scheme that the client used.",
                "enable_proxy_headers_parsing of [oslo_middleware] does it",
            ),
        ),
    ),
}
