"""Where policy files are: oslo.policy's own options, registered with everything else."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_policy import opts

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = dict(opts.list_opts())
