"""Outside services, typed."""
