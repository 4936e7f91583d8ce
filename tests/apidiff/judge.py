"""Compares recordings with Nova's and tells differences that have a reason from those that have none.

    python -m tests.apidiff.judge FOLDER [--match REGEX] [--first N] [--explained]

Exits with 1 when a difference is left that nothing explains.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import yaml

from openkeel.cmd.manage.describe import routes
from tests.apidiff import tool

HERE: Final = Path(__file__).parent
COLUMNS: Final = ("equal", "absent", "lab", "later", "better", "own", "status", "shape", "value", "missing")
OPEN: Final = ("status", "shape", "value", "missing")
NOT_COMPARED: Final = frozenset({"mv", "as", "case", "h", "op"})
OUTCOME: Final = ("st", "wait", "skipped", "boot")


@dataclass(frozen=True)
class Difference:
    """One place at which an answer is not Nova's."""

    op: str
    where: str
    kind: str
    path: str
    nova: Any
    ours: Any


@dataclass(frozen=True)
class Explanation:
    """A row of explained.yaml."""

    name: str
    kind: str
    reason: str
    op: str = "*"
    where: str = ""
    path: str = "*"
    nova: str = ""
    ours: str = ""

    def covers(self, one: Difference) -> bool:
        return (
            fnmatchcase(one.op, self.op)
            and fnmatchcase(one.path, self.path)
            and re.search(self.where, one.where) is not None
            and re.search(self.nova, _text(one.nova)) is not None
            and re.search(self.ours, _text(one.ours)) is not None
        )


@dataclass(frozen=True)
class Verdict:
    """What became of one answer: a column of the table, the reason's name, what is different."""

    column: str
    op: str
    why: str = ""
    differences: Sequence[Difference] = ()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def explanations() -> list[Explanation]:
    """The rows of explained.yaml."""
    return [Explanation(**row) for row in yaml.safe_load((HERE / "explained.yaml").read_text())]


def absent_operations(ops: Mapping[str, Any]) -> frozenset[str]:
    """The tool's operations that OpenKeel does not have, from its table of routes."""

    def plain(path: str) -> str:
        return re.sub(r"\{[^}]*\}", "{}", path)

    have = {(one["method"], plain(one["path"]), one["action"]) for one in routes()}
    absent = set()
    for op in ops:
        method, rest = op.split(" ", 1)
        path, _, action = rest.partition(" #")
        if (method, plain(path), action or None) not in have:
            absent.add(op)
    return frozenset(absent)


