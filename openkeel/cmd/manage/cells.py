"""`cell_v2`: which cells there are, and which hosts and servers each holds."""

import re
from typing import Any, Final

from oslo_config import cfg
from oslo_utils import uuidutils

from openkeel import objects
from openkeel.cmd.databases import cell_directory, main_database
from openkeel.cmd.manage.command import Argument, Command, argument, complain, say, table
from openkeel.db.cells import CELL0_UUID, CellDirectory, CellStores
from openkeel.db.host_discovery import discover_hosts
from openkeel.db.instance_discovery import map_instances
from openkeel.db.session import is_url
from openkeel.db.url_templates import render
from openkeel.domain.errors import (
    AlreadyExists,
    CellMappingNotFound,
    InstanceNotFound,
    Invalid,
    KeelError,
)

_NO_TRANSPORT: Final = (
    "Where is the message bus of the cell? Give --transport-url or set [DEFAULT]transport_url."
)
_NO_DATABASE: Final = (
    "Where is the database of the cell? What --database_connection or [database]connection says is no URL."
)
_PASSWORD: Final = re.compile(r"(?<=:)[^:@/]+(?=@)")
_BAD_COUNT: Final = 127


def _map_cell0(conf: cfg.ConfigOpts, args: Any) -> int:
    cells = cell_directory(conf)
    if cells.api.cell_mappings.find(CELL0_UUID) is not None:
        say("Cell0 is already setup")
        return 0
    url = getattr(args, "database_connection", None) or _cell0_url(conf.database.connection or "")
    if not _is_database(conf, url):
        complain(_NO_DATABASE)
        return 1
    cells.api.cell_mappings.create(
        objects.CellMapping(
            uuid=CELL0_UUID, name="cell0", database_connection=url, transport_url="none:///", disabled=False
        )
    )
    return 0


def _cell0_url(url: str) -> str:
    """The database beside ours whose name ends in _cell0."""
    base, mark, query = url.partition("?")
    if base.startswith("sqlite") and base.rpartition("/")[2].count("."):
        stem, _, suffix = base.rpartition(".")
        return f"{stem}_cell0.{suffix}{mark}{query}"
    return f"{base}_cell0{mark}{query}"


def _create_cell(conf: cfg.ConfigOpts, args: Any) -> int:
    transport_url = args.transport_url or conf.transport_url
    if not transport_url:
        complain(_NO_TRANSPORT)
        return 1
    database_url = args.database_connection or conf.database.connection
    if not _is_database(conf, database_url):
        complain(_NO_DATABASE)
        return 1
    cells = cell_directory(conf)
    if _taken(cells, database_url, transport_url):
        complain("Another cell has this database or this message bus already.")
        return 2
    mapping = _new_mapping(cells, args.name, database_url, transport_url, disabled=bool(args.disabled))
    if args.verbose:
        say(mapping.uuid)
    return 0


def _is_database(conf: cfg.ConfigOpts, url: str | None) -> bool:
    """Whether it reads as the URL of a database. A cell without one is down to all daemons, for good."""
    try:
        return is_url(render(url or "", conf.database.connection or ""))
    except Invalid:
        return False


def _taken(
    cells: CellDirectory, database_url: str, transport_url: str, *, besides: str | None = None
) -> bool:
    return any(
        mapping.uuid != besides
        and (mapping.database_connection == database_url or mapping.transport_url == transport_url)
        for mapping in cells.api.cell_mappings.list()
    )


def _new_mapping(
    cells: CellDirectory, name: str | None, database_url: str, transport_url: str, *, disabled: bool = False
) -> objects.CellMapping:
    mapping = objects.CellMapping(
        uuid=uuidutils.generate_uuid(),
        name=name,
        database_connection=database_url,
        transport_url=transport_url,
        disabled=disabled,
    )
    cells.api.cell_mappings.create(mapping)
    return mapping


def _list_cells(conf: cfg.ConfigOpts, args: Any) -> int:
    def shown(url: str) -> str:
        return url if args.verbose else _PASSWORD.sub("****", url)

    rows = [
        [
            mapping.name or "",
            mapping.uuid,
            shown(mapping.transport_url),
            shown(mapping.database_connection),
            str(mapping.disabled),
        ]
        for mapping in cell_directory(conf).api.cell_mappings.list()
    ]
    rows.sort(key=lambda row: (row[0], row[1]))
    say(table(("Name", "UUID", "Transport URL", "Database Connection", "Disabled"), rows))
    return 0


def _delete_cell(conf: cfg.ConfigOpts, args: Any) -> int:
    api = cell_directory(conf).api
    mapping = api.cell_mappings.find(args.cell_uuid)
    if mapping is None:
        return _unknown_cell(args.cell_uuid)
    if api.host_mappings.list_by_cell_id(mapping.id) and not args.force:
        complain(f"Hosts are mapped to cell {mapping.uuid}; --force deletes it with them.")
        return 2
    if api.instance_mappings.is_in_cell(mapping.id):
        complain(f"Servers live in cell {mapping.uuid}.")
        return 3
    if api.instance_mappings.list_by_cell_id(mapping.id) and not args.force:
        complain(f"Deleted servers are still mapped to cell {mapping.uuid}; --force deletes it with them.")
        return 4
    api.instance_mappings.delete_by_cell_id(mapping.id)
    api.host_mappings.delete_by_cell_id(mapping.id)
    api.cell_mappings.destroy(mapping)
    return 0


