"""Revisions of the API database."""
