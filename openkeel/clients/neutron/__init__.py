"""Neutron: networks, and the ports of servers."""
