"""No remotable method is dead: each runs on SQLite, to an answer or an error of ours."""

import contextlib
import inspect

import pytest

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.object_methods import METHODS, OnObject, Stores, Zones
from openkeel.db.cells import CellDirectory
from openkeel.db.session import Database, DatabaseSettings
from openkeel.domain.errors import KeelError
from openkeel.objects.base import VersionedObjectRegistry
from openkeel.objects.network_info import NetworkInfo
from openkeel.services.quota import QuotaService
from tests.contract.stores.conftest import UUID

WHEN = "2026-01-01T00:00:00+00:00"
# By the argument's name; every other argument is a text.
ARGUMENTS = {
    "begin": WHEN,
    "binaries": ["nova-compute"],
    "compute_uuids": [UUID],
    "confirm_window": 10,
    "deltas": {"instances": 1},
    "disabled": False,
    "filters": {},
    "hosts": ["node-1"],
    "instance_uuids": [UUID],
    "period_beginning": WHEN,
    "period_ending": WHEN,
    "reboot_window": 10,
    "security_group_ids": [1],
    "tags": ["a"],
    "ttl": 60,
    "updates": {"a": "b"},
    "user_values": {"instances": 1},
    "uuids": [UUID],
    **dict.fromkeys(
        (
            "action_id",
            "aggregate_id",
            "cell_id",
            "compute_id",
            "compute_node_id",
            "ec2_id",
            "event_id",
            "id",
            "inst_id",
            "limit",
            "mapped_less_than",
            "migration_id",
            "node_id",
            "s3_id",
            "secgroup_id",
            "security_group_id",
            "service_id",
            "vif_id",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "aggregate_uuid",
            "compute_uuid",
            "group_uuid",
            "instance_uuid",
            "migration_uuid",
            "resource_id",
            "s3_image_uuid",
            "service_uuid",
            "share_id",
            "uuid",
            "vif_uuid",
            "volume_id",
        ),
        UUID,
    ),
}
# Where one text for all will not do.
SPECIAL = {
    ("Quotas", "count"): {"resource": "server_groups", "project_id": "p"},
    ("Quotas", "count_as_dict"): {"resource": "server_groups", "project_id": "p"},
    ("Quotas", "check_deltas"): {"project_id": "p"},
    ("QuotasNoOp", "count"): {"resource": "server_groups", "project_id": "p"},
    ("QuotasNoOp", "count_as_dict"): {"resource": "server_groups", "project_id": "p"},
    ("Quotas", "limit_check_project_and_user"): {"project_values": {"cores": 1}},
    ("QuotasNoOp", "limit_check_project_and_user"): {"project_values": {"cores": 1}},
}
# Fields without which an object of the kind makes no sense.
FIELDS = {
    "address": "0000:00:00.1",
    "block_device_mappings": objects.BlockDeviceMappingList,
    "cell_mapping": lambda: objects.CellMapping(id=1, uuid=UUID),
    "cells": list,
    "expires": 1,
    "hosts": list,
    "id": 1,
    "instance": lambda: objects.Instance(uuid=UUID, project_id="p", user_id="u"),
    "instance_uuid": UUID,
    "members": list,
    "metadata": dict,
    "network_info": NetworkInfo,
    "objects": list,
    "tags": objects.TagList,
}
BY_TYPE = {
    "BooleanField": False,
    "DictOfStringsField": dict,
    "FloatField": 1.0,
    "IntegerField": 1,
    "IPAddressField": "10.0.0.1",
    "ListOfStringsField": list,
    "StringField": "a",
    "UUIDField": UUID,
}


def new(kind):
    """An object with every field that can be guessed from its type; created ones have an id already."""
    made = VersionedObjectRegistry.obj_classes()[kind][0]()
    for name, field in made.fields.items():
        guess = FIELDS.get(name, BY_TYPE.get(type(field).__name__))
        if callable(guess):
            guess = guess()
        for value in (guess, "a", WHEN, [], {}):
            try:
                setattr(made, name, value)
            except (ValueError, TypeError, AttributeError, KeyError):
                continue
            break
    return made


@pytest.fixture
def stores(sql, api, instance):
    api.cell_mappings.create(
        objects.CellMapping(
            uuid=UUID,
            name="cell1",
            transport_url="none:///",
            database_connection=sql.database.settings.url,
            disabled=False,
        )
    )
    cells = CellDirectory(api.database, lambda url: Database(DatabaseSettings(url=url)))
    yield Stores(sql, api, QuotaService(cells), Zones())
    cells.close()


def arguments_of(row, special):
    skip = 3 if isinstance(row, OnObject) else 2
    wanted = list(inspect.signature(row.run).parameters.values())[skip:]
    return special | {
        one.name: ARGUMENTS.get(one.name, "a")
        for one in wanted
        if one.default is inspect.Parameter.empty
        and one.kind in {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
        and one.name not in special
    }


@pytest.mark.parametrize(("kind", "method"), sorted(METHODS), ids=lambda name: name)
def test_a_row_runs(stores, instance, kind, method):
    row = METHODS[kind, method]
    given = arguments_of(row, SPECIAL.get((kind, method), {}))
    if "instance" in given:
        given["instance"] = instance
    first = [stores, Context(user_id="u", project_id="p")]
    if isinstance(row, OnObject):
        first.append(instance if kind == "Instance" else new(kind))
    positional = [given.pop("resource")] if method.startswith("count") and "resource" in given else []
    with contextlib.suppress(KeelError):  # there is no such row, say
        row.run(*first, *positional, **given)
