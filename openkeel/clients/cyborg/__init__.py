"""Cyborg: accelerators of servers."""
