"""openkeel-status: what stands in the way of an upgrade.

Contract: nova-status of manage_cli.json. Exits with the worst result: 0 success, 1 warnings, 2 a
failure; 255 when a check could not even be made.
"""

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from oslo_config import cfg
from oslo_db.exception import CantStartEngineError

from openkeel.clients.cinder.version import newest_microversion
from openkeel.clients.errors import Forbidden, NotFound, Unavailable
from openkeel.clients.placement.types import MICROVERSION
from openkeel.clients.session import account, connect
from openkeel.cmd.databases import cell_directory
from openkeel.cmd.manage.command import Command, say
from openkeel.cmd.old_computes import oldest_compute
from openkeel.cmd.tool import Category, Tool
from openkeel.db.cells import CELL0_UUID, CellDirectory
from openkeel.db.machine_types import servers_without_machine_type
from openkeel.rpc.versions import OLDEST_SUPPORTED_SERVICE_VERSION

_WIDTH: Final = 72
_CINDER_NEEDED: Final = (3, 44)
_SETUP: Final = "Run `openkeel-manage cell_v2 simple_cell_setup` and check again."


class Result(IntEnum):
    """Contract: the exit codes of upgrade_check_result_codes."""

    SUCCESS = 0
    WARNING = 1
    FAILURE = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. Nothing is to be said of most successes."""

    result: Result = Result.SUCCESS
    details: str | None = None


def _fails(details: str) -> Finding:
    return Finding(Result.FAILURE, details)


def _cells(conf: cfg.ConfigOpts) -> Finding:
    """cell0, a cell, and the hosts in it."""
    cells = cell_directory(conf)
    try:
        api = cells.api
        uuids = {mapping.uuid for mapping in api.cell_mappings.list()}
        if len(uuids) < 2:  # noqa: PLR2004 - cell0 and one for servers
            return _fails(f"cell0 and at least one cell for servers must be mapped. {_SETUP}")
        if CELL0_UUID not in uuids:
            return _fails(f"cell0 is not mapped. {_SETUP}")
        if api.host_mappings.list():
            return Finding()
        if any(cell.compute_nodes.list(limit=1) for cell in cells.cells(include_cell0=False)):
            return _fails(
                "No host is mapped to its cell although computes have reported. Run `openkeel-manage "
                "cell_v2 discover_hosts` and check again."
            )
        return Finding(
            details="There are no hosts yet. `openkeel-manage cell_v2 discover_hosts` maps those to come."
        )
    finally:
        cells.close()


def _placement(conf: cfg.ConfigOpts) -> Finding:
    """An account for Placement that works, and a version that is new enough."""
    if account(conf, "placement") is None:
        return _fails("[placement] has no credentials.")
    try:
        root = connect(conf, "placement", "Placement").json("GET", "/")
        newest = str(root["versions"][0]["max_version"])
    except Forbidden as error:
        return _fails(f"The account of [placement] was refused: {error}")
    except (NotFound, KeyError, IndexError, TypeError) as error:
        return _fails(f"Where Placement should be, something else answers: {error}")
    except Unavailable as error:
        if error.facts["status"] is None and "catalogue" not in error.detail:
            raise
        return _fails(str(error))
    if _numbers(newest) < _numbers(MICROVERSION):
        return _fails(f"Placement speaks {newest} at most, {MICROVERSION} is needed.")
    return Finding()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _cinder(conf: cfg.ConfigOpts) -> Finding:
    """A Cinder, if there is one, that attaches volumes in the present way."""
    newest = newest_microversion(conf)
    if newest is None or newest >= _CINDER_NEEDED:
        return Finding()
    wanted, found = (".".join(map(str, version)) for version in (_CINDER_NEEDED, newest))
    return _fails(f"Cinder speaks {found} at most, {wanted} is needed.")


def _policy_format(conf: cfg.ConfigOpts) -> Finding:
    """No policy file in JSON."""
    path = conf.find_file(conf.oslo_policy.policy_file)
    if path and _is_json(Path(path).read_text()):
        return _fails(
            f"{path} is in JSON. `oslopolicy-convert-json-to-yaml --namespace openkeel` makes YAML of it; "
            "[oslo_policy] policy_file says where that is."
        )
    return Finding()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _computes(conf: cfg.ConfigOpts) -> Finding:
    """No compute that is too old to work with."""
    cells = _known(conf)
    if cells is None:
        return Finding()
    try:
        oldest = oldest_compute(cells)
    finally:
        cells.close()
    if oldest is None or oldest >= OLDEST_SUPPORTED_SERVICE_VERSION:
        return Finding()
    return _fails(
        f"The oldest compute has service version {oldest}; {OLDEST_SUPPORTED_SERVICE_VERSION} is the oldest "
        "that is supported. Upgrade it, or delete its record if it is gone."
    )


def _machine_types(conf: cfg.ConfigOpts) -> Finding:
    """Every server knows what machine it is, so that a new default cannot change that."""
    cells = _known(conf)
    if cells is None:
        return Finding()
    try:
        unset = any(servers_without_machine_type(cell) for cell in cells.cells())
    finally:
        cells.close()
    if not unset:
        return Finding()
    return Finding(
        Result.WARNING,
        "Some servers have no machine type of their own. `openkeel-manage libvirt list_unset_machine_type` "
        "lists them, and `update_machine_type` gives them one. Servers of KubeVirt need none.",
    )


def _service_user(conf: cfg.ConfigOpts) -> Finding:
    """An account whose token goes along with those of users."""
    if conf.service_user.send_service_user_token and account(conf, "service_user") is not None:
        return Finding()
    return _fails(
        "[service_user] send_service_user_token and the credentials there are needed: other services trust "
        "long requests and changes of attachments only with both tokens."
    )


def _known(conf: cfg.ConfigOpts) -> CellDirectory | None:
    """All cells; None without an API database, which its own check complains about."""
    cells = cell_directory(conf)
    try:
        cells.api.cell_mappings.list()
    except CantStartEngineError:
        return None
    return cells


CHECKS: Final[Sequence[tuple[str, Callable[[cfg.ConfigOpts], Finding]]]] = (
    ("Cells v2", _cells),
    ("Placement API", _placement),
    ("Cinder API", _cinder),
    ("Policy File JSON to YAML Migration", _policy_format),
    ("Older than N-1 computes", _computes),
    ("hw_machine_type unset", _machine_types),
    ("Service User Token Configuration", _service_user),
)


def _check(conf: cfg.ConfigOpts, _args: Any) -> int:
    findings = [(title, check(conf)) for title, check in CHECKS]
    say(_shown(findings))
    return max(finding.result for _, finding in findings)


def _shown(findings: Sequence[tuple[str, Finding]]) -> str:
    sections = [["Upgrade Check Results"]]
    for title, finding in findings:
        details = textwrap.wrap(f"Details: {finding.details}", _WIDTH - 2, subsequent_indent="  ")
        sections.append([f"Check: {title}", f"Result: {finding.result.name.capitalize()}", *details])
    width = max(len(line) for lines in sections for line in lines)
    border = f"+{'-' * (width + 2)}+"
    rows = [border]
    for lines in sections:
        rows += [f"| {line.ljust(width)} |" for line in lines]
        rows.append(border)
    return "\n".join(rows)


COMMANDS: Final = (Command("check", _check, "Look for what stands in the way of an upgrade."),)
_TOOL: Final = Tool("openkeel-status", [Category("upgrade", ("openkeel.cmd.status:COMMANDS",))], failed=255)


def main(arguments: Sequence[str] | None = None) -> int:
    """Console script."""
    return _TOOL.main(arguments)
