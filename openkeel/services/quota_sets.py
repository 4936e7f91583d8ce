"""Limits of projects, users and classes, as administrators see and change them.

The rules of what fits are in `openkeel.services.quota`; here are the numbers behind them. Contract: the
quota set and quota class operations, with the database driver.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from openkeel.clients.keystone.interface import Keystone
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.domain import storable
from openkeel.domain.errors import Invalid
from openkeel.services import quota
from openkeel.services.quota import UNLIMITED, QuotaService


@dataclass(frozen=True, slots=True)
class LimitAndUse:
    """A limit (-1: none) and how much of it is in use."""

    limit: int
    in_use: int


# What a project cannot be told to have: keypairs are a user's, members a group's.
_NOT_COUNTED: Final = 0


class QuotaSetService:
    """The use cases of quota sets and quota classes."""

    def __init__(self, cells: CellDirectory, quota_service: QuotaService, keystone: Keystone) -> None:
        self._cells = cells
        self._quota = quota_service
        self._keystone = keystone

    # Projects, and users in them

    def show(self, ctx: Context, project_id: str, user_id: str | None = None) -> dict[str, int]:
        """What a project, or a user in it, may have. Raises: Invalid for an unknown project."""
        self._check_project(ctx, project_id)
        return self._limits(project_id, user_id)

    def defaults(self, ctx: Context, project_id: str) -> dict[str, int]:
        """What projects may have for which nothing is set. Raises: Invalid for an unknown project."""
        self._check_project(ctx, project_id)
        return self._quota.default_limits()

    def detail(self, ctx: Context, project_id: str, user_id: str | None = None) -> dict[str, LimitAndUse]:
        """As `show`, with what is in use. Raises: Invalid; CellUnreachable."""
        limits = self.show(ctx, project_id, user_id)
        used = self._used(project_id, user_id)
        return {name: LimitAndUse(limit, used.get(name, _NOT_COUNTED)) for name, limit in limits.items()}

    def update(
        self,
        ctx: Context,
        project_id: str,
        user_id: str | None,
        changes: Mapping[str, int],
        *,
        force: bool,
    ) -> dict[str, int]:
        """Set limits, where they are kept here. Returns: all of them.

        Unless `force`, none may be lower than what is in use already, or than what users of the project
        were given of it; and no user may be given more than the project has left.

        Raises: Invalid; CellUnreachable.
        """
        self._check_project(ctx, project_id)
        if self._quota.can_be_set:
            if not force and changes:
                self._check_bounds(project_id, user_id, changes)
            quotas = self._cells.api.quotas
            if user_id is None:
                quotas.set_project(project_id, changes)
            else:
                quotas.set_user(project_id, user_id, changes)
        return self._limits(project_id, user_id)

    def delete(self, project_id: str, user_id: str | None = None) -> None:
        """Back to the defaults. Fine when nothing is set, and for projects that are gone."""
        self._cells.api.quotas.delete(project_id, user_id)

    def _limits(self, project_id: str, user_id: str | None) -> dict[str, int]:
        return self._quota.limits(project_id) | self._quota.user_limits(project_id, user_id)

    def _used(self, project_id: str, user_id: str | None) -> dict[str, int]:
        project, user = self._quota.usage(project_id, user_id)
        usage = project if user_id is None else user
        return {
            quota.INSTANCES: usage.instances,
            quota.CORES: usage.cores,
            quota.RAM: usage.memory_mib,
            quota.SERVER_GROUPS: self._quota.server_groups(project_id, user_id),
        }

    def _check_bounds(self, project_id: str, user_id: str | None, changes: Mapping[str, int]) -> None:
        used = self._used(project_id, user_id)
        of_project = self._quota.limits(project_id)
        given: dict[str, int] = {}
        for user, limits in self._cells.api.quotas.of_users(project_id).items():
            if user != user_id:
                for name, limit in limits.items():
                    given[name] = given.get(name, 0) + limit
        for name, limit in changes.items():
            least, most = used.get(name, _NOT_COUNTED), UNLIMITED
            if user_id is None:
                least = max(least, given.get(name, 0))
            elif of_project[name] != UNLIMITED:
                most = of_project[name] - given.get(name, 0)
            if limit != UNLIMITED and limit < least:
                raise Invalid(
                    f"The limit {limit} of {name} is lower than the {least} in use or given to users."
                )
            if most != UNLIMITED and not 0 <= limit <= most:
                raise Invalid(
                    f"The limit {limit} of {name} is more than the {max(most, 0)} that the project has left."
                )

    # Classes

    def show_class(self, name: str) -> dict[str, int]:
        """Limits of a class: its own, else configured ones. The class `default` holds for everybody."""
        return self._quota.class_limits(name)

    def update_class(self, name: str, changes: Mapping[str, int]) -> dict[str, int]:
        """Set limits of a class, where they are kept here. Returns: all of them."""
        storable.check("Names", [name])
        if self._quota.can_be_set:
            self._cells.api.quotas.set_class(name, changes)
        return self._quota.class_limits(name)

    def _check_project(self, ctx: Context, project_id: str) -> None:
        if not self._keystone.project_exists(ctx, project_id):
            raise Invalid(f"Project {project_id} is not known.")
