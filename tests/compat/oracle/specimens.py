"""Objects of every kind with every field filled, made the same way of Nova's classes and of ours.

Runs in Nova's environment as well: it knows oslo.versionedobjects and nothing else.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from oslo_versionedobjects.base import VersionedObjectRegistry, obj_tree_get_versions

WHEN = "2026-01-02T03:04:05Z"
UUID = "11111111-2222-3333-4444-555555555555"

# With the keys, and in their order, as Nova writes them.
_VIF = json.dumps(
    {
        "id": UUID,
        "address": "fa:16:3e:00:00:01",
        "network": None,
        "type": "ovs",
        "details": {},
        "devname": "tap0",
        "ovs_interfaceid": UUID,
        "qbh_params": None,
        "qbg_params": None,
        "active": False,
        "vnic_type": "normal",
        "profile": None,
        "preserve_on_delete": False,
        "delegate_create": False,
        "meta": {},
    }
)

# By the class name of a field's type: how a value of it looks on the wire.
_BY_TYPE: Mapping[str, Any] = {
    "Boolean": True,
    "FlexibleBoolean": True,
    "DateTime": WHEN,
    "Float": 1.5,
    "Integer": 1,
    "NonNegativeInteger": 1,
    "IPAddress": "10.0.0.1",
    "IPV4Address": "10.0.0.1",
    "IPV6Address": "fd00::1",
    "IPV4AndV6Address": "10.0.0.1",
    "IPNetwork": "10.0.0.0/24",
    "IPV4Network": "10.0.0.0/24",
    "IPV6Network": "fd00::/64",
    "MACAddress": "fa:16:3e:00:00:01",
    "PCIAddress": "0000:00:1f.0",
    "USBAddress": "0:1",
    "SCSIAddress": "0:0:0:1",
    "IDEAddress": "0:1",
    "XenAddress": "000100",
    "UUID": UUID,
    "ResourceClass": "VCPU",
    "VersionPredicate": ">=1.0",
    "NetworkModel": "[]",
    "NetworkVIFModel": _VIF,
    "CoercedDict": {"a": "b"},
}
_DEEPEST = 6

Key = tuple[str, str]


def classes() -> dict[str, type]:
    """The newest class of each object."""
    return {name: found[0] for name, found in sorted(VersionedObjectRegistry.obj_classes().items())}


def of_type(kind: Any, depth: int) -> Any:
    """A value for a field's type, in wire form."""
    name = type(kind).__name__
    choices = getattr(kind, "valid_values", None)
    if choices:
        return next(iter(choices))
    if name in _BY_TYPE:
        return _BY_TYPE[name]
    if name == "Object":
        return specimen(kind._obj_name, depth + 1)
    inner = getattr(kind, "_element_type", None)
    if inner is not None:
        value = of_type(inner._type, depth)
        return {"1": value} if name == "Dict" else [value]
    return "text"


def specimen(name: str, depth: int = 0) -> dict[str, Any]:
    """An object with every field set, in wire form."""
    kind = classes()[name]
    data = {}
    for field_name, field in sorted(kind.fields.items()):
        if type(field._type).__name__ == "Object" and depth >= _DEEPEST:
            continue
        data[field_name] = of_type(field._type, depth)
    return wrap(kind, data)


