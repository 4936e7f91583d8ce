"""Payloads and events against the contract (notifications.json)."""

import pytest
from oslo_versionedobjects.base import VersionedObjectRegistry

from openkeel.notifications.events import EVENTS
from openkeel.notifications.payloads import PAYLOADS
from tests.fixtures.contract import facts


def _payloads():
    return {row["object"]: row for row in facts("notifications", "objects") if row["kind"] == "payload"}


def _nesting(field):
    names, kind = [], field._type
    while kind is not None:
        names.append(type(kind).__name__)
        inner = getattr(kind, "_element_type", None)
        kind = None if inner is None else inner._type
    return names


def test_every_payload_of_the_contract_is_declared_and_no_other():
    assert set(PAYLOADS) == set(_payloads())


def test_versions_are_the_contracts():
    assert {name: kind.VERSION for name, kind in PAYLOADS.items()} == {
        name: row["version"] for name, row in _payloads().items()
    }


def test_every_field_is_the_contracts():
    wanted = {}
    for row in facts("notifications", "fields"):
        if row["object"] in PAYLOADS:
            wanted.setdefault(row["object"], {})[row["field"]] = row
    for name, rows in wanted.items():
        fields = PAYLOADS[name].fields
        assert set(fields) == set(rows), name
        for field_name, row in rows.items():
            field, where = fields[field_name], f"{name}.{field_name}"
            assert field.nullable == row["nullable"], where
            assert ("UnspecifiedDefault" not in repr(field.default)) == row["has_default"], where
            assert _nesting(field) == row["nesting"], where
            if row.get("refers_to"):
                kind = getattr(field._type, "_element_type", field)._type
                assert kind._obj_name == row["refers_to"], where
            if row.get("valid_values"):
                assert {str(value) for value in field.valid_values} == set(row["valid_values"]), where


def test_every_field_has_the_text_that_enters_fingerprints():
    """Fingerprints themselves also hold how Nova fills its fields, which is not ours to have."""
    texts = {
        (row["object"], row["field"]): row["repr"]
        for row in facts("notifications", "fields")
        if row["object"] in PAYLOADS
    }
    ours = {
        (name, field): repr(kind.fields[field]) for name, kind in PAYLOADS.items() for field in kind.fields
    }
    assert ours == texts


def test_payloads_are_no_objects_between_daemons():
    assert not set(PAYLOADS) & set(VersionedObjectRegistry.obj_classes())


def test_every_event_is_the_contracts():
    wanted = {
        row["event_type"]: (row["payload_object"], row["payload_version"])
        for row in facts("notifications", "events")
    }
    for event in EVENTS:
        for event_type in event.types():
            assert wanted[event_type] == (event.payload.__name__, event.payload.VERSION), event_type


def test_every_unversioned_event_is_the_contracts():
    known = set(facts("notifications", "legacy_event_types"))
    told = {event.legacy_type_in(phase) for event in EVENTS for phase in event.phases or (None,)} - {None}
    assert told <= known


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_no_phase_is_told_of_that_the_contract_does_not_know(event):
    known = {row["event_type"] for row in facts("notifications", "events")}
    assert set(event.types()) <= known
