"""What an operator must put right ends a program before it began: one line that names it, exit code 1."""

import pytest

from openkeel.db.session import Database, DatabaseSettings
from openkeel.db.stores.services import ServiceStore
from openkeel.rpc.versions import OLDEST_SUPPORTED_SERVICE_VERSION
from tests.unit.db.test_cell_stores import new_service

# text of the option file (None for none at all, a tuple for a directory): what is said of it.
BROKEN = {
    "a section without end": ("[DEFAULT\n", "{file}:1, Invalid section"),
    "a line that says nothing": ("[DEFAULT]\nhost = one\nnonsense\n", "{file}:3, No ':' or '=' found"),
    "a wrong value": ("[DEFAULT]\ndebug = perhaps\n", "--debug: Invalid Boolean value: perhaps"),
    "no file": (None, "Failed to find some config files: {file}"),
    "a directory": ((), "{file}: Is a directory"),
    "no text": (b"[DEFAULT]\nhost = \xff\n", "{file}: not a text in UTF-8"),
}
# Wrong only for who reads them: a daemon looks at all options at its start, a tool at those it needs.
BROKEN_VALUES = {
    "no number": ("[DEFAULT]\nreport_interval = often\n", "report_interval"),
    "out of range": ("[vnc]\nnovncproxy_port = 70000\n", "novncproxy_port"),
    "none of the choices": ("[notifications]\nnotification_format = loud\n", "notification_format"),
    "a reference to nothing": ("[DEFAULT]\nstate_path = $nowhere/x\n", "nowhere"),
}


def spoil(tool, content):
    if content == ():
        tool.options.mkdir()
    elif isinstance(content, bytes):
        tool.options.write_bytes(content)
    elif content is not None:
        tool.write(content)


def assert_refused(done, culprit):
    code, out, complaint = done
    assert code == 1
    assert out == ""
    assert culprit in complaint
    assert complaint.count("\n") == 1, complaint


def _cases(broken, thorough, others):
    """All that may be broken for a few programs, since they share how they start; one for the others."""
    first = next(iter(broken))
    return [
        pytest.param(name, *broken[title], id=f"{name}: {title}")
        for name in (*thorough, *others)
        for title in (broken if name in thorough else (first,))
    ]


@pytest.mark.parametrize(
    ("name", "content", "culprit"),
    _cases(BROKEN, ("openkeel-scheduler", "openkeel-manage"), ("openkeel-api", "openkeel-compute")),
)
def test_a_broken_option_file(program, name, content, culprit):
    tool = program(name)
    spoil(tool, content)
    words = ("db", "version") if name == "openkeel-manage" else ()
    assert_refused(tool.run(*words), culprit.format(file=tool.options))


@pytest.mark.parametrize(
    ("name", "content", "culprit"),
    _cases(
        BROKEN_VALUES, ("openkeel-conductor",), ("openkeel-api", "openkeel-compute", "openkeel-scheduler")
    ),
)
def test_a_value_that_makes_no_sense(program, name, content, culprit):
    tool = program(name)
    spoil(tool, content)
    assert_refused(tool.run(), culprit)


def test_a_directory_of_option_files_that_is_not_there(program):
    tool = program("openkeel-scheduler")
    tool.write("")
    assert_refused(tool.run("--config-dir", str(tool.folder / "more")), "more")


def test_a_broken_file_in_a_directory_is_named(program):
    tool = program("openkeel-scheduler")
    tool.write("")
    more = tool.folder / "more"
    more.mkdir()
    (more / "10-site.conf").write_text("[DEFAULT\n")
    assert_refused(tool.run("--config-dir", str(more)), f"{more}/10-site.conf:1")


def test_options_and_groups_that_nobody_knows_are_fine(program, site):
    daemon = program("openkeel-scheduler")
    daemon.write(site.options("unheard_of = 1", "[scheduler]\nworkers = 1\n[nonsense]\na = b\n"))
    daemon.start()
    daemon.wait_for("is up")


def test_a_broken_policy_file_is_named(program, site):
    tool = program("openkeel-api")
    site.policy.write_text('"os_compute_api:servers:index": "rule:nowhere"\n')
    tool.write(site.options())
    assert_refused(tool.run(), f"{site.policy}: rule os_compute_api:servers:index refers to")


OLD = OLDEST_SUPPORTED_SERVICE_VERSION - 1


@pytest.fixture
def cell_services(site):
    """The records of the daemons of the cell."""
    database = Database(DatabaseSettings(f"sqlite:///{site.folder}/cell1.sqlite"))
    yield ServiceStore(database)
    database.dispose()


@pytest.mark.parametrize("name", ["openkeel-api", "openkeel-conductor", "openkeel-scheduler"])
def test_computes_that_are_too_old_to_work_with(program, site, cell_services, name):
    cell_services.create(new_service("old-one", version=OLD))
    tool = program(name)
    tool.write(site.options())
    assert_refused(tool.run(), f"A compute has service version {OLD}, and {OLD + 1} is the oldest")
