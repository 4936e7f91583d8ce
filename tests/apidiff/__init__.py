"""The recorded answers of Nova 34.0.0, asked of OpenKeel on devstack and judged."""
