"""The schema as it stood when revisions began."""

from alembic import op

from openkeel.migrations.api.initial import METADATA

revision = "d67eeaabee36"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind())
