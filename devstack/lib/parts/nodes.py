"""The emulated nodes: a network namespace each, with Open vSwitch (netdev datapath) and ovn-controller.

Two wires join them: `u` carries geneve (br-phy), `x` is the outside network "public" (br-ex). The first
node is the hub.
"""

from itertools import pairwise
from typing import Final
from uuid import uuid4

from devstack.lib.part import Part, Program
from devstack.lib.parts.ovn import LOGGING, controllable, create_database, database_server, southbound
from devstack.lib.shell import Shell, output
from devstack.lib.site import NODES, Site

SCHEMA: Final = "/usr/share/openvswitch/vswitch.ovsschema"
UNDERLAY: Final = "172.31.77"
BRIDGES: Final = {"u": "br-phy", "x": "br-ex"}


def _lay_wires(site: Site, shell: Shell) -> None:
    present = (output("ip", "netns", "list") or "").split()
    for node in NODES:
        space = site.namespace(node)
        if space not in present:
            shell.run("ip", "netns", "add", space)
            shell.run("ip", "-n", space, "link", "set", "lo", "up")
    for near, far in pairwise(NODES):
        here, there = site.namespace(near), site.namespace(far)
        for wire in BRIDGES:
            ends = ((here, f"{wire}-{far}"), (there, f"{wire}-{near}"))
            if output("ip", "-n", here, "link", "show", ends[0][1]) is None:
                shell.run(
                    *("ip", "-n", here, "link", "add", ends[0][1], "type", "veth"),
                    *("peer", "name", ends[1][1], "netns", there),
                )
            for space, device in ends:
                shell.run("ip", "-n", space, "link", "set", device, "up")
                # The user-space datapath does not fill in checksums that the kernel left open.
                shell.run("ip", "netns", "exec", space, "ethtool", "-K", device, "tx", "off")


def remove_namespaces(site: Site) -> None:
    """Take the nodes' namespaces away, and the wires with them."""
    for node in NODES:
        output("ip", "netns", "delete", site.namespace(node))


def _database_program(site: Site, node: str) -> Program:
    folder = site.node(node)
    return Program(database_server(folder, "ovsdb", "conf.db", f"punix:{folder}/db.sock"))


def _switch_program(site: Site, node: str) -> Program:
    folder = site.node(node)
    return Program(
        (
            *("/usr/sbin/ip", "netns", "exec", site.namespace(node), "/usr/sbin/ovs-vswitchd"),
            f"unix:{folder}/db.sock",
            *LOGGING,
            "--no-chdir",
            f"--pidfile={folder}/vswitchd.pid",
            f"--unixctl={folder}/vswitchd.ctl",
            "--disable-system",
        ),
        environment={"OVS_RUNDIR": str(folder)},
    )


def _controller_program(site: Site, node: str) -> Program:
    folder = site.node(node)
    return Program(
        (
            *("/usr/sbin/ip", "netns", "exec", site.namespace(node), "/usr/bin/ovn-controller"),
            f"unix:{folder}/db.sock",
            *LOGGING,
            "--no-chdir",
            f"--pidfile={folder}/controller.pid",
        ),
        # Its control socket and br-int's management socket are looked for here.
        environment={"OVN_RUNDIR": str(folder), "OVS_RUNDIR": str(folder)},
    )


def _initialize_switch(site: Site, node: str) -> bool:
    """The switch's own row; answers whether its database is up."""
    return (
        output("ovs-vsctl", f"--db=unix:{site.node(node)}/db.sock", "--timeout=5", "--no-wait", "init")
        is not None
    )


def _lay_bridges(site: Site, shell: Shell, node: str) -> None:
    number = NODES.index(node) + 1
    space = site.namespace(node)
    vsctl = ("ovs-vsctl", f"--db=unix:{site.node(node)}/db.sock", "--timeout=20")
    identity = {
        "system-id": node,
        "hostname": node,  # what a compute writes into binding:host_id
        "ovn-remote": southbound(site),
        "ovn-encap-type": "geneve",
        "ovn-encap-ip": f"{UNDERLAY}.{number}",
        "ovn-bridge": "br-int",
        "ovn-bridge-datapath-type": "netdev",
        "ovn-bridge-mappings": "public:br-ex",
        "ovn-cms-options": "enable-chassis-as-gw",
        "ovn-monitor-all": "true",
        "ovn-openflow-probe-interval": "60",
        "ovn-remote-probe-interval": "60000",
        # ovs-vsctl waits for the switch only if something changes; after a restart the bridges are in its
        # database before the switch has made their devices.
        "keel-laid": uuid4().hex,
    }
    shell.run(*vsctl, "set", "open", ".", *(f"external_ids:{k}={v}" for k, v in identity.items()))
    shell.run(
        *(*vsctl, "--may-exist", "add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=netdev"),
        *("fail_mode=secure", "other_config:disable-in-band=true"),
    )
    for wire, bridge in BRIDGES.items():
        shell.run(
            *vsctl, "--may-exist", "add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev"
        )
        for neighbour in NODES:
            if abs(NODES.index(neighbour) + 1 - number) == 1:
                shell.run(*vsctl, "--may-exist", "add-port", bridge, f"{wire}-{neighbour}")
        shell.run("ip", "-n", space, "link", "set", bridge, "up")
    shell.run("ip", "-n", space, "address", "replace", f"{UNDERLAY}.{number}/24", "dev", "br-phy")


def _is_chassis(site: Site, node: str) -> bool:
    found = output(
        *("ovn-sbctl", f"--db={southbound(site)}", "--timeout=5", "--bare", "--columns=name"),
        *("find", "chassis", f"hostname={node}"),
    )
    return bool(found and found.strip())


def _parts(node: str) -> tuple[Part, ...]:
    return (
        Part(
            name=f"ovsdb-{node}",
            group="network",
            needs=("packages", "openkeel-environment"),
            setup=lambda site, shell: create_database(shell, site.node(node) / "conf.db", SCHEMA),
            program=lambda site: _database_program(site, node),
            ready=lambda site: _initialize_switch(site, node),
        ),
        Part(
            name=f"vswitchd-{node}",
            group="network",
            needs=("wires", f"ovsdb-{node}"),
            program=lambda site: _switch_program(site, node),
            ready=lambda site: controllable(site.node(node) / "vswitchd.ctl"),
        ),
        Part(
            name=f"bridges-{node}",
            group="network",
            needs=(f"vswitchd-{node}",),
            prepare=lambda site, shell: _lay_bridges(site, shell, node),
        ),
        Part(
            name=f"ovn-controller-{node}",
            group="network",
            needs=("ovn-northd", f"bridges-{node}"),
            program=lambda site: _controller_program(site, node),
            ready=lambda site: _is_chassis(site, node),
        ),
    )


PARTS = (
    Part(name="wires", group="network", needs=("packages",), prepare=_lay_wires),
    *(part for node in NODES for part in _parts(node)),
)
