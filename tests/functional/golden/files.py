"""The golden files: per noun the operations, per operation what each run of versions answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from openkeel.api.tables import Operation

GONE = "<gone>"
FOLDER = Path(__file__).parent / "answers"
_HEAD = """\
# What writing operations answer on both sides of every version that changes them. Made by scripts/golden,
# read before it is committed. `does`: what is different afterwards, as a GET in a late version tells it.
"""


def noun(operation: Operation) -> str:
    """The file of an operation."""
    if operation.is_removed:
        return "removed"
    words = [one for one in operation.path.strip("/").split("/") if not one.startswith("{")]
    first, *below = [*words, "actions"] if words[-1] == "action" else words
    return "-".join([first, *(one for one in below if one != "action")]).removeprefix("os-")


def read() -> dict[str, Any]:
    """Answers by the name of the operation."""
    found: dict[str, Any] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        found |= yaml.safe_load(path.read_text())
    return found


def write(answers: dict[Operation, Any]) -> None:
    """The files of these operations anew: each has all operations of a noun."""
    files: dict[str, dict[str, Any]] = {}
    for operation, found in answers.items():
        files.setdefault(noun(operation), {})[operation.name] = found
    FOLDER.mkdir(exist_ok=True)
    for name, content in files.items():
        said = yaml.dump(
            content, Dumper=_Dumper, sort_keys=False, width=118, default_flow_style=None, allow_unicode=True
        )
        (FOLDER / f"{name}.yaml").write_text(_HEAD + said)


class _Dumper(yaml.SafeDumper):
    """Writes equal parts out in full, instead of pointing at the first of them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def flat(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of an operation: per version every leaf of its entry by path, such as "says.keypair.name"."""
    found: dict[str, dict[str, Any]] = {}
    last: dict[str, Any] = {}
    for entry in entries:
        told = {key: value for key, value in entry.items() if key not in {"in", "differs"}}
        last = {**last, **entry["differs"]} if "differs" in entry else dict(leaves(told))
        last = {path: value for path, value in last.items() if value != GONE or path == "does"}
        for version in entry["in"]:
            found[version] = last
    return found


def leaves(value: Any, at: str = "", *, items: bool = True) -> Iterator[tuple[str, Any]]:
    """Every leaf by its path; an empty object is one, and so is an item of a list of objects.

    Without `items` a list is one.
    """
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(one, f"{at}.{key}" if at else key, items=items)
    elif items and isinstance(value, list) and value and isinstance(value[0], dict):
        yield from ((f"{at}[{position}]", item) for position, item in enumerate(value))
    else:
        yield at, value
