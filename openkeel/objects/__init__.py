"""Versioned data carriers. No I/O."""
