"""Placement: what providers have, and who consumes it."""
