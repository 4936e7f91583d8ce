"""Why a daemon or tool does not even start."""


class StartRefused(Exception):
    """Something outside the code that an operator must put right first: `cmd/` prints it as one line."""
