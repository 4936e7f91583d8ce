"""The commands that plug a port, gathered per node."""

import asyncio
import json

from devstack.cluster.bridges import OvsBridges, Plug


class RecordedBridges(OvsBridges):
    """Remembers what would be run; a word that fails spoils its transaction."""

    def __init__(self, poison="", present=()):
        super().__init__("/run/ovs/{node}")
        self.commands = []
        self.ran = asyncio.Event()
        self._poison, self._present = poison, present

    async def _vsctl(self, node, words):
        await asyncio.sleep(0)
        if "find" in words:
            return json.dumps({"data": [[name] for name in self._present]}).encode(), ""
        self.commands.append((node, words))
        self.ran.set()
        return b"", "ovs-vsctl: bad port" if self._poison and any(
            self._poison in word for word in words
        ) else ""


def plug(number, node="node-1"):
    return Plug(node, f"{number:08d}-1234-5678", f"fa:16:3e:00:00:{number:02d}", f"machine-{number}", 1442)


def run(bridges, *plugs):
    told = {}

    async def work():
        for each in plugs:
            bridges.plug([each], lambda error, each=each: told.update({each.port_id: error}))
        await bridges.close()

    asyncio.run(work())
    return told


def test_a_port_carries_what_ovn_looks_for():
    bridges = RecordedBridges()
    run(bridges, plug(1))
    node, words = bridges.commands[0]
    assert node == "node-1"
    assert words[:6] == ["--may-exist", "add-port", "br-int", "tap00000001-12", "--", "set"]
    assert "external_ids:iface-id=00000001-1234-5678" in words
    assert 'external_ids:attached-mac="fa:16:3e:00:00:01"' in words
    assert "type=internal" in words


def test_ports_asked_for_together_share_one_command_per_node():
    bridges = RecordedBridges()
    told = run(bridges, *(plug(number) for number in range(20)), plug(20, "node-2"))
    assert set(told.values()) == {""}
    assert sorted(node for node, _ in bridges.commands) == ["node-1", "node-2"]


def test_one_bad_port_fails_alone():
    bridges = RecordedBridges(poison="00000002")
    told = run(bridges, plug(1), plug(2), plug(3))
    assert [told[plug(number).port_id] for number in (1, 2, 3)] == ["", "ovs-vsctl: bad port", ""]


def test_after_a_restart_stale_ports_go_and_missing_ones_come():
    bridges = RecordedBridges(present=["tapstale", plug(1).device])

    async def work():
        bridges.settle(["node-1"], [plug(1), plug(2)])
        async with asyncio.timeout(5):
            await bridges.ran.wait()
        await bridges.close()

    asyncio.run(work())
    words = bridges.commands[0][1]
    assert words[:4] == ["--if-exists", "del-port", "br-int", "tapstale"]
    assert plug(2).device in words
    assert plug(1).device not in words


def test_the_database_of_a_node_is_found_by_its_name():
    assert OvsBridges("/run/ovs/{node}")._socket("node-7") == "/run/ovs/node-7/db.sock"
    assert OvsBridges("/run/{node}.sock")._socket("node-7") == "/run/node-7.sock"


def test_nothing_to_plug_is_done_at_once():
    told = []
    OvsBridges("/nowhere").plug([], told.append)
    assert told == [""]
