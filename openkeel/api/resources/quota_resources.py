"""What quotas are about: the names, and the versions that showed them. Shared by sets and classes."""

from collections.abc import Callable

from openkeel.api.tables import Field, Getter
from openkeel.api.versions import END, V
from openkeel.services import quota

Window = tuple[str, int, int]  # name, since, until


def windows(networks_until: int, groups_since: int) -> tuple[Window, ...]:
    """Every name with its window."""
    own = (
        (quota.CORES, 0, END),
        (quota.INSTANCES, 0, END),
        (quota.KEY_PAIRS, 0, END),
        (quota.METADATA_ITEMS, 0, END),
        (quota.RAM, 0, END),
        (quota.SERVER_GROUPS, groups_since, END),
        (quota.SERVER_GROUP_MEMBERS, groups_since, END),
        (quota.INJECTED_FILES, 0, V.PERSONALITY_GONE),
        (quota.INJECTED_FILE_CONTENT_BYTES, 0, V.PERSONALITY_GONE),
        (quota.INJECTED_FILE_PATH_BYTES, 0, V.PERSONALITY_GONE),
    )
    return own + tuple((name, 0, networks_until) for name in quota.OF_NETWORKS)


def fields(
    names: tuple[Window, ...], get: Callable[[str], Getter], shape: tuple[str, ...] = ()
) -> tuple[Field, ...]:
    """A field for every name."""
    return tuple(
        Field(name, get=get(name), since=since, until=until, shape=shape) for name, since, until in names
    )
