"""Flavors: what sizes there are and who may use them.

Reading goes from rows straight to views; writing goes through the store's objects. Only what an
administrator does may see private flavors of others. Contract: the flavor operations, 2.1 to 2.104.
"""

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openkeel import objects
from openkeel.clients.keystone.interface import Keystone
from openkeel.common.context import Context, admin_context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.flavor_reads import FlavorFilter, FlavorReads
from openkeel.domain import patterns, storable
from openkeel.domain.errors import Conflict, FlavorNotFound, Invalid, NotFound
from openkeel.notifications.notifier import Notifications
from openkeel.services import extra_specs as known_specs

LOG = logging.getLogger(__name__)

_MAX_FACTOR = 3.40282e38  # what a FLOAT column of MySQL holds


@dataclass(frozen=True, slots=True)
class FlavorQuery:
    """What a list of flavors asks for. `is_public` None: all."""

    is_public: bool | None = True
    min_memory_mib: int | None = None
    min_root_gib: int | None = None
    name_pattern: str | None = None
    sort_key: str = "flavorid"
    ascending: bool = True


@dataclass(frozen=True, slots=True)
class NewFlavor:
    """A flavor to be made; without an id it gets a uuid."""

    name: str
    memory_mib: int
    vcpus: int
    root_gib: int
    id: str | None = None
    ephemeral_gib: int = 0
    swap_mib: int = 0
    rxtx_factor: float = 1.0
    is_public: bool = True
    description: str | None = None


