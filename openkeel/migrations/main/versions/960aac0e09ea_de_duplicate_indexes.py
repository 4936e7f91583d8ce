"""Drop the indexes that repeat a unique constraint."""

import sqlalchemy as sa
from alembic import op

revision = "960aac0e09ea"
down_revision = "ccb0fa1a2252"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Databases that we created never had them.
    inspector = sa.inspect(op.get_bind())
    for table in ("instances", "console_auth_tokens"):
        constraints = inspector.get_unique_constraints(table)
        unique = [constraint["column_names"] for constraint in constraints]
        named = {constraint["name"] for constraint in constraints}
        for index in inspector.get_indexes(table):
            if index["name"] and index["name"] not in named and index["column_names"] in unique:
                op.drop_index(index["name"], table)
