"""Databases: the only SQL."""
