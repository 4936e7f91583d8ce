"""Shares of the file share service, attached to servers."""

import sqlalchemy as sa
from alembic import op

from openkeel.migrations.vocabulary import BIG_ID, UTF8, stamps

revision = "13863f4e1612"
down_revision = "1acf2c98e646"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "share_mapping",
        *stamps(),
        sa.Column("id", BIG_ID, primary_key=True),
        sa.Column("uuid", sa.String(36)),
        sa.Column("instance_uuid", sa.String(36)),
        sa.Column("share_id", sa.String(36)),
        sa.Column("status", sa.String(32)),
        sa.Column("tag", sa.String(48)),
        sa.Column("export_location", sa.Text),
        sa.Column("share_proto", sa.String(32)),
        sa.ForeignKeyConstraint(
            ["instance_uuid"], ["instances.uuid"], name="share_mapping_instance_uuid_fkey"
        ),
        sa.Index("share_idx", "share_id"),
        sa.Index("share_mapping_instance_uuid_share_id_idx", "instance_uuid", "share_id"),
        **UTF8,
    )
