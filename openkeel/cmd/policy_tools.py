"""What the policy tools of oslo ask for: our enforcer, with the files of our configuration."""

import sys
from collections.abc import Iterator, Sequence

from oslo_config import cfg
from oslo_policy import opts, policy

from openkeel.cmd.configuration import read
from openkeel.policies import list_rules

_CONFIGURATION = ("--config-file", "--config-dir")


def enforcer() -> policy.Enforcer:
    """Rules and defaults as a daemon has them, broken ones too (entry point oslo.policy.enforcer).

    The tool's command line is not ours; what it says about option files counts for us as well.
    """
    conf = read("openkeel", list(_about_configuration(sys.argv[1:])))
    for group, options in opts.list_opts():
        cfg.CONF.register_opts(options, group=group)  # the validator looks for the file there
    found = policy.Enforcer(conf)
    found.register_defaults(list_rules())
    return found


def _about_configuration(words: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(words):
        name, mark, _ = word.partition("=")
        if name in _CONFIGURATION:
            yield word
            if not mark:
                yield from words[index + 1 : index + 2]
