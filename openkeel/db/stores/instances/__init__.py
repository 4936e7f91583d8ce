"""Servers: create, read with what was asked for, compare-and-swap, end.

Fields that are columns of `instances` are always loaded; what hangs on a server only when it is named
in `expected_attrs`. However many servers are read, the number of statements is the same.
"""
