"""Tie servers and migrations to a node by its id."""

import sqlalchemy as sa
from alembic import op

revision = "1acf2c98e646"
down_revision = "1b91788ec3a6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for prefix in ("", "shadow_"):
        op.add_column(f"{prefix}instances", sa.Column("compute_id", sa.BigInteger))
        op.add_column(f"{prefix}migrations", sa.Column("dest_compute_id", sa.BigInteger))
    op.create_index("instances_compute_id_deleted_idx", "instances", ["compute_id", "deleted"])
    op.create_index("migrations_dest_compute_id_deleted_idx", "migrations", ["dest_compute_id", "deleted"])
