"""Daemons and tools: the only place that reads configuration and knows everything."""
