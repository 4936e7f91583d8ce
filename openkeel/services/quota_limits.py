"""Where the limits of quotas come from. -1 is none. Contract: option [quota] driver."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from openkeel.clients.keystone.limits import KeystoneLimits
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.quotas import DEFAULT_CLASS

UNLIMITED: Final = -1

INSTANCES: Final = "instances"
CORES: Final = "cores"
RAM: Final = "ram"
METADATA_ITEMS: Final = "metadata_items"
INJECTED_FILES: Final = "injected_files"
INJECTED_FILE_CONTENT_BYTES: Final = "injected_file_content_bytes"
INJECTED_FILE_PATH_BYTES: Final = "injected_file_path_bytes"
KEY_PAIRS: Final = "key_pairs"
SERVER_GROUPS: Final = "server_groups"
SERVER_GROUP_MEMBERS: Final = "server_group_members"

# Compat: Neutron limits networks. What is set for them here is kept and shown, and limits nothing.
OF_NETWORKS: Final = ("fixed_ips", "floating_ips", "security_group_rules", "security_groups")

# What Keystone calls them; resource classes are "class:NAME" there and here.
UNIFIED_NAMES: Final[Mapping[str, str]] = {
    INSTANCES: "servers",
    CORES: "class:VCPU",
    RAM: "class:MEMORY_MB",
    METADATA_ITEMS: "server_metadata_items",
    INJECTED_FILES: "server_injected_files",
    INJECTED_FILE_CONTENT_BYTES: "server_injected_file_content_bytes",
    INJECTED_FILE_PATH_BYTES: "server_injected_file_path_bytes",
    KEY_PAIRS: "server_key_pairs",
    SERVER_GROUPS: "server_groups",
    SERVER_GROUP_MEMBERS: "server_group_members",
}


class LimitSource(Protocol):
    """Limits by resource. `can_be_set`: whether they are kept here, so that the API can change them."""

    can_be_set: bool

    def of_class(self, name: str = DEFAULT_CLASS) -> dict[str, int]:
        """All limits of a class; the class `default` is for projects for which nothing is set."""

    def of_project(self, project_id: str) -> dict[str, int]:
        """All limits of a project."""

    def of_user(self, project_id: str, user_id: str) -> dict[str, int]:
        """What is set for a user in a project; other limits are the project's."""

    def enforced(self, project_id: str, resources: Iterable[str]) -> dict[str, int]:
        """What a project must keep to of some resources; those that have no limits at all are left out."""


class DatabaseLimits:
    """Limits that the API set, of a user, a project, the default class; else the configured ones."""

    can_be_set = True

    def __init__(self, cells: CellDirectory, configured: Mapping[str, int]) -> None:
        self._quotas = cells.api.quotas
        self._configured = dict.fromkeys(OF_NETWORKS, UNLIMITED) | dict(configured)

    def of_class(self, name: str = DEFAULT_CLASS) -> dict[str, int]:
        return {**self._configured, **self._known(self._quotas.of_class(name))}

    def of_project(self, project_id: str) -> dict[str, int]:
        return self.of_class() | self._known(self._quotas.of_project(project_id))

    def of_user(self, project_id: str, user_id: str) -> dict[str, int]:
        return self._known(self._quotas.of_user(project_id, user_id))

    def enforced(self, project_id: str, resources: Iterable[str]) -> dict[str, int]:
        limits = self.of_project(project_id)
        return {name: limits[name] for name in resources if name in limits}

    def _known(self, limits: Mapping[str, Any]) -> dict[str, int]:
        """What there are limits for; the tables may know more."""
        return {
            name: int(limit)
            for name, limit in limits.items()
            if limit is not None and name in self._configured
        }


class NoLimits:
    """Nothing has a limit, whatever is set."""

    can_be_set = True

    def __init__(self, resources: Iterable[str]) -> None:
        self._none = dict.fromkeys(resources, UNLIMITED)

    def of_class(self, name: str = DEFAULT_CLASS) -> dict[str, int]:  # noqa: ARG002 - for none at all
        return dict(self._none)

    def of_project(self, project_id: str) -> dict[str, int]:  # noqa: ARG002 - as above
        return dict(self._none)

    def of_user(self, project_id: str, user_id: str) -> dict[str, int]:  # noqa: ARG002 - as above
        return {}

    def enforced(self, project_id: str, resources: Iterable[str]) -> dict[str, int]:  # noqa: ARG002 - as above
        return dict.fromkeys(resources, UNLIMITED)


class UnifiedLimits:
    """Limits that Keystone keeps, for projects only.

    Args:
        keystone: where they are.
        needs_limit: whether something that has no limit there is refused, rather than free.
    """

    can_be_set = False

    def __init__(self, keystone: KeystoneLimits, needs_limit: Callable[[str], bool]) -> None:
        self._keystone = keystone
        self._needs_limit = needs_limit

    def of_class(self, name: str = DEFAULT_CLASS) -> dict[str, int]:  # noqa: ARG002 - there are no classes
        return _shown(self._keystone.registered())

    def of_project(self, project_id: str) -> dict[str, int]:
        return _shown(self._limits(project_id))

    def of_user(self, project_id: str, user_id: str) -> dict[str, int]:  # noqa: ARG002 - none of users
        return {}

    def enforced(self, project_id: str, resources: Iterable[str]) -> dict[str, int]:
        limits = self._limits(project_id)
        found = {}
        for name in resources:
            theirs = UNIFIED_NAMES.get(name, name)
            missing = 0 if self._needs_limit(theirs) else UNLIMITED
            found[name] = limits.get(theirs, missing)
        return found

    def _limits(self, project_id: str) -> dict[str, int]:
        return {**self._keystone.registered(), **self._keystone.of_project(project_id)}


def _shown(limits: Mapping[str, int]) -> dict[str, int]:
    """Compat: what has no limit in Keystone is shown as 0, be it refused or free."""
    return {name: limits.get(theirs, 0) for name, theirs in UNIFIED_NAMES.items()}
