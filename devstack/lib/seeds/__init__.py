"""What is put into the running services through their APIs (run with OpenKeel's own environment)."""
