"""Every remote method this deployment speaks, in one table (contract: rpc.json).

Clients send by these rows, servers are described by them, and tests compare them with the endpoint
classes and with the contract. Adding a method is adding a row, a client method and an endpoint method.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class How(StrEnum):
    """How a message goes out."""

    CALL = "call"  # wait for the answer
    CAST = "cast"  # one of the servers gets it, nobody waits
    FANOUT = "cast fanout"  # every server gets it


@dataclass(frozen=True, slots=True)
class Method:
    """One remote method.

    `version` is the first one that takes these arguments; `sends` are the arguments our client sends;
    `accepts` are further ones that a server takes from older clients. `is_long` waits for
    long_rpc_timeout under heartbeats. `alternate` goes to the second topic of peers that have one.
    """

    name: str
    version: str
    sends: tuple[str, ...]
    how: How = How.CAST
    accepts: tuple[str, ...] = ()
    is_long: bool = False
    alternate: bool = False


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
        ),
        Method("terminate_instance", "6.0", ("instance", "bdms")),
        # power
        Method("start_instance", "6.0", ("instance",)),
        Method("stop_instance", "6.0", ("instance", "clean_shutdown")),
        Method("reboot_instance", "6.0", ("instance", "block_device_info", "reboot_type")),
        # console
        Method("get_console_output", "6.0", ("instance", "tail_length"), How.CALL),
        # events
        Method("external_instance_event", "6.0", ("instances", "events"), alternate=True),
        # host
        Method("get_host_uptime", "6.0", (), How.CALL),
        Method("set_host_enabled", "6.0", ("enabled",), How.CALL, is_long=True),
    ),
)

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
        ),
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
    methods=(Method("ping", "1.0", ("arg",), How.CALL),),
)

APIS: Final = (COMPUTE, CONDUCTOR, COMPUTE_TASK, SCHEDULER, BASE)
