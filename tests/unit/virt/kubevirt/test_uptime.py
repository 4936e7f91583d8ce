"""The uptime line of a node."""

from datetime import UTC, datetime

import pytest

from openkeel.virt.kubevirt.uptime import uptime_line

NOW = datetime(2026, 11, 29, 9, 8, 7, tzinfo=UTC)
BOOT = "56f3421a-1c6d-4d38-bd12-7f82b23f2071"


@pytest.fixture
def proc(tmp_path):
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text(f"{BOOT}\n")
    (tmp_path / "loadavg").write_text("0.52 1.25 2.00 3/512 4711\n")

    def up(seconds):
        (tmp_path / "uptime").write_text(f"{seconds} 12.00\n")
        return tmp_path

    return up


@pytest.mark.parametrize(
    ("seconds", "since"),
    [
        ("59.99", "0 min"),
        ("3599.00", "59 min"),
        ("3600.00", " 1:00"),
        ("86399.00", "23:59"),
        ("86400.00", "1 day, 0 min"),
        ("266460.00", "3 days,  2:01"),
    ],
)
def test_reads_as_the_command_prints_it(proc, seconds, since):
    wanted = f" 09:08:07 up {since},  0 users,  load average: 0.52, 1.25, 2.00"
    assert uptime_line(BOOT.upper(), NOW, proc(seconds)) == wanted


@pytest.mark.parametrize("of_node", ["00000000-0000-0000-0000-000000000000", ""])
def test_another_machine_knows_nothing_of_the_node(proc, of_node):
    assert uptime_line(of_node, NOW, proc("60.00")) is None


def test_without_proc_nothing_is_known(tmp_path):
    assert uptime_line(BOOT, NOW, tmp_path) is None
