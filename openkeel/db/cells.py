"""Cells: which databases there are, and asking several of them at once.

`CellDirectory` is what code above the database asks for everything: `.api` for what is global,
`.cell(uuid)` for the stores of one cell. It reads the cell mappings once in a while, and again when
asked for a cell it does not know, so that a cell created meanwhile is found without a restart.
"""

import concurrent.futures
import functools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from oslo_db.exception import DBError
from sqlalchemy.exc import SQLAlchemyError

from openkeel import objects
from openkeel.db.session import Database
from openkeel.db.stores.actions import ActionStore
from openkeel.db.stores.aggregates import AggregateStore
from openkeel.db.stores.block_devices import BlockDeviceStore
from openkeel.db.stores.build_requests import (
    BuildRequestStore,
    RequestSpecStore,
    create_builds,
    destroy_builds,
)
from openkeel.db.stores.cell_mappings import CellMappingStore, HostMappingStore, InstanceMappingStore
from openkeel.db.stores.compute_nodes import ComputeNodeStore
from openkeel.db.stores.console_tokens import ConsoleTokenStore
from openkeel.db.stores.ec2 import Ec2Store
from openkeel.db.stores.faults import FaultStore
from openkeel.db.stores.flavors import FlavorStore
from openkeel.db.stores.info_caches import InfoCacheStore
from openkeel.db.stores.instance_groups import InstanceGroupStore
from openkeel.db.stores.instances.store import InstanceStore
from openkeel.db.stores.keypairs import KeypairStore
from openkeel.db.stores.migrations import MigrationStore
from openkeel.db.stores.pci_devices import PciDeviceStore
from openkeel.db.stores.quotas import QuotaStore
from openkeel.db.stores.security_groups import SecurityGroupStore
from openkeel.db.stores.services import ServiceStore
from openkeel.db.stores.shares import ShareStore
from openkeel.db.stores.tags import TagStore
from openkeel.db.stores.task_logs import TaskLogStore
from openkeel.db.stores.virtual_interfaces import VirtualInterfaceStore
from openkeel.db.stores.volume_usage import VolumeUsageStore
from openkeel.db.url_templates import render
from openkeel.db.witness import Witness
from openkeel.domain.errors import CellMappingNotFound, CellUnreachable, InstanceNotFound, Unavailable

LOG = logging.getLogger(__name__)

CELL0_UUID: Final = "00000000-0000-0000-0000-000000000000"
_FRESH_FOR_S: Final = 60.0
_THREADS: Final = 32

R = TypeVar("R")
Build = tuple[objects.RequestSpec, objects.BuildRequest, objects.InstanceMapping]


class ApiStores:
    """The stores of the API database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.aggregates = AggregateStore(database)
        self.build_requests = BuildRequestStore(database)
        self.cell_mappings = CellMappingStore(database)
        self.flavors = FlavorStore(database)
        self.host_mappings = HostMappingStore(database)
        self.instance_groups = InstanceGroupStore(database)
        self.instance_mappings = InstanceMappingStore(database)
        self.keypairs = KeypairStore(database)
        self.quotas = QuotaStore(database)
        self.request_specs = RequestSpecStore(database)

    def create_builds(self, builds: Sequence[Build]) -> None:
        """Record many servers in one transaction. Raises: AlreadyExists."""
        create_builds(self.database, builds)

    def create_build(
        self,
        request_spec: objects.RequestSpec,
        build_request: objects.BuildRequest,
        mapping: objects.InstanceMapping,
    ) -> None:
        """Record one server. Raises: AlreadyExists."""
        self.create_builds([(request_spec, build_request, mapping)])

    def destroy_builds(self, instance_uuids: Sequence[str]) -> None:
        """Take back what `create_builds` recorded; fine when it never happened."""
        destroy_builds(self.database, instance_uuids)


class CellStores:
    """The stores of one cell's database. `mapping` is None where a process knows only its own cell."""

    def __init__(self, database: Database, mapping: Any = None, witness: Witness | None = None) -> None:
        on_saved = None
        if witness is not None and witness.watches_instances:
            on_saved = functools.partial(witness.instance_saved, self)
        self.database = database
        self.mapping = mapping
        self.actions = ActionStore(database)
        self.bdms = BlockDeviceStore(database)
        self.compute_nodes = ComputeNodeStore(database)
        self.console_tokens = ConsoleTokenStore(database)
        self.ec2 = Ec2Store(database)
        self.faults = FaultStore(database)
        self.info_caches = InfoCacheStore(database)
        self.instances = InstanceStore(database, on_saved)
        self.migrations = MigrationStore(database)
        self.pci_devices = PciDeviceStore(database)
        self.security_groups = SecurityGroupStore(database)
        self.services = ServiceStore(database, witness)
        self.shares = ShareStore(database)
        self.tags = TagStore(database)
        self.task_logs = TaskLogStore(database)
        self.vifs = VirtualInterfaceStore(database)
        self.volume_usage = VolumeUsageStore(database)

    @property
    def name(self) -> str:
        """What the log calls the cell."""
        return str(self.mapping.name or self.mapping.uuid) if self.mapping else "this cell"


