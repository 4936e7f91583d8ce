"""Walks the tables of every operation there is: what must hold for all of them."""

import json
from dataclasses import replace
from itertools import combinations

import pytest

from openkeel.api.resources import operations
from openkeel.api.schema import Array, Object
from openkeel.api.tables import ANYONE, RawView, View, overlaps
from openkeel.api.versions import VERSIONS, text
from openkeel.policies import Enforcer, list_rules
from tests.fixtures import api_client
from tests.fixtures.samples import sample

OPERATIONS = operations()
RULES = {rule.name for rule in list_rules()}


def each(predicate=lambda operation: True):
    rows = [one for one in OPERATIONS if predicate(one)]
    return pytest.mark.parametrize("operation", rows, ids=[f"{one.name} {one.since}" for one in rows])


def test_windows_of_one_operation_do_not_overlap():
    assert list(overlaps(OPERATIONS)) == []


@each()
def test_every_operation_has_a_rule_that_is_documented(operation):
    soft = set() if operation.view is None else {one for v in VERSIONS for one in operation.view.rules(v)}
    assert operation.rule == ANYONE or operation.rule in RULES
    assert soft | set(operation.more_rules) <= RULES


@each(lambda one: one.view is not None)
def test_a_field_is_declared_once_per_version(operation):
    def check(view: View):
        if isinstance(view, RawView):
            return
        for left, right in combinations(view.fields, 2):
            if left.name == right.name:
                by_rule = left.rule != right.rule
                assert by_rule or left.until <= right.since or right.until <= left.since, left.name
        for field in view.fields:
            if field.view is not None:
                check(field.view)

    check(operation.view)


@each(lambda one: one.body is not None)
def test_a_property_is_declared_once_per_version(operation):
    def check(node):
        if isinstance(node, Object):
            for left, right in combinations(node.props, 2):
                if left.name == right.name:
                    assert left.until <= right.since or right.until <= left.since, left.name
            for prop in node.props:
                check(prop.schema)
        elif isinstance(node, Array):
            check(node.item)

    for body in (operation.body, *operation.bodies):
        check(body)


@each()
def test_a_band_is_what_each_of_its_versions_is(operation):
    for version in (0, *VERSIONS):
        if not operation.covers(version):
            continue
        band = operation.compiled(version)
        if operation.view is not None and not isinstance(operation.view, RawView):
            direct = [name for name, _ in operation.view.emitters(max(version, 1))]
            assert [name for name, _ in operation.view.emitters(band.answer_minor)] == direct
        bodies = [one for one in (operation.body, *operation.bodies) if one and one.covers(version)]
        assert len(bodies) <= 1
        assert (band.body is None) == (not bodies)
        if bodies:
            assert band.body.schema == bodies[0].at(version)
        if band.query is not None:
            assert band.query_validator.schema == operation.query.at(version)


@pytest.fixture(scope="module")
def nobody_may():
    enforcer = api_client.enforcer()
    return Enforcer(enforcer._enforcer.conf, overrides=dict.fromkeys(RULES, "!"))


@each(lambda one: one.rule != ANYONE)
def test_every_operation_refuses_without_its_rule(operation, nobody_may):
    target = {"project_id": api_client.PROJECT, "user_id": "user"}
    row = replace(operation, target=(lambda _: target) if operation.target else None)
    ask = api_client.caller(None, nobody_may, [row])
    path = "/v2.1" + operation.path.replace("{", "").replace("}", "")
    for version in {max(operation.since, 1), operation.until - 1}:
        schema = next(
            (one.at(version) for one in (operation.body, *operation.bodies) if one and one.covers(version)),
            None,
        )
        body = {operation.action: None} if schema is None and operation.action else None
        body = sample(schema) if schema is not None else body
        answer = ask(
            operation.method, path, None if body is None else json.dumps(body), version=text(version)
        )
        assert answer.status_code == 403, answer.text
