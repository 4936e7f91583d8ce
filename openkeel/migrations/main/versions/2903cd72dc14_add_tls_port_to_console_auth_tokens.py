"""Consoles may have a second port that speaks TLS."""

import sqlalchemy as sa
from alembic import op

revision = "2903cd72dc14"
down_revision = "d60bddf7a903"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("console_auth_tokens", sa.Column("tls_port", sa.Integer))