class CellDirectory:
    """All databases of the deployment.

    Args:
        api_database: where the cell mappings are.
        make_cell_database: makes the database of a cell from its URL.
        database_url: our own cell database, which fills the templates in the mappings' URLs.
        transport_url: our own message bus, likewise.
        witness: is told what the cells' stores write.
    """

    def __init__(
        self,
        api_database: Database,
        make_cell_database: Callable[[str], Database],
        *,
        database_url: str = "",
        transport_url: str = "",
        witness: Witness | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._witness = witness
        self.api = ApiStores(api_database)
        self._make = make_cell_database
        self._database_url = database_url
        self._transport_url = transport_url
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._cells: dict[str, CellStores] = {}
        self._read_at: float | None = None
        self._pool = concurrent.futures.ThreadPoolExecutor(_THREADS, thread_name_prefix="cells")

    def cell(self, uuid: str) -> CellStores:
        """Raises: CellMappingNotFound."""
        found = self._known().get(uuid) or self.refresh().get(uuid)
        if found is None:
            raise CellMappingNotFound(uuid=uuid)
        return found

    def cell0(self) -> CellStores:
        """Where servers lie that found no host. Raises: CellMappingNotFound."""
        return self.cell(CELL0_UUID)

    def cells(self, *, include_cell0: bool = True, include_disabled: bool = True) -> list[CellStores]:
        """All cells in the order of their creation."""
        return [
            cell
            for uuid, cell in self._known().items()
            if (include_cell0 or uuid != CELL0_UUID) and (include_disabled or not cell.mapping.disabled)
        ]

    def for_instance(self, uuid: str) -> CellStores:
        """The cell of a server. Raises: InstanceNotFound, also while no cell has it yet."""
        mapping = self.api.instance_mappings.find(uuid)
        if mapping is None or mapping.cell_mapping is None:
            raise InstanceNotFound(instance_id=uuid)
        return self.cell(mapping.cell_mapping.uuid)

    def for_host(self, host: str) -> CellStores:
        """The cell of a host. Raises: HostMappingNotFound."""
        return self.cell(self.api.host_mappings.get(host).cell_mapping.uuid)

    def scatter(
        self,
        function: Callable[[CellStores], R],
        cells: Iterable[CellStores] | None = None,
        timeout_s: float = 60,
    ) -> dict[str, R | CellUnreachable]:
        """Ask cells at once; those that fail or are not ready in time answer with CellUnreachable.

        Errors of ours (a bad filter, say) are raised.
        """
        asked = {cell.mapping.uuid: cell for cell in (self.cells() if cells is None else cells)}
        futures = {uuid: self._pool.submit(function, cell) for uuid, cell in asked.items()}
        concurrent.futures.wait(futures.values(), timeout_s)
        return {uuid: _answer(future, asked[uuid]) for uuid, future in futures.items()}

    def refresh(self) -> Mapping[str, CellStores]:
        """Read the cell mappings now."""
        mappings = self.api.cell_mappings.list()
        with self._guard:
            cells: dict[str, CellStores] = {}
            for mapping in mappings:
                url = render(mapping.database_connection, self._database_url)
                mapping.database_connection = url
                mapping.transport_url = render(mapping.transport_url, self._transport_url)
                mapping.obj_reset_changes()
                known = self._cells.get(mapping.uuid)
                if known is not None and known.database.settings.url == url:
                    known.mapping = mapping
                    cells[mapping.uuid] = known
                else:
                    cells[mapping.uuid] = CellStores(self._make(url), mapping, self._witness)
            self._cells = cells
            self._read_at = self._monotonic()
            return cells

    def close(self) -> None:
        """Close all connections and threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for database in (self.api.database, *(cell.database for cell in self._cells.values())):
            database.dispose()

    def _known(self) -> Mapping[str, CellStores]:
        if self._read_at is None or self._monotonic() - self._read_at > _FRESH_FOR_S:
            try:
                return self.refresh()
            except Unavailable:
                if not self._cells:
                    raise
                LOG.warning("the API database does not answer, going on with the cells known so far")
        return self._cells


def _answer(future: concurrent.futures.Future[Any], cell: CellStores) -> Any:
    if not future.done():
        future.cancel()
        LOG.warning("%s did not answer in time", cell.name)
        return CellUnreachable(cell=cell.name)
    try:
        return future.result()
    except CellUnreachable as error:
        return error
    except (Unavailable, DBError, SQLAlchemyError, concurrent.futures.CancelledError) as error:
        LOG.warning("%s failed: %s", cell.name, error)
        return CellUnreachable(cell=cell.name)