def _unknown_cell(uuid: str) -> int:
    complain(f"There is no cell {uuid}.")
    return 1


def _update_cell(conf: cfg.ConfigOpts, args: Any) -> int:
    cells = cell_directory(conf)
    mapping = cells.api.cell_mappings.find(args.cell_uuid)
    if mapping is None:
        return _unknown_cell(args.cell_uuid)
    if args.enable and args.disable:
        complain("A cell cannot be enabled and disabled at once.")
        return 4
    if args.disable and mapping.uuid == CELL0_UUID:
        complain("cell0 cannot be disabled: it takes the servers that find no host.")
        return 5
    database_url = args.db_connection or conf.database.connection
    transport_url = args.transport_url or conf.transport_url
    if _taken(cells, database_url, transport_url, besides=mapping.uuid):
        complain("Another cell has this database or this message bus already.")
        return 3
    if args.name:
        mapping.name = args.name
    if args.enable or args.disable:
        mapping.disabled = bool(args.disable)
    try:
        if not _is_database(conf, database_url):
            raise Invalid(_NO_DATABASE)
        mapping.database_connection = database_url
        mapping.transport_url = transport_url
        cells.api.cell_mappings.save(mapping)
    except (KeelError, ValueError) as error:
        complain(f"The cell could not be changed: {error}")
        return 2
    return 0


def _simple_cell_setup(conf: cfg.ConfigOpts, args: Any) -> int:
    transport_url = args.transport_url or conf.transport_url
    if not transport_url:
        complain(_NO_TRANSPORT)
        return 1
    _map_cell0(conf, args)
    return _map_hosts(conf, name=None, transport_url=transport_url, verbose=False)


def _map_cell_and_hosts(conf: cfg.ConfigOpts, args: Any) -> int:
    transport_url = args.transport_url or conf.transport_url
    if not transport_url:
        complain(_NO_TRANSPORT)
        return 1
    return _map_hosts(conf, name=args.name, transport_url=transport_url, verbose=args.verbose)


def _map_hosts(conf: cfg.ConfigOpts, *, name: str | None, transport_url: str, verbose: bool) -> int:
    """Make the local database a cell, unless it is one, and map its hosts to it."""
    cells = cell_directory(conf)
    own = CellStores(main_database(conf))
    nodes = own.compute_nodes.list_all()
    if not nodes:
        complain("No compute has reported to this database yet: no hosts to map.")
        return 1
    hosts = {node.host for node in nodes}
    known = cells.api.host_mappings.list_by_hosts(sorted(hosts))
    if {mapping.host for mapping in known} == hosts:
        say("All hosts are already mapped to cell(s).")
        return 0
    url = conf.database.connection
    present = [one for one in cells.api.cell_mappings.list() if one.database_connection == url]
    mapping = present[0] if present else _new_mapping(cells, name, url, transport_url)
    discover_hosts(cells, cell_uuid=mapping.uuid, by_service=True)
    own.compute_nodes.mark_mapped([node.id for node in nodes])
    if verbose:
        say(mapping.uuid)
    return 0


def _discover_hosts(conf: cfg.ConfigOpts, args: Any) -> int:
    cells = cell_directory(conf)
    try:
        found = discover_hosts(
            cells,
            cell_uuid=args.cell_uuid,
            by_service=args.by_service,
            say=say if args.verbose else (lambda _line: None),
        )
    except AlreadyExists as error:
        complain(f"Hosts are being discovered elsewhere at the same time ({error}).")
        return 2
    except CellMappingNotFound:
        return _unknown_cell(args.cell_uuid)
    return 1 if args.strict and not found else 0


def _list_hosts(conf: cfg.ConfigOpts, args: Any) -> int:
    api = cell_directory(conf).api
    if args.cell_uuid and api.cell_mappings.find(args.cell_uuid) is None:
        return _unknown_cell(args.cell_uuid)
    rows = [
        [mapping.cell_mapping.name or "", mapping.cell_mapping.uuid, mapping.host]
        for mapping in api.host_mappings.list(args.cell_uuid)
    ]
    rows.sort()
    say(table(("Cell Name", "Cell UUID", "Hostname"), rows))
    return 0


def _delete_host(conf: cfg.ConfigOpts, args: Any) -> int:
    cells = cell_directory(conf)
    if cells.api.cell_mappings.find(args.cell_uuid) is None:
        return _unknown_cell(args.cell_uuid)
    mapping = cells.api.host_mappings.find(args.host)
    if mapping is None:
        complain(f"Host {args.host} is mapped to no cell.")
        return 2
    if mapping.cell_mapping.uuid != args.cell_uuid:
        complain(f"Host {args.host} is in cell {mapping.cell_mapping.uuid}.")
        return 3
    cell = cells.cell(args.cell_uuid)
    if cell.instances.uuids_by_host(args.host):
        complain(f"Servers run on host {args.host}.")
        return 4
    # A host that comes back shall be discovered again.
    nodes = cell.compute_nodes.list_by_host(args.host)
    cell.compute_nodes.mark_mapped([node.id for node in nodes], 0)
    cells.api.host_mappings.delete(args.host)
    return 0


