"""What migrations of data work on, and what they answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from openkeel.db.cells import CellDirectory
from openkeel.db.session import Database


class Progress(NamedTuple):
    """Of the rows looked at: how many needed it, and how many have it now."""

    found: int
    done: int


@dataclass(frozen=True, slots=True)
class Ratios:
    """What a node without overcommit ratios gets."""

    cpu: float = 4.0
    memory: float = 1.0
    disk: float = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """The databases of a run, and where it is in tables that it reads from end to end.

    Args:
        main: the local cell's database.
        cells: the API database, and the others through it.
    """

    main: Database
    cells: CellDirectory
    default_zone: str = "nova"
    ratios: Ratios = Ratios()
    read_up_to: dict[str, int] = field(default_factory=dict)

    @property
    def api(self) -> Database:
        """The API database."""
        return self.cells.api.database


Migration = Callable[[Place, int], Progress]
