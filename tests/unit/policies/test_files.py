"""Policy files that do not hold: refused by name at the start, without effect later."""

import os

import pytest
from oslo_config import cfg

from openkeel.common.context import Context
from openkeel.policies import Enforcer, servers
from openkeel.policies.files import PolicyFileError

# oslo.policy says in warnings which old rules a file relies on.
pytestmark = pytest.mark.filterwarnings("ignore:Policy ")

MEMBER = Context("user", "project", roles=["member", "reader"], overwrite=False)
OWN = {"project_id": "project", "user_id": "user"}


class Files:
    """A folder with a policy file and a directory of more, and a clock."""

    def __init__(self, folder):
        self.main = folder / "policy.yaml"
        self.directory = folder / "policy.d"
        self.now = 0.0
        self._generation = 0
        self.conf = cfg.ConfigOpts()
        options = folder / "openkeel.conf"
        options.write_text(f"[oslo_policy]\npolicy_file = {self.main}\npolicy_dirs = {self.directory}\n")
        self.conf([], project="openkeel", default_config_files=[str(options)], default_config_dirs=[])

    def write(self, text, name=None):
        path = self.main if name is None else self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        self._generation += 1
        os.utime(path, (self._generation, self._generation))
        return path

    def enforcer(self):
        return Enforcer(self.conf, monotonic=lambda: self.now)

    def may_list_servers(self, enforcer):
        self.now += 10
        return enforcer.allows(MEMBER, servers.INDEX, OWN)


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


BROKEN = {
    "a mapping that YAML cannot read": ('"a: "b"\n', "not YAML"),
    "no mapping": ("- role:admin\n", "not a mapping"),
    "a check that makes no sense": (
        '"os_compute_api:servers:index": "role:admin and"\n',
        "os_compute_api:servers:index makes no sense: 'role:admin and'",
    ),
    "a check that is a number": ('"os_compute_api:servers:index": 7\n', "os_compute_api:servers:index is"),
    "an unknown rule": (
        '"mine": "rule:nowhere"\n"os_compute_api:servers:index": "role:admin or not rule:mine"\n',
        "rule mine refers to rule nowhere",
    ),
    "an unknown rule below an old name": (
        '"os_compute_api:os-volumes": "rule:nowhere"\n',
        "rule os_compute_api:os-volumes refers to rule nowhere",
    ),
    "rules in a circle": (
        '"one": "rule:two"\n"two": "role:admin or rule:one"\n"os_compute_api:servers:index": "rule:one"\n',
        "rule one refers to itself: one > two > one",
    ),
    "a circle through defaults": (
        '"context_is_admin": "rule:project_member_or_admin"\n',
        "refers to itself: context_is_admin > project_member_or_admin > context_is_admin",
    ),
    "a fallback that falls back on itself": (
        '"default": "rule:nowhere"\n"os_compute_api:servers:index": "rule:elsewhere"\n',
        "rule default refers to itself: default > default",
    ),
}


@pytest.mark.parametrize(("text", "culprit"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("name", [None, "site.yaml"])
def test_a_broken_file_is_refused_by_name_at_the_start(files, text, culprit, name):
    path = files.write(text, name)
    with pytest.raises(PolicyFileError) as refused:
        files.enforcer()
    message = str(refused.value)
    assert message.startswith(f"{path}: ")
    assert culprit in message
    assert "\n" not in message


@pytest.mark.parametrize(("text", "culprit"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("name", [None, "site.yaml"])
def test_a_file_that_breaks_later_leaves_all_rules_as_they_were(files, caplog, text, culprit, name):
    files.write('"os_compute_api:servers:index": "!"\n', name)
    enforcer = files.enforcer()
    assert not files.may_list_servers(enforcer)
    files.write(text, name)
    assert not files.may_list_servers(enforcer)
    assert enforcer.allows(MEMBER, servers.SHOW, OWN)
    assert culprit in caplog.text
    caplog.clear()
    files.may_list_servers(enforcer)
    assert culprit not in caplog.text  # said once, not at every look
    files.write('"os_compute_api:servers:index": "@"\n', name)
    assert files.may_list_servers(enforcer)


def test_a_directory_in_place_of_the_file_is_refused(files):
    files.main.mkdir()
    with pytest.raises(PolicyFileError, match=r"policy\.yaml: Is a directory"):
        files.enforcer()


def test_a_file_that_is_no_text_is_refused(files):
    files.main.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyFileError, match=r"policy\.yaml: not a text"):
        files.enforcer()


def test_a_file_in_place_of_a_directory_is_refused(files):
    files.directory.write_text("")
    with pytest.raises(PolicyFileError, match=r"policy\.d: Not a directory"):
        files.enforcer()


def test_a_file_that_cannot_be_read_is_refused(files, monkeypatch):
    files.write("")
    # Tests may run as root, who can read everything.
    monkeypatch.setattr(type(files.main), "read_text", _denied)
    with pytest.raises(PolicyFileError, match=r"policy\.yaml: Permission denied"):
        files.enforcer()


def _denied(*_args, **_more):
    raise PermissionError(13, "Permission denied")


def test_a_left_over_rule_that_nothing_asks_for_is_no_reason_to_refuse(files, caplog):
    files.write('"os_compute_api:os-cells": "rule:nowhere"\n')
    assert files.may_list_servers(files.enforcer())
    assert "os_compute_api:os-cells refers to rule nowhere" in caplog.text


def test_a_fallback_answers_for_unknown_rules(files):
    files.write('"default": "!"\n"os_compute_api:servers:index": "rule:nowhere"\n')
    assert not files.may_list_servers(files.enforcer())


@pytest.mark.parametrize("text", ["!", "(!)", "( ! )"])
def test_nobody_may_be_said(files, text):
    files.write(f'"os_compute_api:servers:index": "{text}"\n')
    assert not files.may_list_servers(files.enforcer())


def test_files_that_come_and_go_count(files):
    enforcer = files.enforcer()
    assert files.may_list_servers(enforcer)
    main = files.write('"os_compute_api:servers:index": "!"\n')
    assert not files.may_list_servers(enforcer)
    more = files.write('"os_compute_api:servers:index": "@"\n', "more.yaml")
    assert files.may_list_servers(enforcer)
    more.unlink()
    assert not files.may_list_servers(enforcer)
    main.unlink()
    assert files.may_list_servers(enforcer)


def test_a_reload_does_not_wait(files):
    enforcer = files.enforcer()
    assert enforcer.allows(MEMBER, servers.INDEX, OWN)
    files.write('"os_compute_api:servers:index": "!"\n')
    assert enforcer.allows(MEMBER, servers.INDEX, OWN)
    enforcer.reload()
    assert not enforcer.allows(MEMBER, servers.INDEX, OWN)


def test_an_administrator_is_one_of_what_is_their_own(files):
    files.write('"context_is_admin": "role:member and user_id:%(user_id)s"\n')
    assert files.enforcer().is_admin(MEMBER)


def test_is_admin_is_true_or_false_in_any_letters(files):
    files.write(
        '"os_compute_api:servers:index": "is_admin:FALSE"\n"os_compute_api:servers:show": "is_admin:true"\n'
    )
    enforcer = files.enforcer()
    assert enforcer.allows(MEMBER, servers.INDEX, OWN)
    assert not enforcer.allows(MEMBER, servers.SHOW, OWN)
    boss = Context("user", "project", is_admin=True, overwrite=False)
    assert enforcer.allows(boss, servers.SHOW, OWN)
    assert not enforcer.allows(boss, servers.INDEX, OWN)
