"""What mappings of servers to cells say beside the cell: older releases did not write it down."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as api_rows
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores.plan import rows_of
from openkeel.db.upkeep.online.step import Place, Progress

MAPPING: Final = table_of(api_rows.InstanceMapping)
CELL: Final = table_of(api_rows.CellMapping)
INSTANCE: Final = table_of(rows.Instance)


# Server -> its cell; and of those that are in it: server -> (whether it is dead, its user).
Page = tuple[dict[str, str | None], Mapping[str, tuple[int, str]]]


def fill_queued_for_delete(place: Place, limit: int) -> Progress:
    """Whether the server is going or gone: its cell knows. One that the cell has no row of is gone."""

    def values(page: Page) -> dict[str, Any]:
        servers, known = page
        return {
            uuid: cell is not None and (uuid not in known or bool(known[uuid][0]))
            for uuid, cell in servers.items()
        }

    return _fill_all(place, MAPPING.c.queued_for_delete, values, limit)


def fill_user_ids(place: Place, limit: int) -> Progress:
    """Whose the server is: its cell knows, or the request it was built by. Archived ones nobody knows."""

    def values(page: Page) -> dict[str, Any]:
        servers, known = page
        found = {uuid: known[uuid][1] for uuid in servers if uuid in known}
        for uuid in servers.keys() - found.keys():
            request = place.cells.api.build_requests.find(uuid)
            if request is not None:
                found[uuid] = request.instance.user_id
        return found

    return _fill_all(place, MAPPING.c.user_id, values, limit)


def _fill_all(
    place: Place, column: sa.Column[Any], values: Callable[[Page], dict[str, Any]], limit: int
) -> Progress:
    found = done = 0
    while done < limit:
        page = _servers(place, column, limit - done)
        if not page[0]:
            break
        found += len(page[0])
        done += _fill(place, column, values(page))
    return Progress(found, done)


def _servers(place: Place, empty: sa.ColumnElement[Any], limit: int) -> Page:
    """Servers whose mapping lacks something, with their cells; and what their cells know of them."""
    statement = (
        sa.select(MAPPING.c.id, MAPPING.c.instance_uuid, CELL.c.uuid)
        .outerjoin(CELL, CELL.c.id == MAPPING.c.cell_id)
        .where(empty.is_(None), MAPPING.c.id > place.read_up_to.get(str(empty), 0))
        .order_by(MAPPING.c.id)
        .limit(limit)
    )
    with place.api.read() as connection:
        found = rows_of(connection, statement)
    by_cell: dict[str, list[str]] = defaultdict(list)
    for id_, uuid, cell in found:
        place.read_up_to[str(empty)] = id_  # those that cannot be filled must not hold up the rest
        if cell is not None:
            by_cell[cell].append(uuid)
    known: dict[str, tuple[int, str]] = {}
    for cell, uuids in by_cell.items():
        wanted = sa.select(INSTANCE.c.uuid, INSTANCE.c.deleted, INSTANCE.c.user_id)
        with place.cells.cell(cell).database.read() as connection:
            for uuid, deleted, user_id in rows_of(connection, wanted.where(INSTANCE.c.uuid.in_(uuids))):
                known[uuid] = (deleted, user_id)
    return {uuid: cell for _, uuid, cell in found}, known


def _fill(place: Place, column: sa.Column[Any], values: Mapping[str, Any]) -> int:
    with place.api.write() as connection:
        return sum(
            connection.execute(
                sa.update(MAPPING)
                .where(MAPPING.c.instance_uuid == uuid, column.is_(None))
                .values({column: value, MAPPING.c.updated_at: MAPPING.c.updated_at})
            ).rowcount
            for uuid, value in values.items()
        )
