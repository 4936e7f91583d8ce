"""SIGHUP to real processes: options that may change do, in every worker; files that broke change nothing."""

import os
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.functional.daemons.conftest import eventually

REREAD = "Option files were read again"
REFUSED = "The options stay as they were"
# The processes that must hear of it: one alone, or a parent and its workers.
CONTROLLERS = {
    "openkeel-conductor": ("[conductor]\nworkers = 2\n", 3),
    "openkeel-scheduler": ("[scheduler]\nworkers = 1\n", 1),
}


@pytest.fixture(params=CONTROLLERS, ids=lambda name: name)
def controller(request, program, site):
    """A running controller, and how many processes it is."""
    daemon = program(request.param)
    more, processes = CONTROLLERS[request.param]
    daemon.write(site.options(more=more))
    daemon.start()
    daemon.wait_for("is up", times=max(1, processes - 1))
    return daemon, more, processes


def test_every_process_takes_a_new_log_level(controller, site):
    daemon, more, processes = controller
    assert daemon.records("DEBUG") == []
    daemon.write(site.options("debug = True", more))
    daemon.hang_up()
    daemon.wait_for(f"{REREAD}; debug", processes)
    daemon.hang_up()  # there is something to say at debug level when options are read
    daemon.wait_for(f"{REREAD}; nothing changed", processes)
    daemon.write(site.options("debug = False", more))
    daemon.hang_up()
    daemon.wait_for(f"{REREAD}; debug", processes)


def test_a_file_that_broke_changes_nothing_and_stops_nobody(controller, site):
    daemon, more, processes = controller
    daemon.write(site.options("debug = True\nreport_interval = often", more))
    daemon.hang_up()
    daemon.wait_for(f"{REFUSED}: Value for option report_interval", processes)
    daemon.write(site.options("debug = perhaps", more))
    daemon.hang_up()
    daemon.wait_for(f"{REFUSED}: 1", processes)
    daemon.options.unlink()
    daemon.hang_up()
    daemon.wait_for(f"{REFUSED}: Failed to find some config files", processes)
    assert daemon.records("DEBUG") == []
    daemon.write(site.options("debug = True", more))
    daemon.hang_up()
    daemon.wait_for(f"{REREAD}; debug", processes)


@pytest.fixture
def api(program, site):
    """A running API with two workers."""
    site.policy.write_text('"os_compute_api:servers:index": "role:member"\n')
    daemon = program("openkeel-api")
    daemon.write(site.options())
    daemon.start()
    eventually(lambda: _status(site, "/") == 200)
    return daemon


def test_workers_of_the_api_make_room_for_ones_that_know_the_new_options(api, site):
    before = _workers(api)
    api.write(site.options("debug = True"))
    api.hang_up()
    eventually(lambda: len(_workers(api)) == 2 and not _workers(api) & before)
    assert _status(site, "/") == 200
    assert api.records("DEBUG")


def test_rules_that_broke_let_the_api_go_on_with_the_last_good_ones(api, site):
    first = _workers(api)
    site.policy.write_text('"os_compute_api:servers:index": "rule:nowhere"\n')
    api.hang_up()
    api.wait_for(f"The rules stay as they were: {site.policy}: rule os_compute_api:servers:index")
    eventually(lambda: len(_workers(api)) == 2 and not _workers(api) & first)
    before = _workers(api)
    os.kill(int(min(before)), signal.SIGKILL)
    eventually(lambda: len(_workers(api)) == 2 and _workers(api) - before)
    assert _status(site, "/") == 200


def test_options_that_broke_let_the_api_go_on(api, site):
    api.write("[DEFAULT\n")
    api.hang_up()
    api.wait_for(f"{REFUSED}: Failed to parse {api.options}")
    assert _status(site, "/") == 200


def _status(site, path):
    """What the API answers, None while it does not."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{site.port}{path}", timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return None


def _workers(daemon):
    """Processes that serve."""
    found = Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text()
    return set(found.split())
