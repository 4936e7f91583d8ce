"""openkeel-policy, and oslo's own tools with our rules."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from openkeel.cmd.policy import main
from openkeel.policies import list_rules

TOOLS = Path(sys.executable).parent


@pytest.fixture
def policy(tmp_path):
    """Writes a policy file and the option file that names it."""
    options = tmp_path / "openkeel.conf"
    path = tmp_path / "policy.yaml"
    options.write_text(f"[oslo_policy]\npolicy_file = {path}\n")

    def policy(text=""):
        path.write_text(text)
        return options

    return policy


@pytest.fixture
def check(policy, capsys, monkeypatch):
    for name in ("OS_ROLES", "OS_USER_ID", "OS_TENANT_ID"):
        monkeypatch.delenv(name, raising=False)

    def check(*words, text="", caller=("--os-roles", "member,reader", "--os-tenant-id", "mine")):
        capsys.readouterr()
        code = main([f"--config-file={policy(text)}", *caller, "policy", "check", *words])
        return code, capsys.readouterr().out.split()

    return check


def test_what_the_caller_may_do_is_printed(check):
    code, rules = check("--api-name", "os-volumes-attachments")
    assert code == 0
    assert "os_compute_api:os-volumes-attachments:create" in rules
    assert "os_compute_api:os-volumes-attachments:swap" not in rules


def test_without_a_name_all_rules_are_asked(check):
    code, rules = check(caller=("--os-roles", "admin"))
    assert code == 0
    assert len(rules) > 150


def test_the_environment_of_the_clients_describes_the_caller(check, monkeypatch):
    monkeypatch.setenv("OS_ROLES", "admin")
    assert check("--api-name", "os-hosts:list", caller=()) == (0, ["os_compute_api:os-hosts:list"])


def test_a_target_is_what_the_rules_are_about(check):
    assert check("--api-name", "servers:show", "--target", "project_id=mine")[0] == 0
    assert check("--api-name", "servers:show", "--target", "project_id=yours")[0] == 1
    assert check("--api-name", "servers:show", "--target", "user_id=me")[0] == 1


@pytest.mark.parametrize("word", ["project=mine", "project_id", "volume_id=1"])
def test_a_target_that_no_rule_knows_is_refused(check, word):
    assert check("--target", word)[0] == 1


def test_no_rule_of_that_name_is_a_no(check):
    assert check("--api-name", "nothing")[0] == 1


def test_a_broken_policy_file_is_refused(check, capsys):
    assert check(text="- nothing\n")[0] == 1


def run(tool, *words):
    done = subprocess.run(
        [TOOLS / tool, "--namespace", "openkeel", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


def test_the_sample_has_every_rule():
    code, out = run("oslopolicy-sample-generator")
    assert code == 0
    assert all(f'#"{rule.name}": ' in out for rule in list_rules())


def test_the_rules_in_effect_are_printed(policy):
    options = policy('"os_compute_api:os-volumes": "role:boss"\n')
    code, out = run("oslopolicy-policy-generator", "--config-file", options)
    assert code == 0
    rules = yaml.safe_load(out)
    assert rules["os_compute_api:os-volumes"] == "role:boss"
    assert rules.keys() >= {rule.name for rule in list_rules()}


def test_what_a_file_repeats_is_listed(policy):
    options = policy('"os_compute_api:servers:show": "rule:project_reader_or_admin"\n"mine": "@"\n')
    code, out = run("oslopolicy-list-redundant", "--config-file", options)
    assert code == 0
    assert yaml.safe_load(out) == {"os_compute_api:servers:show": "rule:project_reader_or_admin"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('"os_compute_api:servers:show": "@"\n', 0),
        ('"os_compute_api:servers:show": "rule:nowhere"\n', 1),
        ('"os_compute_api:unheard:of": "@"\n', 1),
    ],
)
def test_a_file_is_validated(policy, text, code):
    assert run("oslopolicy-validator", "--config-file", policy(text))[0] == code


def test_oslo_policy_checker_reads_the_sample(policy, tmp_path):
    rules = tmp_path / "rules.yaml"
    rules.write_text('"os_compute_api:servers:show": "role:reader"\n')
    access = tmp_path / "access.json"
    access.write_text(
        '{"token": {"roles": [{"name": "reader"}], "project": {"id": "p"}, "user": {"id": "u"}}}'
    )
    done = subprocess.run(
        [TOOLS / "oslopolicy-checker", "--policy", rules, "--access", access],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "passed: os_compute_api:servers:show"
