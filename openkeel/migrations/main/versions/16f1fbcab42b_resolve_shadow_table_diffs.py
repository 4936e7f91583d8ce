"""Give the shadow tables of old databases the column types of their tables."""

import sqlalchemy as sa
from alembic import op

from openkeel.migrations.main.shadows import shadow_metadata

revision = "16f1fbcab42b"
down_revision = "8f2f1571d55b"
branch_labels = None
depends_on = None


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":  # keeps any value in any column
        return
    inspector = sa.inspect(bind)
    for shadow in shadow_metadata().sorted_tables:
        found = {column["name"]: column for column in inspector.get_columns(shadow.name)}
        for column in shadow.columns:
            if column.primary_key or column.name not in found:
                continue
            wanted = column.type.dialect_impl(bind.dialect)
            present = found[column.name]["type"]
            if getattr(wanted, "length", None) != getattr(present, "length", None) or (
                isinstance(wanted, sa.Text) and wanted.compile(bind.dialect) != present.compile(bind.dialect)
            ):
                op.alter_column(
                    shadow.name,
                    column.name,
                    type_=column.type,
                    existing_nullable=found[column.name]["nullable"],
                )
