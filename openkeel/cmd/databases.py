"""The databases of a process, from its configuration."""

from oslo_config import cfg

from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.options import API, MAIN, settings
from openkeel.db.session import Database


def api_database(conf: cfg.ConfigOpts) -> Database:
    """What `[api_database]` names."""
    return Database(settings(conf, API))


def main_database(conf: cfg.ConfigOpts) -> Database:
    """What `[database]` names: the cell of this process."""
    return Database(settings(conf, MAIN))


def own_cell(conf: cfg.ConfigOpts) -> CellStores:
    """The stores of the cell of this process."""
    return CellStores(main_database(conf))


def cell_directory(conf: cfg.ConfigOpts) -> CellDirectory:
    """All databases of the deployment, found through the cell mappings."""
    return CellDirectory(
        api_database(conf),
        lambda url: Database(settings(conf, MAIN, url=url)),
        database_url=conf[MAIN].connection or "",
        transport_url=conf.transport_url or "",
    )
