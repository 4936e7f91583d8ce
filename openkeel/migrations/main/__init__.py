"""Revisions of the cells' databases."""
