"""devstack: OpenKeel with the real services beside it, on one machine, without systemd or Docker."""
