"""openkeel-status: results and exit codes are nova-status 34.0.0's, on the same rows and options."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from openkeel.cmd.status import CHECKS, main
from tests.fixtures.contract import facts
from tests.unit.db.test_cell_stores import new_node, new_service

ROW = re.compile(r"Check: (.*?) *\|\n\| Result: (\w+)")
SERVICE_USER = """\
[service_user]
send_service_user_token = True
auth_type = password
auth_url = http://127.0.0.1:1
username = nova
password = secret
project_name = service
"""


@pytest.fixture
def placement():
    """Answers as the root of Placement does."""

    class Root(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"versions": [{"id": "v1.0", "max_version": server.version}]}).encode()
            self.send_response(server.code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Root)
    server.version, server.code = "1.39", 200
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def status(manage, placement, tmp_path, capsys):
    def status(more=SERVICE_USER):
        path = tmp_path / "status.conf"
        path.write_text(
            (tmp_path / "openkeel.conf").read_text()
            + "[placement]\nauth_type = none\nconnect_retries = 0\n"
            + f"endpoint_override = http://127.0.0.1:{placement.server_port}\n{more}"
        )
        capsys.readouterr()
        code = main(["--config-file", str(path), "upgrade", "check"])
        results = dict(ROW.findall(capsys.readouterr().out))
        return code, {title: result for title, result in results.items() if result != "Success"}

    return status


def test_the_checks_are_those_of_the_contract():
    assert [title for title, _ in CHECKS] == [
        row["check_title"] for row in facts("manage_cli", "upgrade_checks")
    ]


def test_a_deployment_without_hosts_is_ready(status, deployment):
    assert status() == (0, {})


def test_cells_must_be_mapped(status, manage):
    assert manage("api_db", "sync")[0] == 0
    assert status() == (2, {"Cells v2": "Failure"})
    assert manage("cell_v2", "map_cell0")[0] == 0
    assert manage("db", "sync")[0] == 0
    assert status() == (2, {"Cells v2": "Failure"})


def test_hosts_must_be_mapped_and_young_enough(status, manage, deployment, cell):
    service = new_service(version=50)
    cell.services.create(service)
    cell.compute_nodes.create(new_node())
    assert status() == (2, {"Cells v2": "Failure", "Older than N-1 computes": "Failure"})
    assert manage("cell_v2", "discover_hosts")[0] == 0
    assert status() == (2, {"Older than N-1 computes": "Failure"})
    service.version = 74
    cell.services.save(service)
    assert status() == (0, {})


def test_servers_that_do_not_know_their_machine_are_a_warning(status, deployment, cell):
    from tests.fixtures.db import new_instance

    cell.instances.create(new_instance())
    assert status() == (1, {"hw_machine_type unset": "Warning"})


@pytest.mark.parametrize(("version", "code"), [("1.10", 200), ("1.39", 404), ("1.39", 401)])
def test_placement_must_answer_and_be_new_enough(status, deployment, placement, version, code):
    placement.version, placement.code = version, code
    assert status() == (2, {"Placement API": "Failure"})


def test_a_placement_that_cannot_be_reached_ends_the_checks(status, deployment):
    assert status("endpoint_override = http://127.0.0.1:1\n" + SERVICE_USER)[0] == 255


def test_a_policy_file_must_not_be_json(status, deployment, tmp_path):
    path = tmp_path / "policy.json"
    path.write_text("{}")
    more = f"{SERVICE_USER}[oslo_policy]\npolicy_file = {path}\n"
    assert status(more) == (2, {"Policy File JSON to YAML Migration": "Failure"})


def test_a_service_user_is_needed(status, deployment):
    assert status("") == (2, {"Service User Token Configuration": "Failure"})
