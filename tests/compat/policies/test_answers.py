"""A policy file written for Nova gives the answers that Nova gives.

`answers.json` is what nova 34.0.0 said (`record.py`): every rule, asked by each caller about each
target, with each set of files.
"""

import json
from pathlib import Path

import pytest
from oslo_config import cfg

from openkeel.common.context import Context
from openkeel.policies import Enforcer, list_rules
from tests.compat.policies import cases

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())
# oslo.policy says in warnings which old rules a file relies on.
pytestmark = pytest.mark.filterwarnings("ignore:Policy ")


def enforcer(path):
    conf = cfg.ConfigOpts()
    conf([], project="openkeel", default_config_files=[str(path)], default_config_dirs=[])
    return Enforcer(conf)


@pytest.mark.parametrize("case", cases.FILES)
def test_every_rule_answers_as_nova_does(tmp_path, case):
    policy = enforcer(cases.write(tmp_path, case))

    def allows(rule, caller, target):
        ctx = Context(overwrite=False, **caller)
        ctx.is_admin = policy.is_admin(ctx)
        return policy.allows(ctx, rule, target)

    ours = cases.answers(allows, sorted(rule.name for rule in list_rules()))
    assert ours == ANSWERS["nothing"] | ANSWERS[case]
