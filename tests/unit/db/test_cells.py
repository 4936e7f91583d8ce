"""Several databases: found through mappings, asked at once, missed one by one."""

import threading
import uuid

import pytest

from openkeel import objects
from openkeel.db.cells import CELL0_UUID, CellStores
from openkeel.db.host_discovery import discover_hosts
from openkeel.db.instance_discovery import map_instances
from openkeel.db.session import Database, DatabaseSettings
from openkeel.db.url_templates import render
from openkeel.domain.errors import CellMappingNotFound, CellUnreachable, InstanceNotFound, Invalid
from tests.fixtures.db import new_instance
from tests.unit.db.test_api_stores import new_build
from tests.unit.db.test_cell_stores import new_node, new_service


def test_cells_are_known_by_their_mappings(cells):
    assert [cell.mapping.name for cell in cells.cells()] == ["cell0", "cell1"]
    assert [cell.mapping.name for cell in cells.cells(include_cell0=False)] == ["cell1"]
    assert cells.cell0().mapping.uuid == CELL0_UUID
    with pytest.raises(CellMappingNotFound):
        cells.cell(str(uuid.uuid4()))


def test_a_cell_made_later_is_found_without_a_restart(cells):
    assert len(cells.cells()) == 2
    new = objects.CellMapping(
        uuid=str(uuid.uuid4()),
        name="cell2",
        database_connection=cells.cells()[1].database.settings.url,
        transport_url="none:///",
        disabled=True,
    )
    cells.api.cell_mappings.create(new)
    assert cells.cell(new.uuid).mapping.name == "cell2"
    assert "cell2" not in [cell.mapping.name for cell in cells.cells(include_disabled=False)]


def test_a_server_is_found_in_its_cell(cells):
    build = new_build()
    cells.api.create_builds([build])
    with pytest.raises(InstanceNotFound):
        cells.for_instance(build[1].instance_uuid)
    cell1 = cells.cells(include_cell0=False)[0]
    cells.api.instance_mappings.map_to_cell(build[1].instance_uuid, cell1.mapping.uuid)
    assert cells.for_instance(build[1].instance_uuid) is cell1


def test_a_slow_cell_does_not_hold_up_the_others(cells):
    release = threading.Event()

    def ask(cell):
        if cell.mapping.name == "cell0":
            release.wait(10)
        return cell.mapping.name

    answers = cells.scatter(ask, timeout_s=0.2)
    release.set()
    cell0, cell1 = cells.cells()
    assert isinstance(answers[cell0.mapping.uuid], CellUnreachable)
    assert answers[cell1.mapping.uuid] == "cell1"


def test_a_cell_without_database_is_unreachable(cells, tmp_path):
    broken = CellStores(
        Database(DatabaseSettings(f"sqlite:///{tmp_path}/nowhere/x.sqlite")),
        objects.CellMapping(uuid=str(uuid.uuid4()), name="broken"),
    )
    answers = cells.scatter(lambda cell: len(cell.services.list()), [broken])
    assert isinstance(answers[broken.mapping.uuid], CellUnreachable)


def test_a_mistake_of_the_caller_is_no_unreachable_cell(cells):
    with pytest.raises(Invalid):
        cells.scatter(lambda cell: cell.instances.list_by_filters({"colour": "red"}))


def test_new_hosts_are_discovered_once(cells):
    cell1 = cells.cells(include_cell0=False)[0]
    cell1.compute_nodes.create(new_node())
    said = []
    assert [one.host for one in discover_hosts(cells, say=said.append)] == ["node-1"]
    assert discover_hosts(cells) == []
    assert cells.for_host("node-1") is cell1
    assert any("node-1" in line for line in said)


def test_hosts_are_discovered_by_service_too(cells):
    cells.cells(include_cell0=False)[0].services.create(new_service("node-7"))
    assert [one.host for one in discover_hosts(cells, by_service=True)] == ["node-7"]


def test_servers_without_mapping_are_mapped_in_parts(cells):
    cell1 = cells.cells(include_cell0=False)[0]
    uuids = []
    for _ in range(3):
        instance = new_instance()
        cell1.instances.create(instance)
        uuids.append(instance.uuid)
    assert map_instances(cells, cell1.mapping.uuid, 2) is True
    assert map_instances(cells, cell1.mapping.uuid, 2) is False
    assert all(cells.for_instance(one) is cell1 for one in uuids)


@pytest.mark.parametrize(
    ("template", "own", "url"),
    [
        ("mysql://u:p@h/db", "mysql://other", "mysql://u:p@h/db"),
        (
            "{scheme}://{username}:{password}@{hostname}:{port}/cell?{query}",
            "mysql+pymysql://u:p@h:3306/nova?charset=utf8",
            "mysql+pymysql://u:p@h:3306/cell?charset=utf8",
        ),
        (
            "rabbit://{username2}:{password2}@{hostname2}:{port2}/cell",
            "rabbit://u1:p1@h1:1,u2:p2@h2:2/",
            "rabbit://u2:p2@h2:2/cell",
        ),
        ("{scheme}:///{path}_x", "sqlite:///nova", "sqlite:///nova_x"),
    ],
)
def test_urls_of_cells_are_filled_from_our_own(template, own, url):
    assert render(template, own) == url


def test_a_template_that_cannot_be_filled_is_refused():
    with pytest.raises(Invalid):
        render("{hostname3}", "rabbit://u:p@h/")
