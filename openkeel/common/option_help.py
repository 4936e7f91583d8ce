"""How a help text says that a value is taken although nothing comes of it.

A `nova.conf` is taken as it is, so options exist before what they steer does, and some steer what
OpenKeel will never have. A reader of the sample must be able to tell.
"""

from collections.abc import Sequence

from oslo_config import cfg


def later(capability: str, text: str) -> str:
    """Help of an option whose capability is still to come."""
    return f"{text} Accepted; takes effect with {capability}, which this release does not have."


def ignored(text: str, reason: str) -> str:
    """Help of an option that means nothing here."""
    return f"{text} Accepted and ignored: {reason}."


def not_ours(part: str, options: Sequence[cfg.Opt]) -> Sequence[cfg.Opt]:
    """Options, without help texts, of a part of Nova that OpenKeel has no counterpart of."""
    for option in options:
        option.help = f"Accepted and ignored: of Nova's {part}."
    return options
