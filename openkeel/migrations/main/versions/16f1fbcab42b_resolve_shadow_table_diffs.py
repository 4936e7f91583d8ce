"""Make the shadow tables that differed from their tables like them."""

import sqlalchemy as sa
from alembic import op

from openkeel.migrations.vocabulary import drop_index_if_there

revision = "16f1fbcab42b"
down_revision = "8f2f1571d55b"
branch_labels = None
depends_on = None


def upgrade() -> None:
    drop_index_if_there("shadow_instance_extra_idx", "shadow_instance_extra")
    drop_index_if_there("shadow_migrations_uuid", "shadow_migrations")
    with op.batch_alter_table("shadow_volume_usage_cache") as batch:
        batch.alter_column(
            "user_id", type_=sa.String(64), existing_type=sa.String(36), existing_nullable=True
        )
    if op.get_bind().dialect.name == "mysql":
        # Keys that differ only in case are different keys, archived ones too.
        op.execute(
            "ALTER TABLE shadow_instance_type_extra_specs CONVERT TO CHARACTER SET utf8 COLLATE utf8_bin"
        )
