"""The capabilities of one host."""
