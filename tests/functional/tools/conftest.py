"""The tools beside openkeel-manage, on the same deployment."""

from tests.functional.db.conftest import cell, deployment, manage

__all__ = ["cell", "deployment", "manage"]
