"""How long things take in the simulated cluster, in seconds. Next to nothing unless asked otherwise."""

from dataclasses import dataclass, fields, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Timings:
    schedule: float = 0.0
    container_start: float = 0.0
    domain_start: float = 0.0
    boot: float = 1.0  # until the guest agent answers and the login prompt shows
    shutdown: float = 0.2  # from the power button to power off
    bind: float = 0.0
    clone: float = 0.0
    import_least: float = 0.0
    import_retry: float = 1.0  # doubles up to import_retry_most
    import_retry_most: float = 10.0
    import_timeout: float = 60.0  # without a byte from the source
    unschedulable_retry: float = 5.0
    plug_retry: float = 1.0
    node_unresponsive: float = 300.0  # a silent node's guests are declared failed
    collect: float = 0.05  # the garbage collector's laziness
    event_life: float = 3600.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `boot=5,clone=2`.

        Raises: ValueError for an unknown name or no number.
        """
        known = {each.name for each in fields(cls)}
        chosen: dict[str, float] = {}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            if name not in known:
                raise ValueError(f"unknown timing {name!r}, known: {', '.join(sorted(known))}")
            chosen[name] = float(value)
        return replace(cls(), **chosen)
