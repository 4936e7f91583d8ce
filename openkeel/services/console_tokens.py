"""What tokens of consoles let in to. Only consoles that hosts opened have any."""

from typing import Any

from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import CellUnreachable, NotFound


class ConsoleTokenService:
    """The use case of console tokens."""

    def __init__(self, cells: CellDirectory, cell_timeout_s: float = 60.0) -> None:
        self._cells = cells
        self._timeout_s = cell_timeout_s

    def find(self, token: str) -> Any:
        """Where a token that has not expired leads. Raises: NotFound."""
        cells = self._cells.cells(include_cell0=False)
        answers = self._cells.scatter(lambda cell: cell.console_tokens.find(token), cells, self._timeout_s)
        for answer in answers.values():
            if answer is not None and not isinstance(answer, CellUnreachable):
                return answer
        raise NotFound("The token is not known, or has expired.")
