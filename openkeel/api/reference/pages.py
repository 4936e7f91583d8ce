"""The API reference: one page per resource, written from the tables."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from openkeel.api.reference import codes
from openkeel.api.reference.answers import answer
from openkeel.api.reference.windows import Window, span, windows
from openkeel.api.reference.words import by_resource, summary, title
from openkeel.api.schema import NoBody
from openkeel.api.tables import Operation, Since, View
from openkeel.api.versions import END, VERSIONS, text
from openkeel.policies import list_rules

_MADE: Final = "<!-- Made by scripts/reference from the tables of openkeel/api. -->"
_ABOUT: Final = (
    "Generated from the tables that the API runs on. A version stands beside what is not there in all "
    "versions of its operation. `openkeel-manage describe openapi --microversion 2.53` prints the OpenAPI "
    "document of a version."
)


def pages() -> dict[str, str]:
    """Every page by its file name."""
    made = {f"{name}.md": _page(name, rows) for name, rows in by_resource().items()}
    return {"README.md": _index(), **made}


def _index() -> str:
    lines = [
        _MADE,
        "",
        "# The compute API",
        "",
        _ABOUT,
        "",
        "| Resource | Operations |",
        "|---|---|",
    ]
    for name, rows in by_resource().items():
        lines.append(f"| [{_cell(title(name))}]({name}.md) | {len(rows)} |")
    lines += ["", "## Microversions", "", "| Version | Since then |", "|---|---|"]
    lines += [f"| {text(version)} | {_cell(version.summary)} |" for version in VERSIONS]
    return "\n".join(lines) + "\n"


def _page(name: str, rows: Sequence[Operation]) -> str:
    lines = [_MADE, "", f"# {title(name)}"]
    for row in rows:
        lines += ["", *_operation(row)]
    return "\n".join(lines) + "\n"


def _operation(row: Operation) -> Iterator[str]:
    yield f"## {row.name}"
    yield ""
    yield f"{summary(row)}.{_lifetime(row)}"
    yield ""
    yield from _facts(row)
    yield from _table("Query", row, lambda minor: _query(row, minor))
    yield from _table("Body", row, lambda minor: _body(row, minor))
    yield from _table("Answer", row, lambda minor: answer(row, minor), _notes(row))


def _lifetime(row: Operation) -> str:
    since, until = row.since > 1, row.until <= VERSIONS[-1]
    if since and until:
        return f" From {text(row.since)} to {text(row.until - 1)}."
    if since:
        return f" From {text(row.since)}."
    return f" To {text(row.until - 1)}." if until else ""


def _facts(row: Operation) -> Iterator[str]:
    checks = {rule.name: str(rule.check_str) for rule in list_rules()}
    yield f"- Policy: {f'`{row.rule}` (`{checks[row.rule]}`)' if row.rule else 'everybody with a token'}"
    if row.more_rules:
        yield "- Also asked: " + ", ".join(f"`{rule}` (`{checks[rule]}`)" for rule in row.more_rules)
    if not row.is_removed:
        yield f"- Success: {_success(row)}"
    yield "- Refusals: " + ", ".join(map(str, codes.faults(row)))
    if row.query is not None and row.query.strict_since < row.until:
        strict = max(row.query.strict_since, row.since)
        when = f" from {text(strict)}" if strict > max(row.since, 1) else ""
        yield f"- Unknown query parameters are refused{when}"
    for behaviour in row.behaviours:
        when = span(behaviour.since, behaviour.until, row)
        name = behaviour.name.replace("_", " ")
        yield f"- {when[0].upper()}{when[1:]}: {name}" if when else f"- {name}"


def _success(row: Operation) -> str:
    if not isinstance(row.status, Since):
        return ", ".join(map(str, codes.success(row, row.since)))
    steps = list(row.status.steps.items())
    ends = [*(start for start, _ in steps[1:]), row.until]
    return ", ".join(
        f"{code} {span(start, end, row)}".strip() for (start, code), end in zip(steps, ends, strict=True)
    )


def _query(row: Operation, minor: int) -> Any:
    """The query as an object of single values: that each may come again is said by its type."""
    if row.query is None or minor < row.query.since:
        return None
    here = [param for param in row.query.params if param.since <= minor < param.until]
    return {
        "properties": {param.name: param.item.at(minor) for param in here},
        "required": [param.name for param in here if param.required],
    }


def _body(row: Operation, minor: int) -> Any:
    found = next((one for one in (row.body, *row.bodies) if one is not None and one.covers(minor)), None)
    return None if found is None or isinstance(found, NoBody) else found.at(minor)


Note = Callable[[Window], str]


def _notes(row: Operation) -> Note:
    """What is said beside the fields of an answer."""
    rules: dict[str, set[str]] = {}
    optional: set[str] = set()

    def collect(view: View, path: str) -> None:
        for field in view.fields:
            here = f"{path}.{field.name}".lstrip(".")
            if field.rule is not None:
                rules.setdefault(here, set()).add(field.rule)
            elif field.optional_since < END:
                optional.add(here)
            if field.view is not None:
                collect(field.view, here + ("[]" if field.many else ""))

    if row.view is not None:
        collect(row.view, "")

    def note(window: Window) -> str:
        line = window.line
        if line.is_required:
            return ""
        if line.path in rules:
            return "where " + " or ".join(f"`{rule}`" for rule in sorted(rules[line.path])) + " allows"
        return "not always" if line.path in optional else ""

    return note


def _required(window: Window) -> str:
    return "required" if window.line.is_required else ""


def _table(
    heading: str,
    row: Operation,
    schema_at: Callable[[int], Any],
    note: Note = _required,
) -> Iterator[str]:
    found = windows(row, schema_at)
    if not found:
        return
    yield ""
    yield f"| {heading} | Type | Versions | |"
    yield "|---|---|---|---|"
    for window in found:
        line = window.line
        yield f"| `{line.path}` | {_cell(line.type)} | {window.within(row)} | {note(window)} |"


def _cell(said: str) -> str:
    return said.replace("|", "\\|")
