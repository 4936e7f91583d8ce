"""Pod logs: the guest's serial console in `guest-console-log`, a word of virt-launcher in `compute`."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

from devstack.cluster import errors, objects
from devstack.cluster.clock import Clock
from devstack.cluster.errors import ApiError
from devstack.cluster.guests import Guests
from devstack.cluster.kinds import POD
from devstack.cluster.objects import Key, Object
from devstack.cluster.requests import integer, is_set
from devstack.cluster.store import Store

CONSOLE: Final = "guest-console-log"
CREATED_BY: Final = "kubevirt.io/created-by"
FOLLOW_S: Final = 0.5

Line = tuple[float, str]


@dataclass(frozen=True, slots=True)
class LogQuery:
    """The parameters of GET .../log."""

    container: str = ""
    tail_lines: int | None = None
    limit_bytes: int | None = None
    since_s: int | None = None
    timestamps: bool = False
    previous: bool = False
    follow: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Raises: ApiError 400, 422 for numbers that are none or too small."""
        for name, least in (("tailLines", 0), ("limitBytes", 1), ("sinceSeconds", 1)):
            value = integer(query, name)
            if value is not None and value < least:
                why = f"{name}: Invalid value: {value}: must be greater than or equal to {least}"
                raise ApiError(422, f'PodLogOptions "" is invalid: {why}')
        return cls(
            container=query.get("container", ""),
            tail_lines=integer(query, "tailLines"),
            limit_bytes=integer(query, "limitBytes"),
            since_s=integer(query, "sinceSeconds"),
            timestamps=is_set(query, "timestamps"),
            previous=is_set(query, "previous"),
            follow=is_set(query, "follow"),
        )


class Logs:
    """Reads the logs of pods from what their guests say."""

    def __init__(self, store: Store, guests: Guests, clock: Clock) -> None:
        self._store = store
        self._guests = guests
        self._clock = clock

    def read(self, key: Key, query: LogQuery) -> bytes:
        """Raises: ApiError 404 without the pod, 400 for a container that is none or has not started."""
        pod = self._store.find(POD, key)
        if pod is None:
            raise errors.not_found("pods", "", key.name)
        lines = self._lines(pod, self._container(pod, query))
        if query.since_s is not None:
            lines = [line for line in lines if line[0] >= self._clock.wall() - query.since_s]
        if query.tail_lines is not None:
            lines = lines[len(lines) - query.tail_lines :] if query.tail_lines < len(lines) else lines
        text = b"".join(_rendered(line, timestamps=query.timestamps) for line in lines)
        return text if query.limit_bytes is None else text[: query.limit_bytes]

    async def follow(self, key: Key, query: LogQuery) -> AsyncIterator[bytes]:
        """What comes after the lines there are, until the pod is gone."""
        pod = self._store.find(POD, key)
        if pod is None:
            return
        container = self._container(pod, query)
        told = len(self._lines(pod, container))
        while self._store.by_uid(pod["metadata"]["uid"]) is not None:
            lines = self._lines(pod, container)
            if len(lines) > told:
                yield b"".join(_rendered(line, timestamps=query.timestamps) for line in lines[told:])
                told = len(lines)
            await asyncio.sleep(FOLLOW_S)

    @staticmethod
    def _container(pod: Object, query: LogQuery) -> str:
        name, spec = pod["metadata"]["name"], pod["spec"]
        known = [each["name"] for each in (*(spec.get("initContainers") or ()), *spec["containers"])]
        container = query.container
        if not container:
            if len(spec["containers"]) > 1 or spec.get("initContainers"):
                listed = " ".join(known)
                raise errors.bad_request(
                    f"a container name must be specified for pod {name}, choose one of: [{listed}]"
                )
            container = known[0]
        if container not in known:
            raise errors.bad_request(f"container {container} is not valid for pod {name}")
        if query.previous:
            raise errors.bad_request(f'previous terminated container "{container}" in pod "{name}" not found')
        if pod.get("status", {}).get("phase") == "Pending":
            message = f'container "{container}" in pod "{name}" is waiting to start: ContainerCreating'
            raise errors.bad_request(message)
        return str(container)

    def _lines(self, pod: Object, container: str) -> list[Line]:
        uid = (pod["metadata"].get("labels") or {}).get(CREATED_BY, "")
        if container == CONSOLE:
            return self._guests.console(uid)
        started = objects.seconds_of(pod["metadata"]["creationTimestamp"])
        return [(started, f"virt-launcher of the stand-in: watching the domain of {uid}")] if uid else []


def _rendered(line: Line, *, timestamps: bool) -> bytes:
    stamp = f"{objects.micro_timestamp(line[0])} " if timestamps else ""
    return f"{stamp}{line[1]}\n".encode()
