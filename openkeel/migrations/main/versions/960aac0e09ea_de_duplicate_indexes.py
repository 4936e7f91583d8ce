"""Drop the indexes that repeat a unique constraint."""

from openkeel.migrations.vocabulary import drop_index_if_there

revision = "960aac0e09ea"
down_revision = "ccb0fa1a2252"
branch_labels = None
depends_on = None


def upgrade() -> None:
    drop_index_if_there("console_auth_tokens_token_hash_idx", "console_auth_tokens")
    drop_index_if_there("uuid", "instances")
