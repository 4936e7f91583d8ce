"""Computes that are too old to work with: their records keep every other daemon from starting.

Contract: so does Nova; [workarounds] disable_compute_service_check_for_ffu makes a warning of it.
"""

import logging
from collections.abc import Iterable

from oslo_config import cfg

from openkeel.cmd.databases import cell_directory, own_cell
from openkeel.common.refusal import StartRefused
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.options import API, MAIN
from openkeel.db.session import DATABASE_ERRORS
from openkeel.db.stores.services import COMPUTE
from openkeel.domain.errors import KeelError
from openkeel.rpc.versions import OLDEST_SUPPORTED_SERVICE_VERSION

LOG = logging.getLogger(__name__)


def oldest_compute(cells: CellDirectory) -> int | None:
    """The lowest service version of a compute of any cell; None without computes."""
    return _oldest(cells.cells(include_cell0=False))


def _oldest(cells: Iterable[CellStores]) -> int | None:
    found = (cell.services.minimum_version(COMPUTE) for cell in cells)
    return min((version for version in found if version), default=None)


def expect_current_computes(conf: cfg.ConfigOpts) -> None:
    """Look into all databases that this process may see, before it forks. Raises: StartRefused.

    Databases that do not answer are no reason to stay away: daemons wait for them.
    """
    try:
        oldest = _oldest_known(conf)
    except (*DATABASE_ERRORS, KeelError) as error:
        LOG.warning("Whether computes are too old could not be seen: %s", error)
        return
    refuse_old(conf, oldest)


def _oldest_known(conf: cfg.ConfigOpts) -> int | None:
    """Of our own cell, which may not be mapped yet, and of all mapped ones."""
    found = []
    if conf[MAIN].connection:
        mine = own_cell(conf)
        try:
            found.append(_oldest([mine]))
        finally:
            mine.database.dispose()
    if conf[API].connection:
        cells = cell_directory(conf)
        try:
            found.append(oldest_compute(cells))
        finally:
            cells.close()
    return min((version for version in found if version is not None), default=None)


def refuse_old(conf: cfg.ConfigOpts, oldest: int | None) -> None:
    """What it means that the oldest compute has a service version. Raises: StartRefused."""
    if oldest is None or oldest >= OLDEST_SUPPORTED_SERVICE_VERSION:
        return
    text = (
        f"A compute has service version {oldest}, and {OLDEST_SUPPORTED_SERVICE_VERSION} is the oldest that "
        "is supported: upgrade it with a release in between, or delete its record if it is gone."
    )
    if not conf.workarounds.disable_compute_service_check_for_ffu:
        raise StartRefused(text)
    LOG.warning("%s", text)
