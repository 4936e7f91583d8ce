"""INI text from plain mappings."""

from collections.abc import Mapping

Sections = Mapping[str, Mapping[str, object]]


def render(sections: Sections) -> str:
    """Sections in their order; booleans in lower case, lists comma separated."""
    blocks = [
        "\n".join([f"[{section}]", *(f"{key} = {_text(value)}" for key, value in options.items())])
        for section, options in sections.items()
    ]
    return "\n\n".join(blocks) + "\n"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value)
