"""Servers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from openkeel.common.context import admin_context
from openkeel.domain.errors import InvalidState
from openkeel.domain.lifecycle import Rule, Step
from openkeel.objects.moves import move_by
from openkeel.objects.stores import ANY
from openkeel.rpc.remote_stores.rows import Store, named, or_none

# What shows whose compare-and-swap it was.
_TELLING: Final = frozenset({"host", "node", "vm_state", "task_state"})


class RemoteInstances(Store):
    """Contract: Instance, InstanceList."""

    def get(self, uuid: str, expected_attrs: Sequence[str] = ()) -> Any:
        return self._wire.ask("Instance", "get_by_uuid", uuid=uuid, expected_attrs=list(expected_attrs))

    def refresh(self, instance: Any) -> None:
        """Read again all that is loaded. Raises: InstanceNotFound."""
        self._wire.tell(instance, "refresh")

    def list_by_host(self, host: str, expected_attrs: Sequence[str] = (), *, node: str | None = None) -> Any:
        """Servers on a host, or on one node of it."""
        attrs = list(expected_attrs)
        if node is not None:
            return self._wire.ask(
                "InstanceList", "get_by_host_and_node", host=host, node=node, expected_attrs=attrs
            )
        return self._wire.ask("InstanceList", "get_by_host", host=host, expected_attrs=attrs)

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        expected_attrs: Sequence[str] = (),
        *,
        sort_keys: Sequence[str] = ("created_at",),
        sort_dirs: Sequence[str] = ("desc",),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        return self._wire.ask(
            "InstanceList",
            "get_by_filters",
            filters=dict(filters),
            expected_attrs=list(expected_attrs),
            sort_keys=list(sort_keys),
            sort_dirs=list(sort_dirs),
            limit=limit,
            marker=marker,
        )

    def list_active_by_window(
        self,
        begin: datetime,
        end: datetime | None = None,
        *,
        host: str | None = None,
        expected_attrs: Sequence[str] = (),
    ) -> Any:
        return self._wire.ask(
            "InstanceList",
            "_get_active_by_window_joined",
            begin=begin.isoformat(),
            end=None if end is None else end.isoformat(),
            host=host,
            expected_attrs=list(expected_attrs),
        )

    def list_hung_in_rebooting(self, window_s: int, expected_attrs: Sequence[str] = ()) -> Any:
        """Servers that have been rebooting for longer than the window."""
        return self._wire.ask(
            "InstanceList",
            "get_hung_in_rebooting",
            reboot_window=window_s,
            expected_attrs=list(expected_attrs),
        )

    def uuids_by_host(self, host: str, *, node: str | None = None) -> Sequence[str]:
        if node is not None:
            uuids = self._wire.ask("InstanceList", "get_uuids_by_host_and_node", host=host, node=node)
        else:
            uuids = self._wire.ask("InstanceList", "get_uuids_by_host", host=host)
        return list(uuids)

    def create(self, instance: Any) -> None:
        name = named(instance)
        self._wire.create(instance, lambda: or_none(lambda: self.get(name)))

    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        changed = set(instance.obj_what_changed())

        def settled(error: Exception) -> bool | None:
            if not isinstance(error, InvalidState):
                return None
            row = self.get(instance.uuid)
            if any(getattr(row, name) != getattr(instance, name) for name in _TELLING & changed):
                return None
            instance.obj_reset_changes(changed)
            return True

        expected: dict[str, Any] = {}
        if expected_vm_state is not ANY:
            expected["expected_vm_state"] = _accepted(expected_vm_state)
        if expected_task_state is not ANY:
            expected["expected_task_state"] = _accepted(expected_task_state)
        swaps = bool(_TELLING & changed)  # else there is nothing to tell by who wrote it
        # Compat: a conductor of Nova finds dead servers only for who reads the dead as well.
        is_dead = instance.obj_attr_is_set("deleted") and instance.deleted
        ctx = admin_context(read_deleted="yes") if is_dead else None
        self._wire.tell(instance, "save", ctx=ctx, settled=settled if swaps else None, **expected)

    def move(self, instance: Any, rule: Rule, step: Step) -> None:
        move_by(self.save, instance, rule, step)

    def destroy(self, instance: Any) -> None:
        self._wire.destroy(instance)


def _accepted(states: Any) -> list[Any]:
    """Expected states as the wire has them: always a list, in which None means none."""
    if isinstance(states, list | tuple | set | frozenset):
        return [None if state is None else str(state) for state in states]
    return [None if states is None else str(states)]
