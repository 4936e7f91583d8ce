"""What the running code declares, as JSON: read from the tables the daemons run on, never from a list.

Formats: `contract-check --help` of the project's shared tools.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from oslo_config import cfg
from oslo_versionedobjects.base import VersionedObjectRegistry

from openkeel import objects
from openkeel.api.negotiation import OLD_HEADER, negotiate
from openkeel.api.reference.openapi import document
from openkeel.api.reference.pages import pages
from openkeel.api.resources import operations
from openkeel.api.schema import PathWindow
from openkeel.api.tables import Operation, Since
from openkeel.api.versions import END, text
from openkeel.common.options import list_opts
from openkeel.domain.lifecycle import LIFECYCLE
from openkeel.notifications.events import EVENTS
from openkeel.rpc.describe import describe_rpc


def routes() -> list[dict[str, Any]]:
    """Every operation with its versions and codes of success."""
    return [
        {
            "method": one.method,
            "path": one.path,
            "action": one.action,
            "min_version": text(max(one.since, 1)),
            "max_version": text(one.until - 1),
            "removed": one.is_removed,
            "success": [] if one.is_removed else _codes(one),
        }
        for one in operations()
    ]


def _codes(operation: Operation) -> list[dict[str, Any]]:
    status = operation.status
    if not isinstance(status, Since):
        return [{"code": status, "min": None, "max": None}]
    starts = list(status.steps)
    return [
        {
            "code": status.steps[start],
            "min": text(max(start, 1)),
            "max": text(end - 1),
        }
        for start, end in zip(starts, [*starts[1:], operation.until], strict=True)
    ]


def requests() -> list[dict[str, Any]]:
    """Every property of a body and every query parameter, one row per window."""
    rows: list[dict[str, Any]] = []
    for one in operations():
        for body in (one.body, *one.bodies):
            if body is not None:
                rows += _windows(one, body.paths(), {"in": "body"})
        if one.query is not None:
            rows += _windows(one, one.query.paths(), {"in": "query"})
    return rows


def responses() -> list[dict[str, Any]]:
    """Every property of an answer, one row per window."""
    return [
        row for one in operations() if one.view is not None for row in _windows(one, one.view.paths(), {})
    ]


def _windows(
    operation: Operation, paths: Iterable[PathWindow], more: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for path, since, until in paths:
        low, high = max(since, operation.since, 1), min(until, operation.until, END)
        if low < high:
            yield {
                "op": operation.name,
                "path": path.removeprefix("."),
                "min": text(low),
                "max": text(high - 1),
                **more,
            }


def declared_objects() -> list[dict[str, Any]]:
    """Every versioned object with its fields."""
    objects.register_all()
    registry = VersionedObjectRegistry.obj_classes()
    return [
        {"object": name, "version": classes[0].VERSION, "fields": sorted(classes[0].fields)}
        for name, classes in sorted(registry.items())
        if classes[0].OBJ_PROJECT_NAMESPACE == "nova"
    ]


def notifications() -> list[dict[str, Any]]:
    """Every event that is told of."""
    return [
        {
            "event_type": event_type,
            "payload_object": event.payload.__name__,
            "payload_version": event.payload.VERSION,
        }
        for event in EVENTS
        for event_type in event.types()
    ]


def lifecycle() -> list[dict[str, Any]]:
    """Every row of the lifecycle table."""
    return [
        {
            "action": str(action),
            "name": rule.name,
            "vm_states": _sorted(rule.vm),
            "task_states": _sorted(rule.task),
            "must_be_launched": rule.launched,
            "respects_lock": rule.respects_lock,
            "begin": rule.begin,
            "between": list(rule.between),
            "done": [str(state) if state is not None else None for state in rule.done],
            "failed": [str(state) if state is not None else None for state in rule.failed],
            "recover": str(rule.recover),
        }
        for action, rule in LIFECYCLE.items()
    ]


def _sorted(states: Iterable[Any] | None) -> list[str | None] | None:
    if states is None:
        return None
    return sorted((None if state is None else str(state) for state in states), key=lambda state: state or "")


def options() -> list[dict[str, Any]]:
    """Every option with its group, type and default."""
    return [
        {
            "group": group,
            "name": option.dest,
            "type": type(option.type).__name__,
            "default": option.default,
            "mutable": option.mutable,
            "secret": option.secret,
        }
        for group, group_options in list_opts()
        for option in group_options
    ]


TOPICS: Final[Mapping[str, Callable[[], Any]]] = {
    "routes": routes,
    "requests": requests,
    "responses": responses,
    "rpc": describe_rpc,
    "objects": declared_objects,
    "notifications": notifications,
    "lifecycle": lifecycle,
    "options": options,
}


def run(_conf: cfg.ConfigOpts, args: Any) -> int:
    """Print a topic, or renew the pages of the API reference. Returns: the exit code."""
    if args.what == "reference":
        return _write(Path(args.to), pages())
    if args.what == "openapi":
        said: Any = document(negotiate({OLD_HEADER.lower(): args.microversion}))
    else:
        said = TOPICS[args.what]()
    json.dump(said, sys.stdout, indent=1, default=str)
    sys.stdout.write("\n")
    return 0


def _write(folder: Path, texts: Mapping[str, str]) -> int:
    """Have exactly these pages in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in texts:
            old.unlink()
    for name, content in texts.items():
        (folder / name).write_text(content)
    return 0
