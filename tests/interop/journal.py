"""The table of swaps printed at the end."""

from dataclasses import dataclass, field


@dataclass
class Entry:
    """One swap: a row of the table."""

    test: str
    out: list[str] = field(default_factory=list)
    into: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    differed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    passed: bool = False


def table(entries: list[Entry]) -> list[str]:
    """Lines to print."""
    lines = []
    for entry in entries:
        swapped = f"{', '.join(entry.out) or '-'} -> {', '.join(entry.into) or '-'}"
        result = "passed" if entry.passed else "FAILED"
        lines.append(f"{result}  {entry.seconds:6.1f} s  {entry.test}")
        lines.append(f"        swapped  {swapped}")
        lines.append(f"        run      {', '.join(entry.done) or '-'}")
        lines += [f"        differed {what}" for what in entry.differed] or ["        differed nothing"]
    passed = sum(entry.passed for entry in entries)
    lines.append(f"{passed} of {len(entries)} swaps passed")
    return lines
