"""The wheel holds all that the installed programs need."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built without its own environment: the build tool is locked and here, the network may not be."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [path] = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def tracked(pattern):
    return {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if "__pycache__" not in path.parts}


def test_every_module_and_revision_is_in_it(wheel):
    wanted = tracked("openkeel/**/*.py")
    assert "openkeel/migrations/main/env.py" in wanted
    assert wanted <= set(wheel.namelist())


def test_types_are_published(wheel):
    assert "openkeel/py.typed" in wheel.namelist()


def test_nothing_of_the_tools_is_in_it(wheel):
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"openkeel"}


def test_programs_and_plugins_lead_to_what_exists(wheel):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    entries = {**project["scripts"]}
    for group in project["entry-points"].values():
        entries |= group
    for target in entries.values():
        module, _, function = target.partition(":")
        path = module.replace(".", "/")
        names = {f"{path}.py", f"{path}/__init__.py"} & set(wheel.namelist())
        assert names, target
        assert f"def {function}(" in wheel.read(names.pop()).decode(), target
