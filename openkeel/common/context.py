"""Who asks, on whose behalf, in which request: travels with every call between the daemons.

The wire form (`to_dict`/`from_dict`) has exactly the keys of Nova's context (contract: rpc.json,
wire.context_keys), so that a Nova peer reads ours and we read theirs.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from datetime import UTC, datetime
from typing import Any, Self

from oslo_context.context import RequestContext

# Only these entries of the catalogue travel (contract: wire.service_catalog_types_kept).
CATALOG_TYPES = frozenset(
    {
        "image",
        "block-storage",
        "volumev3",
        "key-manager",
        "placement",
        "network",
        "accelerator",
        "sharev2",
    }
)


class Context(RequestContext):
    """An oslo.context request context with Nova's additional wire keys."""

    def __init__(
        self,
        user_id: str | None = None,
        project_id: str | None = None,
        *,
        is_admin: bool = False,
        read_deleted: str = "no",
        remote_address: str | None = None,
        timestamp: datetime | str | None = None,
        quota_class: str | None = None,
        service_catalog: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(user_id=user_id, project_id=project_id, is_admin=is_admin, **kwargs)
        self.read_deleted = read_deleted
        self.remote_address = remote_address
        if isinstance(timestamp, str):
            timestamp = datetime.fromisoformat(timestamp)
        moment = timestamp or datetime.now(UTC)
        self.timestamp = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        self.quota_class = quota_class
        self.service_catalog = [
            dict(entry) for entry in service_catalog or () if entry.get("type") in CATALOG_TYPES
        ]

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        values = super().to_dict()
        values.pop("tenant", None)
        values.update(
            user_id=self.user_id,
            project_id=self.project_id,
            is_admin=self.is_admin,
            read_deleted=self.read_deleted,
            remote_address=self.remote_address,
            # Compat: Nova puts a naive UTC time with microseconds on the wire.
            timestamp=self.timestamp.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds"),
            quota_class=self.quota_class,
            service_catalog=self.service_catalog,
            user_name=self.user_name,
            project_name=self.project_name,
            is_admin_project=self.is_admin_project,
        )
        return values

    def to_policy_values(self) -> MutableMapping[str, Any]:
        """What checks of policy rules see: old ones ask for is_admin."""
        return {**super().to_policy_values(), "is_admin": self.is_admin}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], **kwargs: Any) -> Self:
        """Read the wire form; keys we do not know are dropped."""
        known: dict[str, Any] = {
            "user_id": values.get("user_id") or values.get("user"),
            "project_id": values.get("project_id") or values.get("project"),
        }
        for key in (
            "auth_token",
            "domain",
            "global_request_id",
            "is_admin",
            "is_admin_project",
            "project_name",
            "quota_class",
            "read_deleted",
            "read_only",
            "remote_address",
            "request_id",
            "resource_uuid",
            "roles",
            "service_catalog",
            "show_deleted",
            "system_scope",
            "timestamp",
            "user_name",
        ):
            if key in values:
                known[key] = values[key]
        if values.get("user_domain"):
            known["user_domain_id"] = values["user_domain"]
        if values.get("project_domain"):
            known["project_domain_id"] = values["project_domain"]
        if "domain" in known:
            known["domain_id"] = known.pop("domain")
        known.update(kwargs)
        return cls(**known)

    def elevated(self) -> Self:
        """A copy that may do anything, for steps the daemon takes on its own account."""
        copy = type(self).from_dict(self.to_dict())
        copy.is_admin = True
        copy.roles = sorted({*copy.roles, "admin"})
        return copy


def admin_context(read_deleted: str = "no") -> Context:
    """The daemon's own context: no user, no token, all rights."""
    return Context(is_admin=True, read_deleted=read_deleted, roles=["admin"], overwrite=False)
