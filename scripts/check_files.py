"""Files that a commit should not have: unreadable, too big, half-merged, secret. Names are given."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import yaml

LIMIT_KIB: Final = 512  # more is data, and does not belong into a repository
BIG_BY_NATURE: Final = ("constraints.txt", "devstack/cluster/schemas/")
READERS: Final[dict[str, Callable[[str], object]]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": lambda text: list(yaml.safe_load_all(text)),
    ".yml": lambda text: list(yaml.safe_load_all(text)),
}
# Built of pieces, so that this file is not one of its findings.
MERGE_MARK: Final = re.compile(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)
SECRET: Final = re.compile(
    r"-{5}BEGIN (?:[A-Z]+ )?PRIVATE KEY-{5}\n[A-Za-z0-9+/=\n]{200,}|\bAKIA[0-9A-Z]{16}\b"
)


def findings(path: Path) -> Iterator[str]:
    """What is wrong with a file."""
    data = path.read_bytes()
    if len(data) > LIMIT_KIB * 1024 and not str(path).startswith(BIG_BY_NATURE):
        yield f"has more than {LIMIT_KIB} KiB"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if MERGE_MARK.search(text):
        yield "has the marks of a merge"
    if SECRET.search(text):
        yield "holds a secret"
    if "\r\n" in text:
        yield "ends its lines as on Windows"
    if text and not text.endswith("\n"):
        yield "does not end with a line's end"
    if reader := READERS.get(path.suffix):
        try:
            reader(text)
        except (ValueError, yaml.YAMLError) as error:
            yield f"cannot be read: {error}"


def main(names: list[str]) -> int:
    """Check the files named, or all that git knows."""
    names = names or subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - whichever git is there
        check=True,
        capture_output=True,
        text=True,
    ).stdout.rstrip("\0").split("\0")
    found = [f"{name}: {what}" for name in names if Path(name).is_file() for what in findings(Path(name))]
    sys.stdout.writelines(f"{line}\n" for line in found)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
