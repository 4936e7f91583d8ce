"""Drop the version table of the tool that came before Alembic."""

import sqlalchemy as sa
from alembic import op

revision = "cdeec0c85668"
down_revision = "b30f573d3377"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if sa.inspect(op.get_bind()).has_table("migrate_version"):
        op.drop_table("migrate_version")