def wrap(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """The envelope around an object's fields."""
    return {
        "nova_object.name": kind.__name__,
        "nova_object.namespace": "nova",
        "nova_object.version": kind.VERSION,
        "nova_object.data": dict(data),
    }


def variants(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The specimen; one without anything; one with None where that may be; one for each choice of a field."""
    kind = classes()[name]
    whole = specimen(name)["nova_object.data"]
    yield "whole", wrap(kind, whole)
    yield "bare", wrap(kind, {})
    empty = {field: None for field, each in kind.fields.items() if each.nullable}
    yield "empty", wrap(kind, {**whole, **empty})
    for field_name, field in sorted(kind.fields.items()):
        choices = getattr(field._type, "valid_values", None) or ()
        element = getattr(field._type, "_element_type", None)
        in_list = getattr(element and element._type, "valid_values", None) or ()
        for choice in choices:
            yield f"{field_name}={choice}", wrap(kind, {field_name: choice})
            yield f"{field_name}={choice}+", wrap(kind, {**whole, field_name: choice})
        for choice in in_list:
            yield f"{field_name}=[{choice}]", wrap(kind, {field_name: [choice]})


def older(version: str) -> list[str]:
    """The versions of the same major one from this down."""
    major, minor = map(int, version.split("."))
    return [f"{major}.{each}" for each in range(minor, -1, -1)]


def manifests(name: str) -> dict[str, dict[str, str]]:
    """What an older peer may know of the objects inside: the newest of each, or the first of each."""
    now = dict(obj_tree_get_versions(name))
    return {"new": now, "old": {each: f"{version.split('.')[0]}.0" for each, version in now.items()}}


def digest(value: Any) -> str:
    """A short name of a JSON value. Nova sends its lists of changes in any order: they are left out."""
    text = json.dumps(_without_changes(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _without_changes(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_changes(each) for key, each in value.items() if key != "nova_object.changes"}
    return [_without_changes(each) for each in value] if isinstance(value, list) else value


def backports(name: str, read: Callable[[dict[str, Any]], Any]) -> dict[str, str]:
    """For each variant and manifest: what comes of it in each version, newest first; `!` for a refusal.

    `read` makes an object of its wire form.
    """
    found = {}
    versions = older(classes()[name].VERSION)
    for what, primitive in variants(name):
        for known, manifest in manifests(name).items():
            answers = []
            for version in versions:
                item = read(json.loads(json.dumps(primitive)))
                try:
                    sent = item.obj_to_primitive(
                        target_version=version, version_manifest={**manifest, name: version}
                    )
                except Exception:  # noqa: BLE001 however it is refused
                    answers.append("!")
                else:
                    answers.append(digest(sent))
            found[f"{what} {known}"] = " ".join(answers)
    return found


# What fields are offered.
OFFERED: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    3.7,
    2**70,
    "",
    " ",
    "x",
    "0",
    "1",
    "-1",
    "1.5",
    "1e3",
    "True",
    "true",
    "yes",
    "off",
    "None",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05.678901",
    "2026-01-02 03:04:05+02:00",
    "yesterday",
    "10.0.0.1",
    "10.0.0.0/24",
    "010.0.0.1",
    "fd00::1",
    "FD00:0::1",
    "fa:16:3e:00:00:01",
    "FA-16-3E-00-00-01",
    "fa163e000001",
    UUID,
    "1111",
    "11111111222233334444555555555555",
    "0000:00:1f.0",
    "00:1f.0",
    "0:1",
    "2:0",
    "0:0:0:1",
    "000100",
    "vcpu",
    "VCPU",
    "CUSTOM_GOLD",
    "custom-gold",
    ">=1.0",
    ">=1.0, <2",
    "1.0",
    "[]",
    "{}",
    "{",
    [],
    {},
    ["a"],
    [1],
    [None],
    ["1"],
    ["a", "a"],
    [["a"]],
    [[1]],
    [{}],
    [{"a": "b"}],
    [{"a": None}],
    {"a": "b"},
    {"a": 1},
    {"a": None},
    {"1": "2"},
    {"a": ["b"]},
    {"a": [1]},
    {"1": [1]},
    {"nova_object.name": "Tag"},
    # names that some fields take for others
    "amd64",
    "i386",
    "x86",
    "X86_64",
    "ppc64el",
    "arm",
    "aarch64_be",
    "KVM",
    "xapi",
    "powervm",
    "hv",
    "pv",
    "paravirt",
    "baremetal",
    "UML",
    "Linux",
    "linux",
    "WINDOWS",
    "Windows",
    "VIRTIO",
    "virtio",
    "lsilogic",
    "LsiLogic",
    "lsiLogicsas",
    "vmware",
    "virtuale1000",
    "virtuale1000e",
    "virtualpcnet32",
    "virtualsriovethernetcard",
    "virtualvmxnet",
    "virtualvmxnet3",
    "paravirtual",
    "busLogic",
    "RAW",
    "LUKS",
    "Required",
    "share",
    "MANDATORY",
    "mandatory",
    "optional",
    "always",
    "SHA-256",
    "nfs",
    "NFS",
    "2.0",
    "dedicated",
    "DEDICATED",
    "mixed",
    "preferred",
    "cpu.percent",
    "migration",
    "available",
)


def coercions(kind: type, field_name: str) -> tuple[str, str]:
    """What a field makes of everything offered: set by its owner, and read from the wire."""
    field = kind.fields[field_name]
    set_, read = [], []
    for offered in OFFERED:
        set_.append(_tried(kind, field_name, lambda _item, value: value, offered))
        read.append(
            _tried(
                kind, field_name, lambda item, value: field.from_primitive(item, field_name, value), offered
            )
        )
    return digest_of_all(set_), digest_of_all(read)


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _tried(kind: type, field_name: str, make: Callable[[Any, Any], Any], offered: Any) -> Any:
    item = kind()
    try:
        value = kind.fields[field_name].coerce(item, field_name, make(item, _copy(offered)))
        primitive = _in_order(kind.fields[field_name].to_primitive(item, field_name, value), value)
        return json.loads(json.dumps(primitive))
    except Exception:  # noqa: BLE001 however it is refused
        return "!refused"


def digest_of_all(answers: list[Any]) -> str:
    """One short name an answer: a difference shows which it is; so do refusals and what stays as it is."""
    return " ".join(
        "!" if answer == "!refused" else "=" if _same(answer, offered) else digest(answer)
        for answer, offered in zip(answers, OFFERED, strict=True)
    )


def _in_order(primitive: Any, value: Any) -> Any:
    """Sets are lists in any order on the wire."""
    if isinstance(value, set | frozenset):
        return sorted(primitive, key=str)
    if isinstance(value, list) and isinstance(primitive, list):
        return [_in_order(one, each) for one, each in zip(primitive, value, strict=True)]
    if isinstance(value, dict) and isinstance(primitive, dict):
        return {key: _in_order(one, value.get(key)) for key, one in primitive.items()}
    return primitive


def _same(answer: Any, offered: Any) -> bool:
    return type(answer) is type(offered) and answer == offered
