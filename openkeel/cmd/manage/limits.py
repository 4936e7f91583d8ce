"""`limits migrate_to_unified_limits`: from the database and the options to Keystone.

Contract: exit codes of manage_cli.json, and what Nova's documents say: per-user limits have no
counterpart and stay behind; what Keystone has already is not touched.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from oslo_config import cfg

from openkeel import objects
from openkeel.clients.keystone.limit_registry import LimitRegistry, make_registry
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, argument, complain, hush, say, table
from openkeel.common.context import admin_context
from openkeel.db.cells import CellDirectory
from openkeel.db.session import DATABASE_ERRORS
from openkeel.domain.errors import NoValidHost, Unavailable
from openkeel.scheduler.request import Request
from openkeel.scheduler.resources import candidate_query
from openkeel.services.options import quota_settings
from openkeel.services.quota_limits import UNIFIED_NAMES, DatabaseLimits

_NO_DATABASE: Final = 2
_LIMITS_MISSING: Final = 3

Row = tuple[str, str, str]


def _migrate(conf: cfg.ConfigOpts, args: Any) -> int:
    tell = hush if args.quiet else say
    explain = say if args.verbose and not args.quiet else hush
    # Limits that Keystone holds already are not what is to be copied.
    conf.set_override("driver", "nova.quota.DbQuotaDriver", group="quota")
    cells = cell_directory(conf)
    try:
        defaults, projects = _present(conf, cells, args.project_id)
        flavors = _flavors(cells, embedded=not args.no_embedded_flavor_scan)
        used = {name for flavor in flavors for name in _classes(flavor)}
    except (*DATABASE_ERRORS, Unavailable) as error:
        complain(f"The databases could not be read: {error}")
        return _NO_DATABASE
    finally:
        cells.close()
    registry: LimitRegistry = make_registry(conf, args.region_id)
    registered = dict(registry.registered())
    made = _register(registry, defaults, registered, is_rehearsal=args.dry_run, explain=explain)
    made += _set_projects(registry, projects, is_rehearsal=args.dry_run, explain=explain)
    if made:
        tell(table(("Resource", "Limit", "Of"), made))
    tell(f"{len(made)} limits {'would be' if args.dry_run else 'were'} made.")
    missing = sorted(used - registered.keys())
    if not missing:
        return 0
    tell("Flavors use resources that have no registered limit; requests for them may be refused:")
    tell(table(("Resource",), [(name,) for name in missing]))
    return _LIMITS_MISSING


def _present(
    conf: cfg.ConfigOpts, cells: CellDirectory, project_id: str | None
) -> tuple[Mapping[str, int], Mapping[str, Mapping[str, int]]]:
    """Limits of everybody and of projects, by Keystone's names."""
    defaults = DatabaseLimits(cells, quota_settings(conf).limits).of_class()
    quotas = cells.api.quotas
    projects = quotas.by_project() if project_id is None else {project_id: quotas.of_project(project_id)}
    return _renamed(defaults), {project: _renamed(limits) for project, limits in projects.items()}


def _renamed(limits: Mapping[str, int | None]) -> dict[str, int]:
    return {
        UNIFIED_NAMES[name]: int(limit)
        for name, limit in limits.items()
        if name in UNIFIED_NAMES and limit is not None
    }


def _register(
    registry: LimitRegistry,
    wanted: Mapping[str, int],
    registered: dict[str, int],
    *,
    is_rehearsal: bool,
    explain: Any,
) -> list[Row]:
    """Register what is not; `registered` has all of them then."""
    fresh = {name: limit for name, limit in wanted.items() if name not in registered}
    for name in sorted(wanted.keys() - fresh.keys()):
        explain(f"{name} is registered already, with {registered[name]}.")
    if fresh and not is_rehearsal:
        registry.register(fresh)
    registered |= fresh
    return [(name, str(limit), "everybody") for name, limit in sorted(fresh.items())]


def _set_projects(
    registry: LimitRegistry, wanted: Mapping[str, Mapping[str, int]], *, is_rehearsal: bool, explain: Any
) -> list[Row]:
    present = registry.of_projects()
    made: list[Row] = []
    for project_id, limits in sorted(wanted.items()):
        known = present.get(project_id, {})
        fresh = {name: limit for name, limit in limits.items() if name not in known}
        for name in sorted(limits.keys() - fresh.keys()):
            explain(f"{name} of project {project_id} is set already, to {known[name]}.")
        if fresh and not is_rehearsal:
            registry.set_project(project_id, fresh)
        made += [(name, str(limit), f"project {project_id}") for name, limit in sorted(fresh.items())]
    return made


def _flavors(cells: CellDirectory, *, embedded: bool) -> Iterator[objects.Flavor]:
    """All flavors, and with `embedded` those that servers keep of the time they were made."""
    yield from cells.api.flavors.list(admin_context(), inactive=True, filters={"is_public": None})
    for cell in cells.cells() if embedded else ():
        for instance in cell.instances.walk(("flavor",)):
            yield instance.flavor


def _classes(flavor: objects.Flavor) -> set[str]:
    try:
        query = candidate_query(Request.of_flavor(flavor), limit=1)
    except NoValidHost:  # no server can be made of it
        return set()
    return {f"class:{name}" for group in query.groups for name in group.resources}


COMMANDS: Final = (
    Command(
        "migrate_to_unified_limits",
        _migrate,
        "Copy limits of quotas to Keystone, on the account of [keystone]. Limits of users stay behind.",
        [
            argument("--project-id", metavar="<project-id>", help="Of the projects only this one."),
            argument("--region-id", metavar="<region-id>", help="The region of the limits; none by default."),
            argument("--verbose", action="store_true", default=False, help="Name what Keystone has already."),
            argument("--dry-run", action="store_true", default=False, help="Only say what would be made."),
            argument("--quiet", action="store_true", default=False, help="Say nothing."),
            argument(
                "--no-embedded-flavor-scan",
                action="store_true",
                default=False,
                help="Look for resources without limits in flavors only, not in what servers keep of them.",
            ),
        ],
        failed=1,
    ),
)
