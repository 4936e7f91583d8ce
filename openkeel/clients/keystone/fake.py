"""A Keystone in memory: which projects there are."""

from collections.abc import Collection

from openkeel.clients.faults import Faults
from openkeel.common.context import Context


class FakeKeystone:
    """The `Keystone` interface on a set."""

    def __init__(self, projects: Collection[str] = ()) -> None:
        self.faults = Faults()
        self.projects = set(projects)

    def project_exists(self, ctx: Context, project_id: str) -> bool:  # noqa: ARG002 interface
        self.faults.before("project_exists")
        return project_id in self.projects
