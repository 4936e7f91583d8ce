"""Mechanisms every package uses."""
