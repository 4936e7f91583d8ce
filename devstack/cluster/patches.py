"""The three client-side patch formats: JSON patch, merge patch, strategic merge patch.

Each returns a new object (or changes a copy that it was given); server-side apply lives in `apply.py`.
"""

from typing import Any, Final

from devstack.cluster import errors
from devstack.cluster.objects import Object
from devstack.cluster.schema import ANYTHING, Node

_REFUSED: Final = "the server rejected our request due to an error in our request"


def json_patch(obj: Object, operations: Any) -> Object:
    """Apply RFC 6902 operations to an object of the caller's own.

    Raises: ApiError 400 for what is no patch, 422 for an operation that does not apply (a failed test too).
    """
    if not isinstance(operations, list) or not all(isinstance(each, dict) for each in operations):
        raise errors.bad_request("error decoding patch: a JSON patch is a list of operations")
    document: Any = obj
    for operation in operations:
        try:
            document = _run(document, operation)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise errors.ApiError(
                422, f"{_REFUSED}: {_name(operation)} operation does not apply: {error}"
            ) from error
    if not isinstance(document, dict):
        raise errors.ApiError(422, _REFUSED)
    return document


def _name(operation: dict[str, Any]) -> str:
    return f"jsonpatch {operation.get('op', '')}"


def _run(document: Any, operation: dict[str, Any]) -> Any:
    match operation["op"]:
        case "add":
            document = _add(document, _pointer(operation["path"]), operation["value"])
        case "remove":
            document, _ = _remove(document, _pointer(operation["path"]))
        case "replace":
            path = _pointer(operation["path"])
            if path:
                document, _ = _remove(document, path)
            document = _add(document, path, operation["value"])
        case "move":
            document, value = _remove(document, _pointer(operation["from"]))
            document = _add(document, _pointer(operation["path"]), value)
        case "copy":
            value = _get(document, _pointer(operation["from"]))
            document = _add(document, _pointer(operation["path"]), value)
        case "test":
            if not _same(_get(document, _pointer(operation["path"])), operation["value"]):
                raise ValueError(f"testing value {operation['path']} failed")
        case other:
            raise ValueError(f"unknown operation {other!r}")
    return document


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values, where true is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def _pointer(text: str) -> list[str]:
    if text == "":
        return []
    if not text.startswith("/"):
        raise ValueError(f"{text!r} is no JSON pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]


def _index(part: str, *, end: int) -> int:
    if part == "-":
        return end
    if not part.isdigit() or int(part) > end:
        raise IndexError(f"index {part} is outside of the list")
    return int(part)


def _get(document: Any, path: list[str]) -> Any:
    for part in path:
        document = (
            document[_index(part, end=len(document) - 1)] if isinstance(document, list) else document[part]
        )
    return document


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent = _get(document, path[:-1])
    if isinstance(parent, list):
        parent.insert(_index(path[-1], end=len(parent)), value)
    elif isinstance(parent, dict):
        parent[path[-1]] = value
    else:
        raise TypeError("parent is neither object nor list")
    return document


def _remove(document: Any, path: list[str]) -> tuple[Any, Any]:
    parent = _get(document, path[:-1])
    if isinstance(parent, list):
        return document, parent.pop(_index(path[-1], end=len(parent) - 1))
    return document, parent.pop(path[-1])


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def strategic_merge(target: Object, patch: Object, node: Node) -> Object:
    """Kubernetes' merge patch for built-in kinds: lists with a merge key merge by it."""
    if patch.get("$patch") == "replace":
        return {name: value for name, value in patch.items() if name != "$patch"}
    if patch.get("$patch") == "delete":
        return {}
    merged = dict(target)
    kept = patch.get("$retainKeys")
    if isinstance(kept, list):
        merged = {name: value for name, value in merged.items() if name in kept}
    for name, value in patch.items():
        if name.startswith("$deleteFromPrimitiveList/"):
            field = name.partition("/")[2]
            merged[field] = [each for each in merged.get(field) or () if each not in value]
        elif not name.startswith("$"):
            child = node.child(name) or ANYTHING
            _put(merged, name, _strategic_value(merged.get(name), value, child))
    for name, order in patch.items():
        if name.startswith("$setElementOrder/"):
            field = name.partition("/")[2]
            child = node.child(field) or ANYTHING
            merged[field] = _ordered(merged.get(field) or [], order, child.merge_key)
    return merged


def _put(target: Object, name: str, value: Any) -> None:
    if value is None:
        target.pop(name, None)
    else:
        target[name] = value


def _strategic_value(current: Any, value: Any, node: Node) -> Any:
    if isinstance(value, dict):
        return strategic_merge(current if isinstance(current, dict) else {}, value, node)
    if isinstance(value, list) and isinstance(current, list):
        if node.merge_key:
            return _merge_list(current, value, node)
        if node.is_set:
            return current + [each for each in value if each not in current]
    if isinstance(value, list):
        return [each for each in value if not (isinstance(each, dict) and "$patch" in each)]
    return value


def _merge_list(current: list[Any], patch: list[Any], node: Node) -> list[Any]:
    key, items = node.merge_key, node.items or ANYTHING
    if any(isinstance(each, dict) and each.get("$patch") == "replace" for each in patch):
        return [each for each in patch if each.get("$patch") != "replace"]
    merged = list(current)
    for each in patch:
        place = next((index for index, old in enumerate(merged) if old.get(key) == each.get(key)), None)
        if each.get("$patch") == "delete":
            if place is not None:
                del merged[place]
        elif place is None:
            merged.append(each)
        else:
            merged[place] = strategic_merge(merged[place], each, items)
    return merged


def _ordered(items: list[Any], order: list[Any], key: str) -> list[Any]:
    """The items in the asked order; those it does not name keep their place at the end."""
    wanted = [each.get(key) if isinstance(each, dict) else each for each in order]

    def place(item: Any) -> int:
        identity = item.get(key) if isinstance(item, dict) else item
        return wanted.index(identity) if identity in wanted else len(wanted)

    return sorted(items, key=place)
