"""Find the migrations of a host by either end without reading all of them."""

from alembic import op

revision = "ab450ba04102"
down_revision = "2903cd72dc14"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for index, end in (
        ("migrations_by_src_host_nodes_and_status_idx", "source"),
        ("migrations_by_dest_host_nodes_and_status_idx", "dest"),
    ):
        op.create_index(index, "migrations", ["deleted", f"{end}_compute", f"{end}_node", "status"])
