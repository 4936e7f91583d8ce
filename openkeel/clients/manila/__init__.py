"""Manila: shared file systems of servers."""
