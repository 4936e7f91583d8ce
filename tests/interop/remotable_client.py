"""Calls every remotable method of Nova's own objects; run by the Python of Nova's environment.

    python remotable_client.py CONFIGURATION METHODS ANSWERS [remote]

`remote`: through a conductor, as a nova-compute does; else with Nova's own code on the databases of the
configuration, as a nova-conductor does. Both write what came of each call, so that the two can be compared.
"""

import datetime as dt
import json
import os
import re
import sys
import warnings
from pathlib import Path

import remotable_values

os.environ["OS_NOVA_DISABLE_EVENTLET_PATCHING"] = "1"
warnings.simplefilter("ignore")

from nova import config, context, objects, rpc  # noqa: E402
from nova.conductor import rpcapi  # noqa: E402
from nova.conf import CONF  # noqa: E402
from nova.network import model  # noqa: E402
from nova.objects import base  # noqa: E402
from remotable_values import UUID  # noqa: E402

WHEN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
CTX = context.RequestContext(
    "user-1", "project-1", is_admin=True, request_id="req-11111111-1111-1111-1111-111111111111"
)

# By the argument's name; every other argument is a text.
ARGUMENTS = {
    **remotable_values.ARGUMENTS,
    **dict.fromkeys(remotable_values.MOMENTS, WHEN),
    "binary": "nova-compute",
    "console_type": "novnc",
    "dev_dict": {
        "compute_node_id": 1,
        "address": "0000:00:1f.0",
        "vendor_id": "8086",
        "product_id": "1",
        "dev_type": "type-PCI",
        "status": "available",
        "dev_id": "x",
        "label": "l",
        "numa_node": 0,
        "parent_addr": None,
    },
    "end": WHEN,
    "host": "node-1",
    "hypervisor_type": "fake",
    "nodename": "node-1",
    "node": "node-1",
    "hypervisor_hostname": "node-1",
    "project_id": "project-1",
    "request_id": "req-11111111-1111-1111-1111-111111111111",
    "topic": "compute",
    "user_id": "user-1",
    "vm_state": "active",
}
# Where one value for all will not do.
SPECIAL = {
    **remotable_values.of_quotas("project-1"),
    **{
        (kind, method): {"project_id": "project-1", "resource": "cores", "limit": 7}
        for kind in ("Quotas", "QuotasNoOp")
        for method in ("create_limit", "update_limit")
    },
    ("Instance", "get_by_uuid"): {
        "expected_attrs": ["flavor", "metadata", "system_metadata", "info_cache", "tags", "pci_requests"]
    },
}
# Fields without which an object of the kind makes no sense.
FIELDS = {
    "address": "0000:00:00.1",
    "cell_mapping": lambda: objects.CellMapping(id=1, uuid=UUID),
    "cells": list,
    "deleted_at": None,
    "expires": 1,
    "finish_time": None,
    "start_time": lambda: WHEN,
    "type": "ssh",
    "compute_id": 1,
    "flavor": lambda: new("Flavor", inner=True),
    "host": "node-1",
    "hypervisor_hostname": "node-1",
    "binary": "nova-compute",
    "locked_by": "owner",
    "topic": "compute",
    "image": lambda: new("ImageMeta"),
    "project_id": "project-1",
    "user_id": "user-1",
    "request_id": "req-11111111-1111-1111-1111-111111111111",
    "vm_state": "active",
    "task_state": None,
    "status": "accepted",
    "policy": "affinity",
    "instance_uuid": UUID,
    "resource_id": UUID,
    "network_info": model.NetworkInfo,
    "cpu_info": "",
    "instance": lambda: objects.Instance(uuid=UUID, project_id="project-1", user_id="user-1"),
    "metadata": dict,
}
BY_TYPE = {**remotable_values.BY_TYPE, "EnumField": None}
OF_KIND = {
    ("CellMapping", "uuid"): "22222222-2222-3333-4444-555555555555",
    ("BlockDeviceMapping", "source_type"): "blank",
    ("InstanceAction", "request_id"): "req-22222222-1111-1111-1111-111111111111",
}
# What only the database makes, or what is not written together with the row.
NOT_GIVEN = {"id", "created_at", "updated_at", "deleted_at", "deleted", "uuid"}
SKIPPED = {
    "Instance": {
        "fault",
        "services",
        "security_groups",
        "pci_devices",
        "tags",
        "device_metadata",
        "ec2_ids",
        "numa_topology",
        "migration_context",
        "keypairs",
        "resources",
        "trusted_certs",
        "vcpu_model",
        "pci_requests",
        "info_cache",
        "old_flavor",
        "new_flavor",
    },
    "ComputeNode": {"pci_device_pools", "supported_hv_specs", "service_id", "numa_topology", "mapped"},
    "Service": {"compute_node", "availability_zone"},
    "BlockDeviceMapping": {"instance"},
    "RequestSpec": {
        "numa_topology",
        "pci_requests",
        "instance_group",
        "requested_networks",
        "requested_resources",
        "limits",
        "retry",
        "requested_destination",
        "network_metadata",
        "request_level_params",
        "security_groups",
        "image",
    },
    "InstanceGroup": {"members", "hosts", "policies"},
    "HostMapping": set(),
    "Aggregate": {"hosts"},
}


