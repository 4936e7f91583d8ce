"""A share is attached to a server once, and its tag names one share there."""

from alembic import op

revision = "d60bddf7a903"
down_revision = "13863f4e1612"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Compat: Nova's step leaves none either. No release let a share be attached before it, and rows that
    # are twice there would stop the upgrade.
    op.execute("DELETE FROM share_mapping")
    with op.batch_alter_table("share_mapping") as batch:
        batch.create_unique_constraint("uniq_key_pairs0instance_uuid0share_id", ["instance_uuid", "share_id"])
        batch.create_unique_constraint("uniq_key_pairs0instance_uuid0tag", ["instance_uuid", "tag"])
