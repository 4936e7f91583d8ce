"""The use cases started by the API."""
