"""The wire between the daemons."""
