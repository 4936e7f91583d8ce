"""The schema as it stood when revisions began."""

from alembic import op

from openkeel.migrations.main.initial import METADATA
from openkeel.migrations.main.shadows import shadow_metadata

revision = "8f2f1571d55b"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind())
    shadow_metadata().create_all(op.get_bind())
