"""What Nova's compute and OpenKeel's tell of the same life of a server: events, order, publishers, payloads.

Both write their notifications to their logs (oslo.messaging's driver `log`). Instance.update comes from the
conductor, whoever computes, and is left out.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest

from devstack.lib.site import NODES, Site
from tests.interop import openkeel_daemons
from tests.interop.client import Client, eventually
from tests.interop.logs import Log
from tests.interop.nodes import make_predictable
from tests.interop.nova_daemons import compute_file, nova_compute

NODE: Final = NODES[0]

_TOLD: Final = re.compile(r"^\S+ \S+ \d+ [A-Z]+ oslo\.messaging\.notification\.\S+ (?:\[[^\]]*\] )?(?=\{)")
_LOUD: Final = """
[notifications]
notification_format = both
bdms_in_notifications = true
[oslo_messaging_notifications]
driver = log
"""

# What is another one each time, or another moment; that it is there is compared all the same.
_OWN: Final = frozenset(
    {
        "address",
        "created_at",
        "deleted_at",
        "device_name",
        "instance_id",
        "instance_name",
        "launched_at",
        "mac",
        "port_uuid",
        "request_id",
        "reservation_id",
        "terminated_at",
        "updated_at",
        "uuid",
        "vif_mac",
    }
)


@dataclass(frozen=True)
class Told:
    """One notification."""

    event: str
    publisher: str
    priority: str
    payload: dict[str, Any]

    @property
    def is_versioned(self) -> bool:
        return "nova_object.name" in self.payload


def told(log: Log, since: int, uuid: str) -> list[Told]:
    """The notifications about a server since a position of the log, in their order."""
    decoder, found = json.JSONDecoder(), []
    for line in log.text(since).splitlines():
        start = _TOLD.match(line)
        if start is None or uuid not in line:
            continue
        message = decoder.raw_decode(line[start.end() :])[0]
        found.append(
            Told(message["event_type"], message["publisher_id"], message["priority"], message["payload"])
        )
    return found


def payload(one: Told) -> Any:
    """What a notification says, as far as it can be compared."""
    said = comparable(one.payload)
    if one.event == "instance.delete.end":
        # Nova's own varies: what it has cached is emptied by its own hand or by Neutron's event.
        said["nova_object.data"].pop("ip_addresses")
    return said


def comparable(value: Any, name: str = "") -> Any:
    """A payload without what is another one each time."""
    if name in _OWN:
        return "something" if value else value
    if isinstance(value, dict):
        return {key: comparable(inner, key) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    return value


@pytest.fixture
def loud(site: Site) -> Iterator[None]:
    """Whoever computes on the node tells everything; the file is put back before OpenKeel's runs again."""
    with _settings(site):
        yield


@contextmanager
def _settings(site: Site) -> Iterator[None]:
    path = compute_file(site, NODE)
    before = path.read_text()
    path.write_text(before + _LOUD)
    try:
        yield
    finally:
        path.write_text(before)


def _life(cloud: Client, log: Log) -> list[Told]:
    since = log.position()
    server = cloud.boot("told", host=NODE, metadata={"a": "b"}, description="a server", tags=["blue"])
    uuid = server["id"]
    cloud.stop(uuid)
    cloud.start(uuid)
    cloud.reboot(uuid, "SOFT")
    cloud.reboot(uuid, "HARD")
    cloud.delete(uuid)
    eventually(
        lambda: sum(one.event.endswith("instance.delete.end") for one in told(log, since, uuid)) == 2,
        300,
        "the end of the server is told of in both formats",
    )
    return told(log, since, uuid)


def test_both_computes_tell_the_same(swap, cloud, site, loud):
    make_predictable(site, cloud, NODE)
    ours, theirs = openkeel_daemons.compute(NODE), nova_compute(swap.nova, site, NODE)
    with swap.step("a life on openkeel-compute"):
        swap.openkeel.restart(ours)
        swap.later(lambda: swap.openkeel.restart(ours))
        by_openkeel = _life(cloud, swap.openkeel.log(ours))
    swap.replace(ours, theirs)
    with swap.step("a life on nova-compute"):
        by_nova = _life(cloud, theirs.log)
    for versioned in (True, False):
        mine = [one for one in by_openkeel if one.is_versioned == versioned]
        novas = [one for one in by_nova if one.is_versioned == versioned]
        with swap.step(f"events, {'versioned' if versioned else 'unversioned'}"):
            assert [(one.event, one.publisher, one.priority) for one in mine] == [
                (one.event, one.publisher, one.priority) for one in novas
            ]
        with swap.step(f"payloads, {'versioned' if versioned else 'unversioned'}"):
            differing = [
                (one.event, differences(payload(one), payload(other)))
                for one, other in zip(mine, novas, strict=True)
            ]
            assert not [each for each in differing if each[1]]


def differences(mine: Any, novas: Any, path: str = "") -> list[str]:
    """Where two payloads differ."""
    if isinstance(mine, dict) and isinstance(novas, dict):
        return [
            line
            for key in sorted(mine.keys() | novas.keys())
            for line in differences(mine.get(key, "absent"), novas.get(key, "absent"), f"{path}.{key}")
        ]
    return [] if mine == novas else [f"{path}: {mine!r}, Nova {novas!r}"]
