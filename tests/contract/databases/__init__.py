"""The schemas and their revisions on SQLite and on a real MariaDB."""
