"""The shared tool `apidiff`: where it is, how it is run, what of it the judge uses."""

import os
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def shared() -> Path:
    """The folder of shared facts: OPENKEEL_SHARED, or `shared` beside the checkout."""
    return Path(os.environ.get("OPENKEEL_SHARED") or ROOT.parent / "shared")


def folder() -> Path:
    """The tool's own folder, with scenarios and recordings."""
    return shared() / "tools" / "apidiff"


def load() -> ModuleType:
    """The tool as a module."""
    loader = SourceFileLoader("apidiff", str(folder() / "apidiff"))
    spec = spec_from_loader("apidiff", loader)
    if spec is None:
        raise ImportError(name="apidiff", path=str(folder()))
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
