"""Actions on servers, POST /servers/{id}/action: one module per capability, chosen by the body's key."""

from importlib import import_module
from typing import Final

from openkeel.api.tables import Operation

CAPABILITIES: Final[tuple[str, ...]] = ("power", "console", "delete", "admin_state")

OPERATIONS: Final[tuple[Operation, ...]] = tuple(
    operation
    for capability in CAPABILITIES
    for operation in import_module(f"{__name__}.{capability}").OPERATIONS
)
