"""What a project may have and has, as the limits operation shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from openkeel.db.stores.quota_reads import Usage
from openkeel.services.quota import QuotaService


@dataclass(frozen=True, slots=True)
class ProjectLimits:
    """Limits by resource (-1: none), and what is in use."""

    limits: Mapping[str, int]
    usage: Usage
    server_groups: int


class LimitsService:
    """The use case of limits."""

    def __init__(self, quota: QuotaService) -> None:
        self._quota = quota

    def show(self, project_id: str) -> ProjectLimits:
        """Limits and usage of a project; servers not yet in a cell are not in use.

        Raises: CellUnreachable.
        """
        usage, _ = self._quota.usage(project_id, pending=False)
        return ProjectLimits(self._quota.limits(project_id), usage, self._quota.server_groups(project_id))
