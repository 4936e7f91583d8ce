"""openkeel-manage from an empty disk to a cell with a host: what it prints and how it exits."""

from openkeel.db import migrate
from openkeel.db.cells import CELL0_UUID
from tests.fixtures.db import new_instance
from tests.unit.db.test_cell_stores import new_node, new_service


def test_both_databases_and_cell0_come_to_the_last_revision(manage, deployment, tmp_path):
    assert manage("api_db", "version") == (0, f"{migrate.head('api')}\n")
    assert manage("db", "version") == (0, f"{migrate.head('main')}\n")
    assert (tmp_path / "main_cell0.sqlite").exists()


def test_without_cell0_only_the_local_cell_is_synced(manage):
    assert manage("db", "sync")[0] == 1, "where cell0 is cannot be known"
    assert manage("api_db", "sync")[0] == 0
    assert "cell0" in manage("db", "sync")[1]
    assert manage("db", "version") == (0, f"{migrate.head('main')}\n")


def test_cells_are_listed_without_their_passwords(manage, deployment):
    code, out = manage("cell_v2", "list_cells")
    assert code == 0
    assert CELL0_UUID in out
    assert deployment in out
    assert "secret" not in out
    assert "secret" in manage("cell_v2", "list_cells", "--verbose")[1]


def test_a_second_cell_on_the_same_database_is_refused(manage, deployment):
    assert manage("cell_v2", "create_cell", "--transport-url", "rabbit://other/")[0] == 2
    assert manage("cell_v2", "map_cell0")[0] == 0


def test_a_cell_without_a_database_is_refused(manage, deployment):
    before = manage("cell_v2", "list_cells")
    nowhere = ("--database_connection", "junk", "--transport-url", "rabbit://other/")
    assert manage("cell_v2", "create_cell", *nowhere)[0] == 1
    assert manage("cell_v2", "update_cell", "--cell_uuid", deployment, *nowhere)[0] == 2
    assert manage("cell_v2", "list_cells") == before


def test_hosts_are_discovered_listed_and_taken_out(manage, deployment, cell):
    assert manage("cell_v2", "discover_hosts", "--strict")[0] == 1
    cell.services.create(new_service())
    cell.compute_nodes.create(new_node())
    assert manage("cell_v2", "discover_hosts", "--strict")[0] == 0
    assert "node-1" in manage("cell_v2", "list_hosts", "--cell_uuid", deployment)[1]
    assert manage("cell_v2", "delete_cell", "--cell_uuid", deployment)[0] == 2
    assert manage("cell_v2", "delete_host", "--cell_uuid", deployment, "--host", "node-9")[0] == 2
    assert manage("cell_v2", "delete_host", "--cell_uuid", CELL0_UUID, "--host", "node-1")[0] == 3
    assert manage("cell_v2", "delete_host", "--cell_uuid", deployment, "--host", "node-1")[0] == 0
    assert manage("cell_v2", "delete_cell", "--cell_uuid", deployment)[0] == 0
    assert manage("cell_v2", "delete_cell", "--cell_uuid", deployment)[0] == 1


def test_cells_are_changed(manage, deployment):
    def update(*words):
        return manage("cell_v2", "update_cell", "--cell_uuid", deployment, *words)[0]

    assert update("--name", "renamed", "--disable") == 0
    assert "renamed" in manage("cell_v2", "list_cells")[1]
    assert update("--enable", "--disable") == 4
    assert manage("cell_v2", "update_cell", "--cell_uuid", CELL0_UUID, "--disable")[0] == 5
    assert manage("cell_v2", "update_cell", "--cell_uuid", CELL0_UUID)[0] == 3
    assert manage("cell_v2", "update_cell", "--cell_uuid", "unknown")[0] == 1


def test_simple_setup_makes_cells_and_maps_hosts(manage, cell):
    assert manage("api_db", "sync")[0] == 0
    assert manage("db", "sync", "--local_cell")[0] == 0
    assert manage("cell_v2", "simple_cell_setup")[0] == 1, "no host has reported yet"
    cell.services.create(new_service())
    cell.compute_nodes.create(new_node())
    assert manage("cell_v2", "simple_cell_setup")[0] == 0
    assert "node-1" in manage("cell_v2", "list_hosts")[1]
    assert manage("cell_v2", "simple_cell_setup")[0] == 0


def test_a_server_is_verified_by_exit_code(manage, deployment, cell):
    instance = new_instance()
    cell.instances.create(instance)
    assert manage("cell_v2", "verify_instance", "--uuid", instance.uuid)[0] == 1
    assert manage("cell_v2", "map_instances", "--cell_uuid", deployment, "--max-count", "0")[0] == 127
    assert manage("cell_v2", "map_instances", "--cell_uuid", deployment)[0] == 0
    assert manage("cell_v2", "verify_instance", "--uuid", instance.uuid, "--quiet") == (0, "")
    cell.instances.destroy(instance)
    assert manage("cell_v2", "verify_instance", "--uuid", instance.uuid)[0] == 3
    cell.instances.purge(instance.uuid)
    assert manage("cell_v2", "verify_instance", "--uuid", instance.uuid)[0] == 4