def new(kind, *, inner=False):
    """An object with every field that can be guessed from its type."""
    made = base.NovaObjectRegistry.obj_classes()[kind][0](CTX)
    for name, field in sorted(made.fields.items()):
        if name in SKIPPED.get(kind, ()) or (name in NOT_GIVEN and not (name == "uuid" or inner)):
            continue
        guess = FIELDS[name] if name in FIELDS else BY_TYPE.get(type(field).__name__)
        guess = OF_KIND.get((kind, name), guess)
        if callable(guess):
            guess = guess()
        choices = getattr(field._type, "valid_values", None)
        if choices and guess not in choices:
            guess = next(iter(choices))
        for value in (guess, "a", WHEN, [], {}):
            try:
                setattr(made, name, value)
            except Exception:  # noqa: BLE001 the next one may fit
                continue
            break
    return made


TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
ANY_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def plain(value):  # noqa: PLR0911 one for each kind
    """A result as both sides must have it: moments and new uuids differ."""
    if isinstance(value, base.NovaObject):
        return plain(
            {
                "object": value.obj_name(),
                **{
                    name: field.to_primitive(value, name, getattr(value, name))
                    for name, field in value.fields.items()
                    if value.obj_attr_is_set(name)
                },
            }
        )
    if isinstance(value, dict):
        return {
            str(key): plain(each)
            for key, each in sorted(value.items(), key=str)
            if key != "nova_object.changes"
        }
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=str)
    if isinstance(value, dt.datetime):
        return "a moment"
    if isinstance(value, str):
        if TIME.match(value):
            return "a moment"
        if value.startswith("sqlite:"):
            return "a database"
        return ANY_UUID.sub(lambda found: found[0] if found[0] == UUID else "a uuid", value)
    return value if isinstance(value, (int, float, bool, type(None))) else repr(value)


def call(kind, method, row, known):
    """One call: its result and how the object looks then, or its error."""
    special = SPECIAL.get((kind, method), {})
    given = {
        name: ARGUMENTS.get(name, "a") for name in row["needs"] if name not in special and name != "resource"
    } | {name: value for name, value in special.items() if name != "resource"}
    if "instance" in given:
        given["instance"] = known.get("Instance") or new("Instance")
    if "network_info" in given:
        given["network_info"] = model.NetworkInfo()
    positional = []
    if "resource" in special:
        positional = [special["resource"]]
        if method.endswith("_limit"):
            positional = [given.pop("project_id"), special["resource"], given.pop("limit")]
    cls = base.NovaObjectRegistry.obj_classes()[kind][0]
    item = None
    try:
        if row["on_object"]:
            item = new(kind) if method == "create" else known.get(kind) or new(kind)
            if method == "save":
                change(item)
            result = getattr(item, method)(*positional, **given)
        else:
            result = getattr(cls, method)(CTX, *positional, **given)
    except Exception as error:  # noqa: BLE001 to be compared
        return {
            "error": type(error).__name__.removesuffix("_Remote"),
            "text": str(error).partition("\n")[0][:300],
        }
    if method == "create":
        known.setdefault(kind, item if item is not None else result)
    answer = {"result": plain(result)}
    if item is not None:
        answer["object"] = plain(item)
        answer["changes"] = sorted(item.obj_what_changed())
    return answer


CHANGES = {
    "display_name": "b",
    "progress": 7,
    "report_count": 3,
    "vcpus_used": 2,
    "status": "finished",
    "name": "b",
    "boot_index": 3,
}


def change(item):
    """Something to save."""
    for name, value in CHANGES.items():
        if name in item.fields:
            try:
                setattr(item, name, value)
            except Exception:  # noqa: BLE001 read-only, or another type
                continue
            return


FIRST = ("Instance", "Service", "ComputeNode", "Flavor", "Aggregate", "InstanceGroup", "InstanceAction")


def rank(name):
    """What is made comes first, what ends something last."""
    kind, method = name
    stage = 0 if method.startswith("create") or method.endswith(("_start", "begin_task")) else 1
    if method.startswith(("save", "update", "set_", "add_", "refresh")):
        stage = 2
    if "destroy" in method or "delete" in method or method.startswith(("drop", "clean", "end_", "remove")):
        stage = 3
    if name == ("Instance", "destroy"):
        stage = 4
    return stage, FIRST.index(kind) if kind in FIRST else len(FIRST), kind, method


def main(configuration, methods, answers, mode=""):
    config.parse_args(["nova-compute", "--config-file", configuration])
    objects.register_all()
    if mode == "remote":
        rpc.init(CONF)
        base.NovaObject.indirection_api = rpcapi.ConductorAPI()
    rows = {tuple(name.split(".")): row for name, row in json.loads(Path(methods).read_text()).items()}
    known, told = {}, {}
    for kind, method in sorted(rows, key=rank):
        told[f"{kind}.{method}"] = call(kind, method, rows[kind, method], known)
    Path(answers).write_text(json.dumps(told, indent=1))


main(*sys.argv[1:])
os._exit(0)  # threads of the bus must not hold us
