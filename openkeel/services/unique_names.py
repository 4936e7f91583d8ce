"""Servers whose names nobody else has. Contract: the option osapi_compute_unique_server_name_scope.

No index keeps names apart, for most deployments let servers share them. So whoever records servers
looks before and once more after it: of two who take a name at the same moment at least one sees the
other and steps back; it may be both. Whoever renames one looks before only.

Compat: Nova compares host names, which it makes of names, so neither may be taken.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum

from openkeel import objects
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import InstanceExists


class NameScope(StrEnum):
    """Where no two servers may have the same name."""

    NOWHERE = ""
    PROJECT = "project"
    EVERYWHERE = "global"


class UniqueNames:
    """Looks for namesakes of servers, whatever the case of their names."""

    def __init__(self, cells: CellDirectory, scope: NameScope = NameScope.NOWHERE) -> None:
        self._cells = cells
        self._scope = scope

    def check(self, instances: Collection[objects.Instance]) -> None:
        """Whether servers of one project, recorded or not, are alone with their names.

        Raises: InstanceExists; Unavailable when a cell does not answer.
        """
        if instances:
            names = {name for instance in instances for name in _names(instance)}
            project_id = next(iter(instances)).project_id
            self.check_names(project_id, {instance.uuid for instance in instances}, names)

    def check_names(
        self, project_id: str | None, instance_uuids: Collection[str], names: Collection[str]
    ) -> None:
        """Whether nobody but these servers has one of the names. Raises: as `check`."""
        if self._scope is NameScope.NOWHERE or not names:
            return
        within = project_id if self._scope is NameScope.PROJECT else None
        for uuid, name in self._taken({name.lower() for name in names}, within):
            if uuid not in instance_uuids:
                raise InstanceExists(name=name)

    def _taken(self, names: Collection[str], project_id: str | None) -> Iterator[tuple[str, str]]:
        """(uuid, name) of the servers that have one of the names, on their way to a cell or in it."""
        for request in self._cells.api.build_requests.list(project_id):
            for name in _names(request.instance):
                if name.lower() in names:
                    yield request.instance_uuid, name
        for cell in self._cells.cells():  # later: who has left the first list is in this one by now
            yield from cell.instances.namesakes(names, project_id)


def _names(instance: objects.Instance) -> Iterator[str]:
    for name in (instance.display_name, instance.hostname):
        if name:
            yield name
