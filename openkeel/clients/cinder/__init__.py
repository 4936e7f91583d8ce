"""Cinder: volumes and their attachments."""
