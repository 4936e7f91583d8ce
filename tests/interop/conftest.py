"""Skips with the reason, the fixtures `swap` and `cloud`, the table at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from devstack.lib.site import Site
from tests.interop.client import Client
from tests.interop.journal import Entry, table
from tests.interop.nova_daemons import end_strays
from tests.interop.nova_environment import NovaEnvironment
from tests.interop.openkeel_daemons import OpenKeelDaemons
from tests.interop.swap import Swap

ENTRIES = pytest.StashKey[list[Entry]]()


def pytest_configure(config):
    config.stash[ENTRIES] = []


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.interop)
            item.add_marker(pytest.mark.timeout(3000))
            item.add_marker(pytest.mark.filterwarnings("default"))  # clients that are not ours


def pytest_terminal_summary(terminalreporter, config):
    entries = config.stash.get(ENTRIES, [])
    if entries:
        terminalreporter.section("swaps")
        for line in table(entries):
            terminalreporter.line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    entry = item.stash.get(ENTRY, None)
    if entry is not None and call.when in {"call", "teardown"}:
        entry.passed = report.passed and (call.when == "call" or entry.passed)
    return report


ENTRY = pytest.StashKey[Entry]()


@pytest.fixture(scope="session")
def site() -> Site:
    """A running devstack, as it should be: strays of killed runs are ended first."""
    site = Site.load()
    lacking = NovaEnvironment.of(site).lacks()
    if lacking:
        pytest.skip(lacking)
    end_strays(site)
    lacking = OpenKeelDaemons(site).lacks()
    if lacking:
        pytest.skip(lacking)
    return site


@pytest.fixture
def cloud(site: Site) -> Iterator[Client]:
    """The administrator's client of a cloud without servers, before and after."""
    client = Client.of(site)
    client.delete_all()
    yield client
    client.delete_all()


@pytest.fixture
def swap(site: Site, cloud: Client, request: pytest.FixtureRequest) -> Iterator[Swap]:
    """Puts everything back after the test, then looks at the logs."""
    entry = Entry(request.node.nodeid.rpartition("/")[2])
    request.node.stash[ENTRY] = entry
    request.config.stash[ENTRIES].append(entry)
    with Swap(site, NovaEnvironment.of(site), entry) as swap:
        yield swap
    complaints = swap.complaints()
    entry.differed += complaints[:20]
    assert not complaints, "\n".join(complaints)
