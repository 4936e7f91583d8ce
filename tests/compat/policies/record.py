"""Asks Nova what `answers.json` says; run by hand, with a Python that has nova 34.0.0:

PYTHON_WITH_NOVA tests/compat/policies/record.py
"""

import json
import sys
import tempfile
import warnings
from pathlib import Path

import cases


def ask(case):
    from nova import context, policy
    from nova.conf import CONF

    with tempfile.TemporaryDirectory() as folder:
        path = cases.write(Path(folder), case)
        CONF.reset()
        CONF([], project="nova", default_config_files=[str(path)], default_config_dirs=[])
        policy.reset()
        policy.init()

        def allows(rule, caller, target):
            return context.RequestContext(**caller).can(rule, target, fatal=False)

        return cases.answers(allows, sorted(policy.get_rules() & policy._ENFORCER.registered_rules.keys()))


def main():
    warnings.simplefilter("ignore")
    found = {case: ask(case) for case in cases.FILES}
    plain = found["nothing"]
    # Most rules answer as without a file: only what differs is written down.
    rows = {
        case: {rule: bits for rule, bits in answers.items() if case == "nothing" or bits != plain[rule]}
        for case, answers in found.items()
    }
    path = Path(__file__).parent / "answers.json"
    path.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    asked = sum(map(len, found.values())) * len(cases.CALLERS) * len(cases.TARGETS)
    sys.stdout.write(f"{asked} questions asked of Nova\n")


if __name__ == "__main__":
    main()
