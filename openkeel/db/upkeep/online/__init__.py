"""Data that older releases left behind, brought to its present form while everything runs.

Each migration is a step that handles at most so many rows and says how many it found and how many it
could do; it is run until it finds nothing to do. Every one can be cut off at any time.

Contract: names and order of manage_cli.json, online_data_migrations.
"""

from collections.abc import Mapping
from typing import Final

from openkeel.db.upkeep.online import interfaces, mappings, quotas, rows
from openkeel.db.upkeep.online.step import Migration, Place, Progress, Ratios

__all__ = ["MIGRATIONS", "Migration", "Place", "Progress", "Ratios"]

MIGRATIONS: Final[Mapping[str, Migration]] = {
    "migrate_quota_limits_to_api_db": quotas.move_limits,
    "migrate_quota_classes_to_api_db": quotas.move_classes,
    "migration_migrate_to_uuid": rows.name_migrations,
    "populate_uuids": rows.name_disks,
    "populate_missing_availability_zones": rows.fill_zones,
    "populate_queued_for_delete": mappings.fill_queued_for_delete,
    "migrate_empty_ratio": rows.fill_ratios,
    "fill_virtual_interface_list": interfaces.fill_list,
    "populate_user_id": mappings.fill_user_ids,
    "populate_dev_uuids": rows.name_devices,
    "populate_instance_compute_id": rows.fill_compute_ids,
}
