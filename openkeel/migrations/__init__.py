"""Alembic revisions of the API database (`api`) and of a cell's database (`main`)."""
