"""Every remote method this deployment speaks, in one table (contract: rpc.json).

Clients send by these rows, servers are described by them, and tests compare them with the endpoint
classes and with the contract. Adding a method is adding a row, a client method and an endpoint method.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class How(StrEnum):
    """How a message goes out."""

    CALL = "call"  # wait for the answer
    CAST = "cast"  # one of the servers gets it, nobody waits
    FANOUT = "cast fanout"  # every server gets it


@dataclass(frozen=True, slots=True)
class Former:
    """How a method goes to peers that are too old for its present version: without what they do not know."""

    version: str
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """One remote method.

    `version` is the first one that takes these arguments; `sends` are the arguments our client sends;
    `accepts` are further ones that a server takes from older clients. `is_long` waits for
    long_rpc_timeout under heartbeats. `alternate` goes to the second topic of peers that have one.
    `formers`, newest first, are tried for peers that are pinned below `version` (`upgrade_levels`).
    """

    name: str
    version: str
    sends: tuple[str, ...]
    how: How = How.CAST
    accepts: tuple[str, ...] = ()
    is_long: bool = False
    alternate: bool = False
    formers: tuple[Former, ...] = ()

    def for_peers(self, speak: Callable[[str], bool]) -> Former | None:
        """The form that peers understand, `speak` says which versions they do; None when they know none."""
        return next((form for form in (Former(self.version), *self.formers) if speak(form.version)), None)


@dataclass(frozen=True, slots=True)
class Api:
    """The methods of one kind of server under one namespace."""

    name: str
    topic: str
    version: str
    methods: tuple[Method, ...]
    namespace: str | None = None
    alternate_topic: str | None = None
    alternate_since: str | None = None

    def __getitem__(self, name: str) -> Method:
        return next(method for method in self.methods if method.name == name)


_SAME_IN_5: Final = (Former("5.0"),)

COMPUTE: Final = Api(
    "compute",
    topic="compute",
    version="6.5",
    # Work of other hosts and of Neutron overtakes the users' in a queue of its own.
    alternate_topic="compute-alt",
    alternate_since="6.5",
    methods=(
        # boot, delete
        Method(
            "build_and_run_instance",
            "6.0",
            (
                "instance",
                "image",
                "request_spec",
                "filter_properties",
                "accel_uuids",
                "admin_password",
                "injected_files",
                "requested_networks",
                "security_groups",
                "block_device_mapping",
                "node",
                "limits",
                "host_list",
            ),
            formers=(Former("5.11"), Former("5.0", lacks=("accel_uuids",))),
        ),
        Method("terminate_instance", "6.0", ("instance", "bdms"), formers=_SAME_IN_5),
        # power
        Method("start_instance", "6.0", ("instance",), formers=_SAME_IN_5),
        Method("stop_instance", "6.0", ("instance", "clean_shutdown"), formers=_SAME_IN_5),
        Method(
            "reboot_instance", "6.0", ("instance", "block_device_info", "reboot_type"), formers=_SAME_IN_5
        ),
        # console
        Method("get_console_output", "6.0", ("instance", "tail_length"), How.CALL, formers=_SAME_IN_5),
        # diagnostics
        Method("get_diagnostics", "6.0", ("instance",), How.CALL, formers=_SAME_IN_5),
        Method("get_instance_diagnostics", "6.0", ("instance",), How.CALL, formers=_SAME_IN_5),
        # events
        Method("external_instance_event", "6.0", ("instances", "events"), alternate=True, formers=_SAME_IN_5),
        # host
        Method("get_host_uptime", "6.0", (), How.CALL, formers=_SAME_IN_5),
        Method("set_host_enabled", "6.0", ("enabled",), How.CALL, is_long=True, formers=_SAME_IN_5),
        Method("host_maintenance_mode", "6.0", ("host", "mode"), How.CALL, formers=_SAME_IN_5),
        Method("host_power_action", "6.0", ("action",), How.CALL, formers=_SAME_IN_5),
        # image_cache
        Method("cache_images", "6.0", ("image_ids",), How.CALL, is_long=True, formers=(Former("5.4"),)),
    ),
)

# Peers of the releases before send the same methods as this version; arguments that came with 6 may lack.
COMPUTE_5: Final = "5.13"

CONDUCTOR: Final = Api(
    "conductor",
    topic="conductor",
    version="3.0",
    methods=(
        Method("object_action", "3.0", ("objinst", "objmethod", "args", "kwargs"), How.CALL),
        Method(
            "object_class_action_versions",
            "3.0",
            ("objname", "objmethod", "object_versions", "args", "kwargs"),
            How.CALL,
        ),
        Method("object_backport_versions", "3.0", ("objinst", "object_versions"), How.CALL),
    ),
)

COMPUTE_TASK: Final = Api(
    "compute_task",
    topic="conductor",
    namespace="compute_task",
    version="1.26",
    methods=(
        Method(
            "schedule_and_build_instances",
            "1.17",
            (
                "build_requests",
                "request_specs",
                "image",
                "admin_password",
                "injected_files",
                "requested_networks",
                "block_device_mapping",
                "tags",
            ),
            formers=(Former("1.16", lacks=("tags",)),),
        ),
        Method(
            "build_instances",
            "1.19",
            (
                "instances",
                "image",
                "filter_properties",
                "admin_password",
                "injected_files",
                "requested_networks",
                "security_groups",
                "request_spec",
                "host_lists",
            ),
            accepts=("block_device_mapping", "legacy_bdm"),
            formers=(
                Former("1.18", lacks=("host_lists",)),
                Former("1.10", lacks=("host_lists", "request_spec")),
                Former("1.9", lacks=("host_lists", "request_spec")),
            ),
        ),
        Method("cache_images", "1.21", ("aggregate", "image_ids")),
    ),
)

SCHEDULER: Final = Api(
    "scheduler",
    topic="scheduler",
    version="4.5",
    methods=(
        Method(
            "select_destinations",
            "4.5",
            ("spec_obj", "instance_uuids", "return_objects", "return_alternates"),
            How.CALL,
            accepts=("request_spec", "filter_properties"),
            is_long=True,
        ),
        Method("update_aggregates", "4.1", ("aggregates",), How.FANOUT),
        Method("delete_aggregate", "4.1", ("aggregate",), How.FANOUT),
        Method("update_instance_info", "4.2", ("host_name", "instance_info"), How.FANOUT),
        Method("delete_instance_info", "4.2", ("host_name", "instance_uuid"), How.FANOUT),
        Method("sync_instance_info", "4.2", ("host_name", "instance_uuids"), How.FANOUT),
    ),
)

# Served by every daemon on its own topic.
BASE: Final = Api(
    "baseapi",
    topic="<service topic>",
    namespace="baseapi",
    version="1.1",
    methods=(
        Method("ping", "1.0", ("arg",), How.CALL),
        Method("get_backdoor_port", "1.1", (), How.CALL),
    ),
)

APIS: Final = (COMPUTE, CONDUCTOR, COMPUTE_TASK, SCHEDULER, BASE)
