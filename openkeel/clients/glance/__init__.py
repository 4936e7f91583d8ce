"""Glance: images."""
