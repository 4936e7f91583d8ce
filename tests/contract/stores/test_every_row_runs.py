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
from tests.interop import remotable_values

WHEN = "2026-01-01T00:00:00+00:00"
# By the argument's name; every other argument is a text.
ARGUMENTS = remotable_values.ARGUMENTS | dict.fromkeys(remotable_values.MOMENTS, WHEN) | {"compute_id": 1}
SPECIAL = remotable_values.of_quotas("p") | {("Quotas", "check_deltas"): {"project_id": "p"}}
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


def new(kind):
    """An object with every field that can be guessed from its type; created ones have an id already."""
    made = VersionedObjectRegistry.obj_classes()[kind][0]()
    for name, field in made.fields.items():
        guess = FIELDS.get(name, remotable_values.BY_TYPE.get(type(field).__name__))
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
