"""Ironic: nodes of bare metal, which old clients see through the compute API."""
