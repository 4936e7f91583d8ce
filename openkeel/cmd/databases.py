"""The databases of a process, from its configuration."""

from collections.abc import Callable

from oslo_config import cfg

from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.options import API, MAIN, settings
from openkeel.db.session import Database, DatabaseSettings

MakeDatabase = Callable[[DatabaseSettings], Database]


def api_database(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> Database:
    """What `[api_database]` names."""
    return make(settings(conf, API))


def main_database(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> Database:
    """What `[database]` names: the cell of this process."""
    return make(settings(conf, MAIN))


def own_cell(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> CellStores:
    """The stores of the cell of this process."""
    return CellStores(main_database(conf, make))


def cell_directory(conf: cfg.ConfigOpts, make: MakeDatabase = Database) -> CellDirectory:
    """All databases of the deployment, found through the cell mappings."""
    return CellDirectory(
        api_database(conf, make),
        lambda url: make(settings(conf, MAIN, url=url)),
        database_url=conf[MAIN].connection or "",
        transport_url=conf.transport_url or "",
    )
