"""The databases of a process, from its configuration."""

from collections.abc import Callable

from oslo_config import cfg

from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.options import API, MAIN, settings
from openkeel.db.session import Database, DatabaseSettings
from openkeel.db.witness import Witness

MakeDatabase = Callable[[DatabaseSettings], Database]


def api_database(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> Database:
    """What `[api_database]` names."""
    return make(settings(conf, API))


def main_database(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> Database:
    """What `[database]` names: the cell of this process."""
    return make(settings(conf, MAIN))


def own_cell(
    conf: cfg.ConfigOpts, make: MakeDatabase = Database, witness: Witness | None = None
) -> CellStores:
    """The stores of the cell of this process. `witness` is told what they write."""
    return CellStores(main_database(conf, make), witness=witness)


def cell_directory(
    conf: cfg.ConfigOpts, make: MakeDatabase = Database, witness: Witness | None = None
) -> CellDirectory:
    """All databases of the deployment, found through the cell mappings. `witness`: as for `own_cell`."""
    return CellDirectory(
        api_database(conf, make),
        lambda url: make(settings(conf, MAIN, url=url)),
        database_url=conf[MAIN].connection or "",
        transport_url=conf.transport_url or "",
        witness=witness,
    )
