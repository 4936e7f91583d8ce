"""A deployment on SQLite files, and openkeel-manage beside it."""

import pytest

from openkeel.cmd.manage import main
from openkeel.db.cells import CellStores
from openkeel.db.session import Database, DatabaseSettings


@pytest.fixture
def manage(tmp_path, capsys, caplog):
    conf = tmp_path / "openkeel.conf"
    conf.write_text(
        f"[DEFAULT]\nstate_path={tmp_path}\ntransport_url=rabbit://user:secret@127.0.0.1/\n"
        f"[database]\nconnection=sqlite:///{tmp_path}/main.sqlite\n"
        f"[api_database]\nconnection=sqlite:///{tmp_path}/api.sqlite\n"
    )

    def run(*words):
        capsys.readouterr()
        code = main(["--config-file", str(conf), *words])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def deployment(manage):
    """Both databases, cell0 and one cell."""
    assert manage("api_db", "sync")[0] == 0
    assert manage("cell_v2", "map_cell0")[0] == 0
    assert manage("db", "sync")[0] == 0
    code, out = manage("cell_v2", "create_cell", "--name", "cell1", "--verbose")
    assert code == 0
    return out.strip()


@pytest.fixture
def cell(tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/main.sqlite"))
    yield CellStores(database)
    database.dispose()
