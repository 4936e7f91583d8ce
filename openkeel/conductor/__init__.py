"""Workflows across hosts, and the stores of the computes."""
