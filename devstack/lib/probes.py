"""Is it up? Answers only; waiting is the caller's."""

import socket
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

SERVER_ERROR = 500


def listens(port: int) -> bool:
    """Something accepts connections on the loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return True
    except OSError:
        return False


def answers(url: str) -> bool:
    """Something below 500 comes back."""
    try:
        with urlopen(url, timeout=10) as answer:  # noqa: S310  our own loopback URLs
            return bool(answer.status < SERVER_ERROR)
    except HTTPError as error:
        with error:
            return error.code < SERVER_ERROR
    except (URLError, HTTPException, OSError):
        return False
