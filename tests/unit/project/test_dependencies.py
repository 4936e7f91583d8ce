"""What pyproject declares, what the code imports and what the decision page explains are the same."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGE = (ROOT / "docs/decisions/0001-dependencies.md").read_text()
BESIDE = {"nova", "cinder"}  # scripts that ask Nova, and the driver of volumes, run in environments of theirs
LOADED_BY_NAME = {"python-memcached", "pymysql"}  # by keystonemiddleware, by SQLAlchemy's URL


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared(requirements: list[str]) -> set[str]:
    return {_canonical(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}


RUNTIME = _declared(PROJECT["dependencies"])
DEV = _declared(PROJECT["optional-dependencies"]["dev"])


def _imported(folder: str) -> set[str]:
    names = set()
    for path in (ROOT / folder).rglob("*.py"):
        found = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
        names |= {name for name in found - BESIDE if not (path.parent / f"{name}.py").exists()}
    return names - sys.stdlib_module_names - {"openkeel", "devstack", "tests"}


def _distributions(modules: set[str]) -> set[str]:
    known = packages_distributions()
    return {_canonical(known[module][0]) for module in modules}


def test_what_the_package_imports_is_declared():
    assert _distributions(_imported("openkeel")) - RUNTIME == set()


def test_what_is_declared_is_used():
    assert RUNTIME - _distributions(_imported("openkeel")) == LOADED_BY_NAME


def test_what_devstack_and_the_tests_import_is_declared():
    assert _distributions(_imported("devstack") | _imported("tests")) - RUNTIME - DEV == set()


def test_every_dependency_has_its_reason():
    first_cells = re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
    explained = {_canonical(name.strip()) for cell in first_cells for name in cell.split(",")}
    assert explained - {"library"} == RUNTIME | DEV


def test_every_dependency_is_locked():
    locked = {
        _canonical(line.partition("==")[0]) for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    assert (RUNTIME | DEV) - locked == set()
