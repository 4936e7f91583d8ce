"""The REST API: HTTP to commands, rows to views."""
