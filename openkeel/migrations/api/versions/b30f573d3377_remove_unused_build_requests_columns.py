"""Drop what build requests held before they carried the whole server."""

import sqlalchemy as sa
from alembic import op

revision = "b30f573d3377"
down_revision = "d67eeaabee36"
branch_labels = None
depends_on = None

KEPT = frozenset(
    {
        "block_device_mappings",
        "created_at",
        "id",
        "instance",
        "instance_uuid",
        "project_id",
        "tags",
        "updated_at",
    }
)


def upgrade() -> None:
    # A database whose upgrade was cut off here may have lost them already.
    inspector = sa.inspect(op.get_bind())
    unused = {column["name"] for column in inspector.get_columns("build_requests")} - KEPT
    if not unused:
        return
    with op.batch_alter_table("build_requests") as batch:
        for key in inspector.get_foreign_keys("build_requests"):
            if unused.intersection(key["constrained_columns"]) and key["name"]:
                batch.drop_constraint(key["name"], type_="foreignkey")
        for index in inspector.get_indexes("build_requests"):
            if unused.intersection(index["column_names"]) and index["name"]:
                batch.drop_index(index["name"])
        for column in sorted(unused):
            batch.drop_column(column)
