"""URLs of cell mappings may be templates, filled from a process's own URL of the same kind.

Contract: `{username}`, `{password}`, `{hostname}`, `{port}`, `{scheme}`, `{path}`, `{query}` and
`{fragment}`; of an own URL with several hosts, the first has also the names with 1, the second those
with 2 (`{hostname2}`), and so on.
"""

from urllib.parse import urlsplit

from openkeel.domain.errors import Invalid


def render(template: str, own_url: str) -> str:
    """Fill a template; an URL that is none comes back as it is. Raises: Invalid."""
    if "{" not in template or not own_url:
        return template
    try:
        return template.format(**_parts(own_url))
    except (KeyError, IndexError, ValueError) as error:
        raise Invalid(f"A cell mapping has a URL template that cannot be filled: {error}.") from error


def _parts(url: str) -> dict[str, str]:
    split = urlsplit(url)
    parts = {
        "scheme": split.scheme,
        "path": split.path.lstrip("/"),
        "query": split.query,
        "fragment": split.fragment,
    }
    for number, host in enumerate(split.netloc.split(","), start=1):
        for name, value in _host_parts(host).items():
            parts[f"{name}{number}"] = value
            if number == 1:
                parts[name] = value
    return parts


def _host_parts(netloc: str) -> dict[str, str]:
    split = urlsplit(f"//{netloc}")
    return {
        "username": split.username or "",
        "password": split.password or "",
        "hostname": split.hostname or "",
        "port": str(split.port or ""),
    }
