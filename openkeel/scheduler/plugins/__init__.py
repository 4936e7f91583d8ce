"""Filters and weighers, one capability per file. `registry.py` knows them by Nova's names."""
