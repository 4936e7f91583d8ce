"""The server group of a request, as it stands when a host is looked for."""

from openkeel import objects
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.scheduling import CellSchedulingReads
from openkeel.domain.errors import CellUnreachable, InstanceGroupNotFound


def fill_group(cells: CellDirectory, spec: objects.RequestSpec) -> None:
    """Write the group's present members and their hosts into the request; nothing without a group.

    Contract: a scheduler of Nova reads them there and nowhere else. A group that was deleted meanwhile
    binds nobody.
    """
    group = spec.instance_group if spec.obj_attr_is_set("instance_group") else None
    if group is None:
        return
    try:
        fresh = cells.api.instance_groups.get(group.uuid)
    except InstanceGroupNotFound:
        spec.instance_group = None
        return
    members = list(fresh.members or ())
    answers = cells.scatter(
        lambda cell: CellSchedulingReads(cell.database).hosts_of(members), cells.cells(include_cell0=False)
    )
    hosts = {
        host
        for answer in answers.values()
        if not isinstance(answer, CellUnreachable)
        for host in answer.values()
    }
    fresh.hosts = sorted(hosts)
    spec.instance_group = fresh
