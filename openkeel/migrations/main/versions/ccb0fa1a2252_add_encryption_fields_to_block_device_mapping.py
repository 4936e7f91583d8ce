"""Say of each disk whether and how it is encrypted."""

import sqlalchemy as sa
from alembic import op

revision = "ccb0fa1a2252"
down_revision = "16f1fbcab42b"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("block_device_mapping", "shadow_block_device_mapping"):
        op.add_column(table, sa.Column("encrypted", sa.Boolean))
        op.add_column(table, sa.Column("encryption_secret_uuid", sa.String(36)))
        op.add_column(table, sa.Column("encryption_format", sa.String(128)))
        op.add_column(table, sa.Column("encryption_options", sa.String(4096)))