class FlavorService:
    """The use cases of flavors."""

    def __init__(
        self, cells: CellDirectory, keystone: Keystone, notifications: Notifications | None = None
    ) -> None:
        self._cells = cells
        self._notifications = notifications or Notifications()
        self._reads = FlavorReads(cells.api.database)
        self._keystone = keystone

    # Reading

    def page(self, ctx: Context, query: FlavorQuery, limit: int, marker: str | None) -> list[Any]:
        """Flavors the caller may see, as rows. Raises: Invalid for a pattern or marker that does not hold."""
        if query.name_pattern is not None:
            patterns.check(query.name_pattern)
        wanted = FlavorFilter(
            is_public=query.is_public,
            project_id=ctx.project_id,
            disabled=None if ctx.is_admin else False,
            min_memory_mib=query.min_memory_mib,
            min_root_gib=query.min_root_gib,
            name_pattern=query.name_pattern,
        )
        found = self._reads.page(
            wanted, query.sort_key, limit, marker, ascending=query.ascending, see_all=bool(ctx.is_admin)
        )
        if found is None:
            raise Invalid(f"Marker {marker} could not be found.")
        return found

    def get(self, ctx: Context, flavor_id: str) -> Any:
        """A flavor the caller may use, as a row. Raises: FlavorNotFound."""
        found = self._reads.find(flavor_id, None if ctx.is_admin else ctx.project_id or "")
        if found is None:
            raise FlavorNotFound(flavor_id=flavor_id)
        return found

    def extra_specs(self, flavors: Sequence[Any]) -> Mapping[int, Mapping[str, str]]:
        """Extra specs by row id, in one statement."""
        return self._reads.extra_specs([flavor.id for flavor in flavors])

    def projects(self, flavor_id: str) -> list[str]:
        """Projects that may use a private flavor. Raises: NotFound, for a public one too."""
        flavor = self._row(flavor_id)
        if flavor.is_public:
            raise NotFound(f"Flavor {flavor_id} is public: everybody has access.")
        return list(self._cells.api.flavors.projects(flavor.id))

    def _row(self, flavor_id: str) -> Any:
        found = self._reads.find(flavor_id, None)
        if found is None:
            raise FlavorNotFound(flavor_id=flavor_id)
        return found

    # Writing

    def create(self, new: NewFlavor) -> Any:
        """Returns: the row. Raises: AlreadyExists for a name or id; Invalid."""
        if new.rxtx_factor <= 0 or new.rxtx_factor > _MAX_FACTOR:
            raise Invalid("rxtx_factor must be a positive number.")
        flavor_id = new.id or str(uuid.uuid4())
        flavor = objects.Flavor(
            name=new.name,
            memory_mb=new.memory_mib,
            vcpus=new.vcpus,
            root_gb=new.root_gib,
            ephemeral_gb=new.ephemeral_gib,
            swap=new.swap_mib,
            flavorid=flavor_id,
            rxtx_factor=new.rxtx_factor,
            is_public=new.is_public,
            disabled=False,
            description=new.description,
            vcpu_weight=0,
            extra_specs={},
            projects=[],
        )
        self._cells.api.flavors.create(flavor)
        self._notifications.flavors.created(flavor)
        return self._row(flavor_id)

    def describe(self, flavor_id: str, description: str | None) -> Any:
        """Set the description. Returns: the row. Raises: FlavorNotFound."""
        flavor = self._object(flavor_id)
        flavor.description = description
        self._cells.api.flavors.save(flavor)
        self._notifications.flavors.updated(flavor)
        return self._row(flavor_id)

    def delete(self, flavor_id: str) -> None:
        """Servers keep their copy. Raises: FlavorNotFound."""
        flavor = self._object(flavor_id)
        self._cells.api.flavors.destroy(flavor)
        self._notifications.flavors.deleted(flavor)

    def set_extra_specs(self, flavor_id: str, specs: Mapping[str, str], *, validate: bool) -> None:
        """Add or replace extra specs. Raises: FlavorNotFound; Invalid for known ones that do not hold."""
        storable.check("Extra specs", specs.values())
        if validate:
            known_specs.check(specs.items())
        self._cells.api.flavors.save_extra_specs(self._row(flavor_id).id, specs)
        self._tell(flavor_id)

    def delete_extra_spec(self, flavor_id: str, name: str) -> None:
        """Raises: FlavorNotFound; NotFound."""
        row_id = self._row(flavor_id).id
        if name not in self._reads.extra_specs([row_id])[row_id]:
            raise NotFound(f"Flavor {flavor_id} has no extra spec {name}.")
        self._cells.api.flavors.save_extra_specs(row_id, {}, [name])
        self._tell(flavor_id)

    def add_access(self, ctx: Context, flavor_id: str, project_id: str, *, refuse_public: bool) -> list[str]:
        """Let a project use a flavor. Returns: all projects that may.

        Raises: FlavorNotFound; Invalid when there is no such project; FlavorAccessExists; Conflict when the
        flavor is public and `refuse_public`.
        """
        self._check_project(ctx, project_id)
        flavor = self._object(flavor_id)
        if flavor.is_public and refuse_public:
            raise Conflict(f"Flavor {flavor_id} is public: access to it cannot be given.")
        self._cells.api.flavors.add_access(flavor, project_id)
        self._tell(flavor_id)
        return list(self._cells.api.flavors.projects(flavor.id))

    def remove_access(self, ctx: Context, flavor_id: str, project_id: str) -> list[str]:
        """Take a flavor from a project. Returns: the projects left.

        Raises: FlavorNotFound; FlavorAccessNotFound; Invalid when there is no such project.
        """
        self._check_project(ctx, project_id)
        flavor = self._object(flavor_id)
        self._cells.api.flavors.remove_access(flavor, project_id)
        self._tell(flavor_id)
        return list(self._cells.api.flavors.projects(flavor.id))

    def _tell(self, flavor_id: str) -> None:
        """What hangs on the flavor was changed: tell of the whole, as it is now."""
        if not self._notifications.emitter.wants_versioned:
            return
        try:
            self._notifications.flavors.updated(self._object(flavor_id))
        except FlavorNotFound:
            LOG.info("flavor %s went before anybody was told of its change", flavor_id)

    def _object(self, flavor_id: str) -> Any:
        return self._cells.api.flavors.get(admin_context(), flavor_id)

    def _check_project(self, ctx: Context, project_id: str) -> None:
        if not self._keystone.project_exists(ctx, project_id):
            raise Invalid(f"Project {project_id} is not known.")
