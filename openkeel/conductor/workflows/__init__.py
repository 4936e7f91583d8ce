"""Work that spans hosts and databases, one module per capability."""
