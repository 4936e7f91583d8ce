"""Rows as typed classes: `models.api` for the API database, `models.main` for a cell's."""
