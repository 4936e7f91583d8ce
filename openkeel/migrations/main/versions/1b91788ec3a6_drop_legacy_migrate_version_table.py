"""Drop the version table of the tool that came before Alembic."""

import sqlalchemy as sa
from alembic import op

revision = "1b91788ec3a6"
down_revision = "960aac0e09ea"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if sa.inspect(op.get_bind()).has_table("migrate_version"):
        op.drop_table("migrate_version")
