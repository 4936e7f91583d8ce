"""The second look at server groups: does this host still keep the policy of the group?

Schedulers decide on what they know, and several decide at once. The host asks again when it has claimed
the server and before it builds anything; what does not fit goes to another host. Contract: option
[workarounds] disable_group_policy_check_upcall, since the question goes up to the API database.
"""

import logging
import threading
from collections.abc import Collection
from typing import Final

from openkeel import objects
from openkeel.compute.host import Host
from openkeel.domain.errors import GroupPolicyViolated

LOG = logging.getLogger(__name__)

AFFINITY: Final = "affinity"
ANTI_AFFINITY: Final = "anti-affinity"


class GroupPolicy:
    """Admits servers of groups to the host, one at a time per group."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._guard = threading.Lock()
        self._admitted: set[str] = set()

    def admit(self, instance_uuid: str, group_uuid: str, under_way: Collection[str]) -> None:
        """Let the server be built here, if the policy of its group allows.

        `under_way` are the servers whose builds this daemon has taken on. Their rows name this host from
        the start; those that were not admitted yet will be judged after us and do not count.

        Raises: GroupPolicyViolated.
        """
        with self._host.locks.hold(f"server group {group_uuid}"):
            group = self._host.groups.find_by_instance(instance_uuid)
            if group is None:
                return  # deleted meanwhile: it binds nobody
            with self._guard:
                unjudged = set(under_way) - self._admitted
            if group.policy == ANTI_AFFINITY:
                self._check_apart(instance_uuid, group, unjudged)
            elif group.policy == AFFINITY:
                self._check_together(instance_uuid, group)
            with self._guard:
                self._admitted.add(instance_uuid)

    def forget(self, instance_uuid: str) -> None:
        """The build has ended, however: from now on the server's row says where it is."""
        with self._guard:
            self._admitted.discard(instance_uuid)

    def _check_apart(self, instance_uuid: str, group: objects.InstanceGroup, unjudged: set[str]) -> None:
        host = self._host
        coming = {
            one.instance_uuid
            for one in host.stores.migrations.list_in_progress(host.name, host.node)
            if one.dest_compute == host.name and one.status != "error"
        }
        here = set(host.stores.instances.uuids_by_host(host.name)) | coming
        present = (here & set(group.members or ())) - unjudged - {instance_uuid}
        allowed = int(_rules(group).get("max_server_per_host", 1))
        if len(present) >= allowed:
            raise GroupPolicyViolated(instance_uuid=instance_uuid, policy=group.policy)

    def _check_together(self, instance_uuid: str, group: objects.InstanceGroup) -> None:
        others = [uuid for uuid in group.members or () if uuid != instance_uuid]
        if not others:
            return
        found = self._host.stores.instances.list_by_filters({"uuid": others, "deleted": False})
        hosts = {one.host for one in found if one.host}
        if hosts and self._host.name not in hosts:
            raise GroupPolicyViolated(instance_uuid=instance_uuid, policy=group.policy)


def _rules(group: objects.InstanceGroup) -> dict[str, str]:
    rules: dict[str, str] = getattr(group, "_rules") if group.obj_attr_is_set("_rules") else {}  # noqa: B009 - a field of the contract's name
    return rules or {}