def _outcomes_differ(nova: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    return any(nova.get(key) != ours.get(key) for key in OUTCOME)


class Judge:
    """Compares answers one by one with the tool's own notion of a difference."""

    def __init__(self) -> None:
        self._tool = tool.load()
        self._explanations = explanations()
        self._absent = absent_operations(json.loads((tool.folder() / "ops.json").read_text()))
        self.used: Counter[str] = Counter()

    def recordings(self, folder: Path, match: str) -> dict[str, Any]:
        found: dict[str, Any] = self._tool.load_recordings(str(folder))
        return {name: one for name, one in found.items() if re.search(match, name)}

    def verdicts(self, nova: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Verdict]:
        """One per answer of one scenario."""
        theirs, mine = self._tool.explode(nova), self._tool.explode(ours)
        for key in (*theirs, *(key for key in mine if key not in theirs)):
            step, answer = theirs.get(key) or mine[key]
            op = answer.get("op", step["op"])
            actor, case = key[1], key[2]
            where = f"{nova['scenario']} step {key[0]}" + (f" as {actor}" if actor else "")
            where += (f" [{case}]" if case else "") + f" @{key[3]}"
            if key not in theirs or key not in mine:
                side = "only ours" if key in mine else "only Nova's"
                yield self._judged(op, [Difference(op, where, "missing", "", side, "")])
                continue
            yield self._judged(
                op, list(self._differences(op, where, (nova, ours), (theirs[key][1], mine[key][1])))
            )

    def _differences(
        self, op: str, where: str, recordings: tuple[Any, Any], answers: tuple[Any, Any]
    ) -> Iterator[Difference]:
        nova, ours = ({k: v for k, v in one.items() if k not in NOT_COMPARED} for one in answers)
        if _outcomes_differ(nova, ours):
            left, right = (next((one[key] for key in OUTCOME if key in one), "-") for one in (nova, ours))
            yield Difference(op, where, "status", "status", left, right)
            return
        headers = [
            recording["headers"][answer["h"]] if "h" in answer else {}
            for recording, answer in zip(recordings, answers, strict=True)
        ]
        for kind, path, left, right in (
            *self._tool.diffs(nova.get("b"), ours.get("b")),
            *self._tool.diffs(nova.get("then"), ours.get("then"), "then"),
            *self._tool.diffs(*headers, "header"),
        ):
            yield Difference(op, where, kind, path, left, right)

    def _judged(self, op: str, differences: Sequence[Difference]) -> Verdict:
        if not differences:
            return Verdict("equal", op)
        if op in self._absent:
            return Verdict("absent", op, op, differences)
        rows = [self._explanation(one) for one in differences]
        if all(rows):
            first = next(row for row in rows if row)
            return Verdict(first.kind, op, first.name, differences)
        kinds = {one.kind for one, row in zip(differences, rows, strict=True) if not row}
        left = [one for one, row in zip(differences, rows, strict=True) if not row]
        return Verdict(next(kind for kind in ("missing", *OPEN) if kind in kinds), op, "", left)

    def _explanation(self, one: Difference) -> Explanation | None:
        if one.kind == "status" and isinstance(one.nova, int) and isinstance(one.ours, int):
            failed, refused = one.nova >= 500, 400 <= one.ours < 500
            if failed and refused:
                return Explanation("Nova fails with 5xx, ours refuses", "better", "")
        return next((row for row in self._explanations if row.covers(one)), None)


def _short(value: Any, width: int = 90) -> str:
    text = value if isinstance(value, str) else _text(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def _table(verdicts: Sequence[Verdict], first: int) -> Iterator[str]:
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for one in verdicts:
        rows[one.op][one.column] += 1
    heading = "".join(f"{name:>8}" for name in COLUMNS)
    yield f"{'operation':<62}{heading}"
    for op, counts in sorted(rows.items(), key=lambda row: (row[0].split(" ", 1)[-1], row[0])):
        if set(counts) <= {"equal"}:
            continue
        yield f"{op[:61]:<62}" + "".join(f"{counts[name] or '.':>8}" for name in COLUMNS)
        for one in [one for one in verdicts if one.op == op and one.column in OPEN][:first]:
            for difference in one.differences[:2]:
                yield f"      {difference.kind:<7} {difference.where}"
                left, right = _short(difference.nova), _short(difference.ours)
                yield f"              {difference.path}: {left} | {right}"
    total = Counter(one.column for one in verdicts)
    yield f"{'TOTAL ' + str(len(verdicts)):<62}" + "".join(f"{total[name] or '.':>8}" for name in COLUMNS)


def _reasons(verdicts: Sequence[Verdict]) -> Iterator[str]:
    counts = Counter((one.column, one.why) for one in verdicts if one.why)
    for (column, why), count in sorted(counts.items()):
        yield f"  {column:<7} {count:>6}  {why}"


def main() -> int:
    """Print the table; 1 when a difference is open."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--match", default="", help="only scenarios whose name matches")
    parser.add_argument("--first", type=int, default=2, help="open differences shown per operation")
    parser.add_argument("--json", type=Path, help="write the open differences there, one a line")
    options = parser.parse_args()
    judge = Judge()
    nova = judge.recordings(tool.folder() / "recordings", options.match)
    ours = judge.recordings(options.folder, options.match)
    verdicts = [
        verdict
        for name in sorted(nova.keys() & ours.keys())
        for verdict in judge.verdicts(nova[name], ours[name])
    ]
    if options.json:
        lines = (vars(d) for one in verdicts if one.column in OPEN for d in one.differences)
        options.json.write_text("".join(_text(line) + "\n" for line in lines))
    print("\n".join(_table(verdicts, options.first)))
    print("\nExplained:")
    print("\n".join(_reasons(verdicts)))
    print(
        f"\n{len(nova.keys() & ours.keys())} scenarios of {len(nova)}; not played: "
        f"{', '.join(sorted(nova.keys() - ours.keys())) or 'none'}"
    )
    left = sum(one.column in OPEN for one in verdicts)
    print(f"open differences: {left}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
