"""Keystone: projects."""
