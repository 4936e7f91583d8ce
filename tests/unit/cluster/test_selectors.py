"""Label and field selectors as Kubernetes reads them."""

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.selectors import parse_fields, parse_labels

LABELS = {"app": "web", "tier": "front", "openkeel.io/host": "node-1"}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("app=web", True),
        ("app==web", True),
        ("app=db", False),
        ("app!=db", True),
        ("absent!=x", True),
        ("app in (web, db)", True),
        ("app notin (web,db)", False),
        ("absent notin (a)", True),
        ("app", True),
        ("absent", False),
        ("!absent", True),
        ("!app", False),
        ("app=web,tier in (front,back),openkeel.io/host=node-1", True),
        ("app=web,tier=back", False),
        ("app=", False),
        ("", True),
    ],
)
def test_label_selectors_choose(text, holds):
    assert parse_labels(text).matches(LABELS) is holds


@pytest.mark.parametrize("text", ["app=web=x", "app in web", "=x", "a b"])
def test_a_selector_that_is_none_is_refused(text):
    with pytest.raises(ApiError) as refusal:
        parse_labels(text)
    assert refusal.value.code == 400


def test_field_selectors_know_name_namespace_and_the_fields_of_the_kind():
    selector = parse_fields("metadata.name=a,status.phase!=Failed", {"status.phase": "status.phase"})
    assert selector.matches({"metadata.name": "a", "status.phase": "Running"})
    assert not selector.matches({"metadata.name": "a", "status.phase": "Failed"})


def test_an_unknown_field_is_refused_by_its_name():
    with pytest.raises(ApiError, match=r"field label not supported: spec\.nodeName"):
        parse_fields("spec.nodeName=a", {})
