"""Validation against the published schemas."""

import pytest

from devstack.cluster.discovery import openapi_v2, openapi_v3
from devstack.cluster.kinds import CLAIM, DATA_VOLUME, KINDS, MACHINE, POD
from devstack.cluster.schema import examine
from tests.unit.cluster.world import machine, schema_of


def found(obj, kind=MACHINE, **options):
    return examine(obj, schema_of(kind), **options)


def causes(obj, kind=MACHINE):
    return [(cause.field, cause.reason) for cause in found(obj, kind).causes]


def with_template(**spec):
    return {"spec": {"template": {"spec": {"domain": {"devices": {}}, **spec}}}}


def test_a_proper_machine_has_nothing_wrong():
    result = found(machine())
    assert (result.causes, result.unknown) == ([], [])


def test_unknown_fields_are_named_and_pruned_at_any_depth():
    obj = with_template(volumes=[{"name": "a", "surprise": 1}], extra={"deep": 1})
    assert sorted(found(obj).unknown) == [
        "spec.template.spec.extra",
        "spec.template.spec.volumes[0].surprise",
    ]
    assert obj["spec"]["template"]["spec"]["volumes"] == [{"name": "a"}]
    assert "extra" not in obj["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"hostname": 5}, ("spec.template.spec.hostname", "FieldValueTypeInvalid")),
        ({"volumes": {}}, ("spec.template.spec.volumes", "FieldValueTypeInvalid")),
        ({"volumes": [{}]}, ("spec.template.spec.volumes[0].name", "FieldValueRequired")),
        ({"dnsPolicy": "Never"}, ("spec.template.spec.dnsPolicy", "FieldValueNotSupported")),
        ({"domain": {}}, ("spec.template.spec.domain.devices", "FieldValueRequired")),
        ({"nodeSelector": {"a": 1}}, ("spec.template.spec.nodeSelector.a", "FieldValueTypeInvalid")),
        ({"hostname": None}, ("spec.template.spec.hostname", "FieldValueTypeInvalid")),
    ],
)
def test_a_wrong_value_is_one_cause_at_its_place(spec, expected):
    assert causes(with_template(**spec)) == [expected]


def test_quantities_are_numbers_or_text_of_the_right_form():
    memory = {"memory": {"guest": "1Gi"}, "devices": {}}
    assert causes(with_template(domain=memory)) == []
    memory["memory"]["guest"] = 1024
    assert causes(with_template(domain=memory)) == []
    memory["memory"]["guest"] = "1 GiB"
    assert causes(with_template(domain=memory)) == [
        ("spec.template.spec.domain.memory.guest", "FieldValueInvalid")
    ]


def test_built_in_kinds_read_null_as_absent():
    obj = {
        "metadata": {"name": "a", "creationTimestamp": None},
        "spec": {"accessModes": None, "volumeName": "v"},
    }
    assert found(obj, CLAIM, nulls_are_absent=True).causes == []
    assert obj["spec"] == {"volumeName": "v"}


def test_a_repeated_key_in_a_keyed_list_is_a_duplicate():
    obj = {"spec": {"containers": [{"name": "a"}, {"name": "a"}]}}
    assert causes(obj, POD) == [("spec.containers[1]", "FieldValueDuplicate")]


def test_a_pattern_is_held_against_text():
    spec = {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "much"}}}}
    assert causes({"spec": spec}, DATA_VOLUME) == [
        ("spec.storage.resources.requests.storage", "FieldValueInvalid")
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
def test_every_kind_has_its_schema_and_its_place_in_the_openapi_documents(kind):
    assert schema_of(kind).properties["metadata"].name == "meta.ObjectMeta"
    assert f'"{kind.schema}"'.encode() in openapi_v3(kind.group, kind.version)
    assert f'"{kind.schema}"'.encode() in openapi_v2()