def _map_instances(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        limit = None if args.max_count is None else int(args.max_count)
    except ValueError:
        limit = 0
    if limit is not None and limit <= 0:
        complain("--max-count takes a positive number.")
        return _BAD_COUNT
    try:
        left = map_instances(cell_directory(conf), args.cell_uuid, limit)
    except CellMappingNotFound:
        complain(f"There is no cell {args.cell_uuid}.")
        return _BAD_COUNT
    return 1 if left else 0


def _verify_instance(conf: cfg.ConfigOpts, args: Any) -> int:
    def tell(line: str) -> None:
        if not args.quiet:
            say(line)

    cells = cell_directory(conf)
    mapping = cells.api.instance_mappings.find(args.uuid)
    if mapping is None:
        tell(f"Instance {args.uuid} is not mapped to a cell (upgrade is incomplete, or it does not exist).")
        return 1
    if mapping.cell_mapping is None:
        tell(f"Instance {args.uuid} is in no cell yet.")
        return 2
    where = f"cell {mapping.cell_mapping.name} ({mapping.cell_mapping.uuid})"
    try:
        instance = cells.cell(mapping.cell_mapping.uuid).instances.get(args.uuid, deleted=None)
    except InstanceNotFound:
        tell(f"Instance {args.uuid} was archived; its mapping to {where} is left over.")
        return 4
    if instance.deleted:
        tell(f"Instance {args.uuid} is deleted; its mapping to {where} is left over.")
        return 3
    tell(f"Instance {args.uuid} is in {where}.")
    return 0


def _flag(name: str, help_text: str) -> Argument:
    return argument(name, action="store_true", help=help_text)


_CELL: Final = argument("--cell_uuid", required=True, metavar="<cell_uuid>", help="The cell.")
_ANY_CELL: Final = argument("--cell_uuid", metavar="<cell_uuid>", help="Only this cell.")
_NAME: Final = argument("--name", metavar="<cell_name>", help="The name of the cell.")
_BUS: Final = argument(
    "--transport-url", dest="transport_url", metavar="<transport_url>", help="Its message bus."
)
_DATABASE: Final = argument("--database_connection", metavar="<database_connection>", help="Its database.")
_VERBOSE: Final = _flag("--verbose", "Say more.")

COMMANDS: Final = (
    Command("map_cell0", _map_cell0, "Say where cell0 is.", [_DATABASE]),
    Command(
        "create_cell",
        _create_cell,
        "Say where a new cell is.",
        [_NAME, _DATABASE, _BUS, _VERBOSE, _flag("--disabled", "Place no servers there yet.")],
    ),
    Command("list_cells", _list_cells, "Show all cells.", [_flag("--verbose", "Show passwords too.")]),
    Command(
        "delete_cell",
        _delete_cell,
        "Forget a cell without servers.",
        [_flag("--force", "Forget its hosts and deleted servers too."), _CELL],
    ),
    Command(
        "update_cell",
        _update_cell,
        "Change where a cell is, or whether it takes servers.",
        [
            _CELL,
            _NAME,
            _BUS,
            argument("--database_connection", dest="db_connection", metavar="<database_connection>"),
            _flag("--disable", "Place no more servers there."),
            _flag("--enable", "Place servers there again."),
        ],
    ),
    Command(
        "simple_cell_setup",
        _simple_cell_setup,
        "Make cell0 and one cell of the configured databases, with all hosts in it.",
        [_BUS],
    ),
    Command(
        "map_cell_and_hosts",
        _map_cell_and_hosts,
        "Make a cell of the configured database, with all hosts in it.",
        [_BUS, _NAME, _VERBOSE],
    ),
    Command(
        "discover_hosts",
        _discover_hosts,
        "Map new hosts to their cells.",
        [
            _ANY_CELL,
            _VERBOSE,
            _flag("--strict", "Fail when there are no new hosts."),
            _flag("--by-service", "Look at services instead of nodes."),
        ],
    ),
    Command("list_hosts", _list_hosts, "Show which cell each host is in.", [_ANY_CELL]),
    Command(
        "delete_host",
        _delete_host,
        "Take a host without servers out of its cell.",
        [_CELL, argument("--host", required=True, metavar="<host>", help="The host.")],
    ),
    Command(
        "map_instances",
        _map_instances,
        "Map servers of a cell that have no mapping.",
        [
            _CELL,
            argument("--max-count", dest="max_count", metavar="<max_count>", help="At most so many now."),
            argument("--reset", dest="reset_marker", action="store_true", help="Begin anew."),
        ],
    ),
    Command(
        "verify_instance",
        _verify_instance,
        "Say which cell a server is in.",
        [
            argument("--uuid", required=True, metavar="<instance_uuid>", help="The server."),
            _flag("--quiet", "Answer by the exit code alone."),
        ],
    ),
)
