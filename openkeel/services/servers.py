"""Changing what is written about a server: name, description, addresses, hostname, metadata, zone.

Nothing here talks to a host: these are facts for people, the metadata service and the scheduler.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain import storable
from openkeel.domain.errors import Conflict, InstanceNotFound, Invalid, NotFound
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.services import guards
from openkeel.services.boot import Quota
from openkeel.services.lookup import Located, ServerLookup
from openkeel.services.unique_names import NameScope, UniqueNames


class Unset(Enum):
    """Not said, where None says something."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class ServerChanges:
    """What to change; UNSET is left as it is. `pinned_zone` None takes the pin away."""

    name: str | Unset = UNSET
    description: str | Unset | None = UNSET
    access_ip_v4: str | Unset | None = UNSET
    access_ip_v6: str | Unset | None = UNSET
    hostname: str | Unset = UNSET
    auto_disk_config: bool | Unset = UNSET
    pinned_zone: str | Unset | None = UNSET

    def fields(self) -> dict[str, Any]:
        """The changes by field of the server."""
        wanted = {
            "display_name": self.name,
            "display_description": self.description,
            "access_ip_v4": self.access_ip_v4,
            "access_ip_v6": self.access_ip_v6,
            "hostname": self.hostname,
            "auto_disk_config": self.auto_disk_config,
        }
        return {field: value for field, value in wanted.items() if value is not UNSET}


class ServerService:
    """Writes what owners say about their servers."""

    def __init__(
        self,
        cells: CellDirectory,
        lookup: ServerLookup,
        quota: Quota,
        default_availability_zone: str = "nova",
        unique_name_scope: NameScope = NameScope.NOWHERE,
    ) -> None:
        self._cells = cells
        self._lookup = lookup
        self._quota = quota
        self._default_zone = default_availability_zone
        self._names = UniqueNames(cells, unique_name_scope)

    def update(self, ctx: Context, server: Located, changes: ServerChanges) -> None:
        """Raises: Invalid; Conflict when the server cannot be pinned so; InstanceExists; InstanceNotFound."""
        fields = changes.fields()
        names = {
            fields[field]
            for field in ("display_name", "hostname")
            if field in fields and fields[field].lower() != (server.instance[field] or "").lower()
        }
        self._names.check_names(server.instance.project_id, {server.uuid}, names)
        if fields.get("auto_disk_config") and _image_forbids_auto_disk_config(server.instance):
            raise Invalid("The image of the server forbids to fit the disk to the flavor (diskConfig AUTO).")
        if changes.pinned_zone is not UNSET:
            self._pin(server, changes.pinned_zone)
        if fields:
            self._write(ctx, server, fields)

    def _write(self, ctx: Context, server: Located, fields: Mapping[str, Any]) -> None:
        _set(server.instance, fields)
        if server.cell is not None:
            server.cell.instances.save(server.instance)
            return
        try:
            self._cells.api.build_requests.save(server.build_request)
        except NotFound:
            # The conductor has moved it to a cell meanwhile, from the copy it was sent.
            server = self._lookup.get(ctx, server.uuid)
            if server.cell is None:
                raise InstanceNotFound(instance_id=server.uuid) from None
            _set(server.instance, fields)
            server.cell.instances.save(server.instance)

    def _pin(self, server: Located, zone: str | None) -> None:
        """Say whether the scheduler must keep the server in a zone: the one it is in, or none.

        Contract: pinned_availability_zone of 2.104.
        """
        host = server.instance.host
        if zone is not None and (not host or self._zone_of(host) != zone):
            raise Conflict(f"Instance {server.uuid} is not in availability zone {zone}.")
        spec = self._cells.api.request_specs.get(server.uuid)
        spec.availability_zone = zone
        self._cells.api.request_specs.save(spec)

    def _zone_of(self, host: str) -> str:
        return self._cells.api.aggregates.zones_of_hosts([host]).get(host, self._default_zone)

    # Metadata

    def set_metadata(
        self, ctx: Context, server: Located, items: Mapping[str, str], *, replace: bool
    ) -> Mapping[str, str]:
        """Add the items, or have only them. Returns: all metadata.

        Raises: Invalid, InstanceIsLocked, InstanceInvalidState, OverQuota.
        """
        storable.check("Metadata", items.values())
        kept = {} if replace else dict(server.instance.metadata)
        metadata = {**kept, **items}
        guards.not_locked(ctx, server.instance)
        guards.in_state(server.instance, LIFECYCLE[Action.UPDATE_METADATA], "update metadata")
        within_limit = self._quota.bound(ctx, "metadata_items")
        within_limit(len(metadata))
        _cell(server).instances.write_metadata(
            server.instance, items, remove=None if replace else (), admit=within_limit
        )
        return dict(server.instance.metadata)

    def delete_metadata(self, ctx: Context, server: Located, key: str) -> None:
        """Raises: NotFound; InstanceIsLocked, InstanceInvalidState."""
        if key not in server.instance.metadata:
            raise NotFound(f"Instance {server.uuid} has no metadata item {key}.")
        guards.not_locked(ctx, server.instance)
        guards.in_state(server.instance, LIFECYCLE[Action.UPDATE_METADATA], "delete metadata")
        _cell(server).instances.delete_metadata_key(server.instance, key)


def _cell(server: Located) -> CellStores:
    if server.cell is None:  # the state check has refused servers without a cell
        raise InstanceNotFound(instance_id=server.uuid)
    return server.cell


def _set(instance: objects.Instance, fields: Mapping[str, Any]) -> None:
    for field, value in fields.items():
        setattr(instance, field, value)


def _image_forbids_auto_disk_config(instance: objects.Instance) -> bool:
    kept = instance.system_metadata
    return "Disabled" in {kept.get("image_auto_disk_config"), kept.get("image_hw_auto_disk_config")}
