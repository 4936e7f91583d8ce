"""Reading servers' records whose columns may be empty or were not asked for."""

from typing import Any

from openkeel import objects


def project_of(instance: objects.Instance) -> str:
    """The owner; every server has one, though the column may be null."""
    return instance.project_id or ""


def loaded(item: Any, field: str) -> Any:
    """A field's value, None when the object came without it."""
    return getattr(item, field) if item.obj_attr_is_set(field) else None
