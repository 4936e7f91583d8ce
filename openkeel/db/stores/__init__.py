"""SQL stores, one noun each: the only SQL of the project."""
