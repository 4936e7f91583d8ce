"""Every operation, asked by everybody: who may what, by the facts about Nova's policies alone.

Whoever is refused meets the real handler; whoever is let in gets as far as its first line.
"""

import json
from dataclasses import dataclass, replace

import pytest
from falcon import testing
from oslo_config import cfg
from oslo_policy import opts
from oslo_policy.policy import Enforcer, Rules

from openkeel.api import app
from openkeel.api.errors import Fault
from openkeel.api.resources import operations
from openkeel.api.schema import NoBody
from openkeel.api.versions import LATEST, text
from tests.fixtures.api_client import PROJECT, Caller, _without_type_of_nothing
from tests.fixtures.contract import facts
from tests.fixtures.samples import sample

LET_IN = 418
OTHER = "fedcba9876543210fedcba9876543210"
# Whose the things are that paths with a parameter are about; elsewhere it is the caller's own project.
OWNED = {"servers", "os-volumes_boot", "os-server-groups", "os-quota-sets", "os-simple-tenant-usage"}

# What the body names is looked up before the rule is asked, and is not there in this walk.
LOOKED_UP_FIRST = {"POST /servers/{id}/action #removeFloatingIp"}


@dataclass(frozen=True)
class Persona:
    name: str
    roles: str | None
    project: str = PROJECT
    user: str = "user"

    @property
    def credentials(self):
        roles = (self.roles or "").split(",")
        return {
            "roles": roles,
            "project_id": self.project,
            "user_id": self.user,
            "is_admin": "admin" in roles,
        }


PERSONAS = (
    Persona("reader", "reader", user="reads"),
    Persona("member", "reader,member"),
    Persona("another project's member", "reader,member", OTHER, "other"),
    Persona("manager", "reader,member,manager", user="manages"),
    Persona("admin", "reader,member,manager,admin", OTHER, "boss"),
    Persona("service", "service", "service", "neutron"),
    Persona("nobody", None),
)


class Judge:
    """Who may what, by the check strings of the facts."""

    def __init__(self):
        conf = cfg.ConfigOpts()
        for group, options in opts.list_opts():
            conf.register_opts(options, group=group)
        conf([], project="facts", default_config_files=[], default_config_dirs=[])
        self._enforcer = Enforcer(conf, use_conf=False)
        self._enforcer.set_rules(
            Rules.from_dict({rule["name"]: rule["check_str"] for rule in facts("policies", "rules")}),
            use_conf=False,
        )
        self._rules = {row["op"]: set(row["policies"]) for row in facts("rest_routes", "operations")}

    def rule_of(self, operation):
        """The rule that the facts have for the plain form of an operation."""
        known = self._rules[operation.name]
        if operation.rule:
            assert operation.rule in known, f"{operation.name} asks {operation.rule}, Nova {known}"
            return operation.rule
        assert len(known) <= 1, f"{operation.name} asks nothing, Nova {known}"
        return next(iter(known), None)

    def lets_in(self, operation, persona, is_owned):
        rule = self.rule_of(operation)
        if rule is None:
            return True
        owner = PERSONAS[1] if is_owned else persona
        target = {"project_id": owner.project, "user_id": owner.user}
        return bool(self._enforcer.enforce(rule, target, persona.credentials))


def request_of(operation, minor, known):
    """The path and a body that the schema accepts."""
    root, *rest = operation.path.strip("/").split("/")
    ids = [known.get(root, "1") if position == 0 else "x" for position in range(len(rest))]
    path = "/".join([root, *(ids[at] if part.startswith("{") else part for at, part in enumerate(rest))])
    body = next((one for one in (operation.body, *operation.bodies) if one and one.covers(minor)), None)
    if body is None or isinstance(body, NoBody):
        return f"/v2.1/{path}", {operation.action: None} if operation.action else None
    return f"/v2.1/{path}", sample(body.at(minor))


@pytest.fixture
def stops_at_handlers(monkeypatch):
    """A switch: while it is set, handlers only say that they were reached."""
    switch = {"on": False}

    def stopping(operation):
        def handler(request):
            if switch["on"]:
                raise Fault(LET_IN, "let in")
            return operation.handler(request)

        return replace(operation, handler=handler)

    rows = tuple(stopping(one) for one in operations())
    monkeypatch.setattr(app, "operations", lambda: rows)
    return switch


def test_everybody_may_what_the_facts_say(stops_at_handlers, cloud):
    judge = Judge()
    client = testing.TestClient(_without_type_of_nothing(cloud._application))
    group = {"server_group": {"name": "g", "policies": ["affinity"]}}
    server = cloud.booted()
    known = {
        "servers": server,
        "os-volumes_boot": server,
        "os-server-groups": cloud.member("POST", "/v2.1/os-server-groups", group, version="2.1").json[
            "server_group"
        ]["id"],
        "os-quota-sets": PROJECT,
        "os-simple-tenant-usage": PROJECT,
    }
    wrong = []
    walked = 0
    for operation in operations():
        if operation.is_removed or operation.path == "/":  # the document of the version is for all
            continue
        minor = min(operation.until - 1, LATEST)
        path, body = request_of(operation, minor, known)
        is_owned = "{" in operation.path and path.split("/")[2] in OWNED
        for persona in PERSONAS:
            is_let_in = persona.roles is not None and judge.lets_in(operation, persona, is_owned)
            stops_at_handlers["on"] = is_let_in
            ask = Caller(client, persona.roles, persona.user, persona.project, text(minor))
            answer = ask(operation.method, path, None if body is None else json.dumps(body))
            expected = {LET_IN} if is_let_in else {403}
            if persona.roles is None:
                expected = {401}
            elif not is_let_in and is_owned and persona.project != PROJECT:
                expected.add(404)  # what is another project's is not there
            elif operation.name in LOOKED_UP_FIRST:
                expected.add(404)
            if answer.status_code not in expected:
                wrong.append(
                    (operation.name, persona.name, answer.status_code, sorted(expected), answer.text)
                )
            walked += 1
    stops_at_handlers["on"] = False
    cloud.member("DELETE", f"/v2.1/os-server-groups/{known['os-server-groups']}")
    assert wrong == []
    assert walked >= len(PERSONAS) * 120
