"""CDI's importer: reads an image from where a data volume says, checks it, and throws it away.

The request is real, with the headers of the named secrets, so that an image service refuses a bad token here
as it would refuse a cluster.
"""

import asyncio
import base64
import hashlib
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

import aiohttp

CHUNK: Final = 1024 * 1024
QCOW2_MAGIC: Final = b"QFI\xfb"
_QCOW2_SIZE: Final = slice(24, 32)
_HEADER_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class ImportJob:
    """Where to read and what to hold it against."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    ca_pem: str = ""
    insecure: bool = False
    checksum: str = ""
    room_bytes: int = 0
    timeout_s: float = 60.0


class Importer(Protocol):
    """Runs imports by name; `progress` gets percents, `done` the error or the empty string."""

    def start(
        self, name: str, job: ImportJob, progress: Callable[[float], None], done: Callable[[str], None]
    ) -> None: ...

    def cancel(self, name: str) -> None: ...


class ImportFailed(Exception):
    """The source cannot be imported; the text is what the importer pod would say."""


class HttpImporter:
    """Imports over HTTP, at most `at_once` at a time."""

    def __init__(self, at_once: int = 8) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(at_once)

    def start(
        self, name: str, job: ImportJob, progress: Callable[[float], None], done: Callable[[str], None]
    ) -> None:
        if name not in self._tasks:
            task = asyncio.get_running_loop().create_task(self._run(name, job, progress, done))
            self._tasks[name] = task

    def cancel(self, name: str) -> None:
        task = self._tasks.pop(name, None)
        if task:
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(
        self, name: str, job: ImportJob, progress: Callable[[float], None], done: Callable[[str], None]
    ) -> None:
        error = ""
        try:
            async with self._slots:
                await _import(job, progress)
        except ImportFailed as failure:
            error = str(failure)
        except (aiohttp.ClientError, OSError, TimeoutError) as failure:
            error = f"Unable to connect to http data source: {failure or type(failure).__name__}"
        self._tasks.pop(name, None)
        done(error)


async def _import(job: ImportJob, progress: Callable[[float], None]) -> None:
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=job.timeout_s, sock_read=job.timeout_s)
    async with aiohttp.ClientSession(timeout=timeout, headers=job.headers, auto_decompress=False) as session:
        verify = _trust(job)
        # CDI asks with HEAD first and minds only whether it may; the GET decides.
        async with session.head(job.url, ssl=verify, allow_redirects=True):
            pass
        async with session.get(job.url, ssl=verify) as response:
            if response.status != 200:  # noqa: PLR2004
                raise ImportFailed(
                    "Unable to connect to http data source: expected status code 200, got "
                    f"{response.status}. Status: {response.status} {response.reason}"
                )
            await _drain(response, job, progress)


async def _drain(response: aiohttp.ClientResponse, job: ImportJob, progress: Callable[[float], None]) -> None:
    algorithm, _, wanted = job.checksum.partition(":")
    digest = hashlib.new(algorithm) if algorithm else None
    total, seen, head = response.content_length, 0, b""
    async for chunk in response.content.iter_chunked(CHUNK):
        if len(head) < _HEADER_BYTES:
            head += chunk[:_HEADER_BYTES]
        seen += len(chunk)
        if digest:
            digest.update(chunk)
        if total:
            progress(min(100.0, 100.0 * seen / total))
    if total and seen < total:
        raise ImportFailed(
            f"Unable to transfer source data to scratch space: unexpected EOF after {seen} bytes"
        )
    if digest and digest.hexdigest() != wanted:
        raise ImportFailed(
            f"checksum mismatch: expected {job.checksum}, got {algorithm}:{digest.hexdigest()}"
        )
    virtual = int.from_bytes(head[_QCOW2_SIZE]) if head.startswith(QCOW2_MAGIC) else seen
    if job.room_bytes and virtual > job.room_bytes:
        raise ImportFailed(
            f"Virtual image size {virtual} is larger than the reported available storage {job.room_bytes}. "
            "A larger PVC is required"
        )


def _trust(job: ImportJob) -> ssl.SSLContext | bool:
    if job.insecure:
        return False
    if job.ca_pem:
        return ssl.create_default_context(cadata=job.ca_pem)
    return True


def basic_auth(user: str, password: str) -> str:
    """The Authorization header of a user and password."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
