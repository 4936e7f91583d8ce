"""What rows are called in documents: their resource, and a line that says what they do."""

import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from openkeel.api import resources
from openkeel.api.tables import Operation


def title(resource: str) -> str:
    """The headline of a resource: what its module says it is."""
    return _first_line(_module(resource)) or resource


def summary(operation: Operation) -> str:
    """What an operation does: the first line its handler says of itself."""
    return _first_line(operation.handler) or operation.name


def by_resource() -> dict[str, tuple[Operation, ...]]:
    """All operations by the module that declares them."""
    return {name: tuple(_module(name).OPERATIONS) for name in resources.RESOURCES}


def resource_of(operation: Operation) -> str:
    """The module of an operation; of one that a test made, its first word."""
    return _owners().get(operation) or operation.path.strip("/").partition("/")[0]


@cache
def _owners() -> Mapping[Operation, str]:
    return {one: name for name, rows in by_resource().items() for one in rows}


def _module(name: str) -> ModuleType:
    return import_module(f"{resources.__name__}.{name}")


def _first_line(what: object) -> str:
    return (inspect.getdoc(what) or "").partition("\n")[0].rstrip(".")
