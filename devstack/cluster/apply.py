"""Field ownership (managedFields) and server-side apply.

A field set is a nested dict as in `fieldsV1`: `f:name` for a field, `k:{...}` for an item of a keyed list,
`v:...` for a member of a set, `.` for the item itself; an empty dict is an owned leaf.
"""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from devstack.cluster import errors
from devstack.cluster.errors import Cause
from devstack.cluster.kinds import Kind
from devstack.cluster.objects import Object
from devstack.cluster.schema import ANYTHING, Node

FieldSet = dict[str, Any]

_UNOWNED_META: Final = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


class UnknownField(Exception):
    """An applied object has a field its schema does not declare."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: field not declared in schema")


def fields_of(obj: Object, node: Node, *, strict: bool = False) -> FieldSet:
    """All that an object sets, as a field set.

    Raises: UnknownField when `strict` and a field is not declared.
    """
    found: FieldSet = {}
    for name, value in obj.items():
        if name in {"apiVersion", "kind"}:
            continue
        child = _declared(node, name, "", strict=strict)
        if name == "metadata" and isinstance(value, dict):
            owned = {key: part for key, part in value.items() if key not in _UNOWNED_META}
            inside = _of_dict(owned, child, ".metadata", strict=strict)
            if inside:
                found["f:metadata"] = inside
        else:
            found[f"f:{name}"] = _of_value(value, child, f".{name}", strict=strict)
    return found


def _declared(node: Node, name: str, path: str, *, strict: bool) -> Node:
    child = node.child(name)
    if child is None:
        if strict and not node.keeps_unknown:
            raise UnknownField(f"{path}.{name}")
        return ANYTHING
    return child


def _of_dict(value: Object, node: Node, path: str, *, strict: bool) -> FieldSet:
    return {
        f"f:{name}": _of_value(
            part, _declared(node, name, path, strict=strict), f"{path}.{name}", strict=strict
        )
        for name, part in value.items()
    }


def _of_value(value: Any, node: Node, path: str, *, strict: bool) -> FieldSet:
    if isinstance(value, dict):
        inside = _of_dict(value, node, path, strict=strict)
        return {} if node.atomic or node is ANYTHING else inside
    if isinstance(value, list):
        items = node.items or ANYTHING
        if node.list_keys:
            found: FieldSet = {}
            for part in value:
                found[_item_key(part, node)] = {".": {}, **_of_value(part, items, f"{path}[]", strict=strict)}
            return found
        if node.is_set:
            return {_member(part): {} for part in value}
        for index, part in enumerate(value):
            if strict and isinstance(part, dict):
                _of_dict(part, items, f"{path}[{index}]", strict=True)
    return {}


def _item_key(item: Any, node: Node) -> str:
    return (
        "k:"
        + orjson.dumps({key: item.get(key) for key in node.list_keys}, option=orjson.OPT_SORT_KEYS).decode()
    )


def _member(value: Any) -> str:
    return "v:" + orjson.dumps(value).decode()


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """What either of two sets owns."""
    merged = dict(one)
    for name, inside in other.items():
        merged[name] = union(merged[name], inside) if name in merged else inside
    return merged


def minus(one: FieldSet, other: FieldSet) -> FieldSet:
    """What `one` owns and `other` does not, leaf by leaf."""
    left: FieldSet = {}
    for name, inside in one.items():
        if name not in other:
            left[name] = inside
            continue
        if inside and other[name]:
            rest = minus(inside, other[name])
            if rest:
                left[name] = rest
        elif inside or other[name]:  # one of them owns the place as a leaf, the other fields in it
            left[name] = inside
    return left


def overlap(one: FieldSet, other: FieldSet) -> FieldSet:
    """The leaves that both sets own."""
    common: FieldSet = {}
    for name, inside in one.items():
        if name not in other:
            continue
        if inside and other[name]:
            deeper = overlap(inside, other[name])
            if deeper:
                common[name] = deeper
        elif not inside and not other[name]:
            common[name] = {}
    return common


def leaves(fields: FieldSet) -> Iterator[tuple[str, ...]]:
    """The owned leaves, each as its steps."""
    for name, inside in fields.items():
        if inside:
            for rest in leaves(inside):
                yield (name, *rest)
        else:
            yield (name,)


def changed(old: Any, new: Any, node: Node) -> FieldSet:
    """The fields whose values differ between two objects, those that vanished left out."""
    found: FieldSet = {}
    for name, value in new.items():
        before = old.get(name) if isinstance(old, dict) else None
        if before == value and isinstance(old, dict) and name in old:
            continue
        child = node.child(name) or ANYTHING
        if name == "metadata" and "apiVersion" in new:
            inside = changed(_ownable(before or {}), _ownable(value), child)
            if inside:
                found["f:metadata"] = inside
        elif name not in {"apiVersion", "kind"} or "metadata" not in new:
            found[f"f:{name}"] = _changed_value(before, value, child)
    return found


def _changed_value(before: Any, value: Any, node: Node) -> FieldSet:
    if isinstance(value, dict) and isinstance(before, dict) and not node.atomic and node is not ANYTHING:
        return changed(before, value, node)
    if isinstance(value, list) and isinstance(before, list) and node.list_keys:
        old = {_item_key(part, node): part for part in before}
        found: FieldSet = {}
        for part in value:
            key = _item_key(part, node)
            if key not in old:
                found[key] = {".": {}, **_of_value(part, node.items or ANYTHING, "", strict=False)}
            elif old[key] != part:
                found[key] = changed(old[key], part, node.items or ANYTHING)
        return found
    return _of_value(value, node, "", strict=False)


def _ownable(meta: Object) -> Object:
    return {name: value for name, value in meta.items() if name not in _UNOWNED_META}


def existing(fields: FieldSet, value: Any, node: Node) -> FieldSet:
    """The part of a field set whose fields an object still has."""
    left: FieldSet = {}
    for name, inside in fields.items():
        if name == ".":
            left[name] = inside
            continue
        part, child = _step(value, name, node)
        if part is None:
            continue
        rest = existing(inside, part, child) if inside else {}
        if rest or not inside:
            left[name] = rest
    return left


def _differing(old: Object, new: Object) -> Iterator[str]:
    """The top-level fields that two objects do not share."""
    for name in old.keys() | new.keys():
        before, after = old.get(name), new.get(name)
        if name == "metadata":
            before, after = _ownable(before or {}), _ownable(after or {})
        if before != after:
            yield name


def _still_there(fields: FieldSet, value: Object, node: Node, touched: set[str]) -> FieldSet:
    """As `existing`, looking only where something changed."""
    kept = {name: inside for name, inside in fields.items() if name not in touched}
    return kept | existing({name: fields[name] for name in touched & fields.keys()}, value, node)


def _step(value: Any, step: str, node: Node) -> tuple[Any, Node]:
    """The value one step below, None when absent."""
    mark, _, name = step.partition(":")
    if mark == "f":
        return (value.get(name) if isinstance(value, dict) else None), node.child(name) or ANYTHING
    if not isinstance(value, list):
        return None, ANYTHING
    wanted = orjson.loads(name)
    items = node.items or ANYTHING
    if mark == "k":
        found = (
            each
            for each in value
            if isinstance(each, dict) and all(each.get(k) == v for k, v in wanted.items())
        )
        return next(found, None), items
    return (wanted if wanted in value else None), items


def _value_at(obj: Any, steps: tuple[str, ...], node: Node) -> Any:
    value, place = obj, node
    for step in steps:
        if step == ".":
            return True
        value, place = _step(value, step, place)
        if value is None:
            return None
    return value


def _spoken(steps: tuple[str, ...]) -> str:
    """A path as kubectl prints it."""
    words = []
    for step in steps:
        mark, _, name = step.partition(":")
        if mark == "f":
            words.append(f".{name}")
        elif mark == "k":
            keys = ",".join(f'{key}="{value}"' for key, value in orjson.loads(name).items())
            words.append(f"[{keys}]")
        elif mark == "v":
            words.append(f"[={name}]")
    return "".join(words)


def record_update(
    old: Object | None, new: Object, node: Node, kind: Kind, manager: str, now: str, subresource: str = ""
) -> None:
    """Note in `new` who set what by a plain write; takes changed fields from other managers."""
    previous = (old or {}).get("metadata", {}).get("managedFields") or []
    if not manager:
        new["metadata"]["managedFields"] = previous
        return
    mine = changed(_part(old or {}, kind, subresource), _part(new, kind, subresource), node)
    touched = {f"f:{name}" for name in _differing(old or {}, new)}
    entries = []
    own: FieldSet = {}
    for entry in previous:
        fields = entry.get("fieldsV1", {})
        if (
            entry["manager"] == manager
            and entry["operation"] == "Update"
            and entry.get("subresource", "") == subresource
        ):
            own = fields
            continue
        left = _still_there(minus(fields, mine) if mine else fields, new, node, touched)
        if left:
            entries.append({**entry, "fieldsV1": left})
    own = _still_there(union(own, mine), new, node, touched)
    if own:
        before = next(
            (entry for entry in previous if entry.get("fieldsV1") == own and entry["manager"] == manager),
            None,
        )
        entries.append(before or _entry(manager, "Update", kind, own, now, subresource))
    new["metadata"]["managedFields"] = entries


def _part(obj: Object, kind: Kind, subresource: str) -> Object:
    """What a write to this path can change."""
    if subresource == "status":
        return {"status": obj["status"]} if "status" in obj else {}
    if kind.has_status and kind.custom:
        return {name: value for name, value in obj.items() if name != "status"}
    return obj


def _entry(
    manager: str, operation: str, kind: Kind, fields: FieldSet, now: str, subresource: str = ""
) -> Object:
    entry = {
        "manager": manager,
        "operation": operation,
        "apiVersion": kind.api_version,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**entry, "subresource": subresource} if subresource else entry


def apply(
    live: Object | None,
    wanted: Object,
    node: Node,
    kind: Kind,
    manager: str,
    now: str,
    *,
    force: bool,
    subresource: str = "",
) -> Object:
    """Merge an applied object into the live one, which is not changed.

    Raises: ApiError 409 when another manager owns a field that would change and `force` is off, 500 for a
        field the schema does not declare.
    """
    name = wanted["metadata"].get("name", "")
    try:
        mine = fields_of(wanted, node, strict=True)
    except UnknownField as error:
        where = f"{wanted['metadata'].get('namespace', '')}/{name}; {kind.api_version}, Kind={kind.kind}"
        # Kubernetes gives this error no status of its own, hence the 500.
        raise errors.ApiError(500, f"failed to create typed patch object ({where}): {error}") from error
    if live is None:
        made = {**wanted, "metadata": dict(wanted["metadata"])}
        made["metadata"]["managedFields"] = [_entry(manager, "Apply", kind, mine, now, subresource)]
        return made
    return _merge_applied(live, wanted, node, kind, manager, now, mine, force=force, subresource=subresource)


def _merge_applied(
    live: Object,
    wanted: Object,
    node: Node,
    kind: Kind,
    manager: str,
    now: str,
    mine: FieldSet,
    *,
    force: bool,
    subresource: str,
) -> Object:
    entries = live["metadata"].get("managedFields") or []
    own: Object | None = None
    others: list[Object] = []
    conflicts: list[Cause] = []
    for entry in entries:
        if (
            entry["manager"] == manager
            and entry["operation"] == "Apply"
            and entry.get("subresource", "") == subresource
        ):
            own = entry
            continue
        shared = overlap(mine, entry.get("fieldsV1", {}))
        disputed = [s for s in leaves(shared) if _value_at(live, s, node) != _value_at(wanted, s, node)]
        conflicts += [_conflict(entry, steps) for steps in disputed]
        left = entry.get("fieldsV1", {})
        for steps in disputed:
            left = minus(left, _as_set(steps))
        if left:
            others.append({**entry, "fieldsV1": left})
    if conflicts and not force:
        word = "conflict" if len(conflicts) == 1 else "conflicts"
        listed = ", ".join(f"{cause.message}: {cause.field}" for cause in conflicts)
        message = f"Apply failed with {len(conflicts)} {word}: {listed}"
        causes = [cause.as_json() for cause in conflicts]
        raise errors.ApiError(409, message, details={"causes": causes})
    merged: Object = orjson.loads(orjson.dumps(live))
    dropped = minus(own.get("fieldsV1", {}), mine) if own else {}
    for entry in others:
        dropped = minus(dropped, entry["fieldsV1"])
    _drop(merged, dropped, node)
    identity = {key: value for key, value in wanted["metadata"].items() if key not in _UNOWNED_META}
    merged = _merge(merged, {**wanted, "metadata": identity}, node)
    unchanged = own is not None and own.get("fieldsV1") == mine
    entry = own if unchanged and own else _entry(manager, "Apply", kind, mine, now, subresource)
    merged["metadata"]["managedFields"] = [*others, entry]
    return merged


def _conflict(entry: Object, steps: tuple[str, ...]) -> Cause:
    using = f" using {entry['apiVersion']}" if entry["operation"] == "Update" else ""
    through = f' with subresource "{entry["subresource"]}"' if entry.get("subresource") else ""
    message = f'conflict with "{entry["manager"]}"{through}{using}'
    return Cause(_spoken(steps), "FieldManagerConflict", message)


def _as_set(steps: tuple[str, ...]) -> FieldSet:
    fields: FieldSet = {}
    for step in reversed(steps):
        fields = {step: fields}
    return fields


def _drop(value: Any, fields: FieldSet, node: Node) -> None:
    """Remove fields that their only owner no longer applies."""
    for step, inside in fields.items():
        if step == ".":
            continue
        part, child = _step(value, step, node)
        if part is None:
            continue
        if inside and "." not in inside:
            _drop(part, inside, child)
            if part in ({}, []):
                _remove(value, step, part)
        else:
            _remove(value, step, part)


def _remove(value: Any, step: str, part: Any) -> None:
    if isinstance(value, list):
        value.remove(part)
    else:
        value.pop(step.partition(":")[2], None)


def _merge(live: Any, wanted: Any, node: Node) -> Any:
    if isinstance(wanted, dict) and isinstance(live, dict) and not node.atomic and node is not ANYTHING:
        merged = dict(live)
        for name, value in wanted.items():
            child = node.child(name) or ANYTHING
            merged[name] = _merge(live[name], value, child) if name in live else value
        return merged
    if isinstance(wanted, list) and isinstance(live, list):
        if node.list_keys:
            return _merge_items(live, wanted, node)
        if node.is_set:
            return live + [each for each in wanted if each not in live]
    return wanted


def _merge_items(live: list[Any], wanted: list[Any], node: Node) -> list[Any]:
    by_key = {_item_key(each, node): each for each in live}
    for each in wanted:
        key = _item_key(each, node)
        by_key[key] = _merge(by_key[key], each, node.items or ANYTHING) if key in by_key else each
    return list(by_key.values())
