"""What operations are about: each thing is made by a name, and taken away again.

Ids that a table gives to things are as short as may be; those that are not ours to choose stand in
golden files as "<server>" and the like.
"""

from collections.abc import Callable
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any

from oslo_utils.uuidutils import is_uuid_like

from openkeel import objects
from openkeel.api.versions import LATEST, V
from openkeel.domain.errors import InstanceNotFound
from openkeel.domain.states import VMState
from tests.fixtures.api_client import PROJECT, Caller
from tests.fixtures.cloud import IMAGE, NODES, PATIENCE_S, Cloud
from tests.fixtures.cloud import image as an_image
from tests.fixtures.compute_world import eventually

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl someone"
MY_IMAGE = "22222222-3333-4444-5555-666666666666"

Maker = Callable[["World"], str]
THINGS: dict[str, Maker] = {}


def thing(maker: Maker) -> Maker:
    """Registers a maker under its name; what it returns is the id."""
    THINGS[maker.__name__] = maker
    return maker


class World:
    """A cloud in which things come and go."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.admin, self.member = cloud.admin, cloud.member
        for caller in (self.admin, self.member):
            caller.headers["X-Auth-Token"] = "t"  # proxies pass it on
        self.names = {PROJECT: "<project>", IMAGE: "<image>", MY_IMAGE: "<my image>", SSH_KEY: "<ssh key>"}
        self.names[cloud.network] = "<network>"
        self.public = cloud.neutron.add_network("public", "admin", external=True, cidr="172.24.0.0/24")
        self._lasting: dict[str, str] = {}
        self._here: dict[str, str] = {}
        self._undo = ExitStack()
        self.classes = 0
        self.minor = LATEST  # the version that is being asked

    def id(self, name: str) -> str:
        """The id of a thing, which is made when it is not there."""
        if name not in self._here:
            self._here[name] = found = str(THINGS[name](self))
            if is_uuid_like(found):
                self.names.setdefault(found, f"<{name.replace('_', ' ')}>")
        return self._here[name]

    def lasting(self, name: str, make: Callable[[], str]) -> str:
        """What is made once for all."""
        if name not in self._lasting:
            self._lasting[name] = make()
        return self._lasting[name]

    def clear(self) -> None:
        """Take away what was made since the last time."""
        self._undo.close()
        self._here.clear()

    def then(self, *call: Any) -> None:
        """What takes a thing away again."""
        self._undo.callback(*call)

    def make(self, path: str, body: Any, *, version: str = "2.104", who: Caller | None = None) -> Any:
        """Ask for a thing; what the answer says."""
        answer = (who or self.admin)("POST", f"/v2.1{path}", body, version=version)
        assert answer.status_code < 300, (path, answer.text)
        return answer.json if answer.text else None

    def forget(self, path: str, version: str = "2.104") -> None:
        """Delete a thing if it is there."""
        self.cloud.cinder.server.settle()
        answer = self.admin("DELETE", f"/v2.1{path}", version=version)
        assert answer.status_code in {200, 202, 204, 404}, (path, answer.text)
        self.cloud.cinder.server.settle()

    def booted(self, name: str, **more: Any) -> str:
        """An active server; its uuid."""
        self.cloud.conductor.start()
        return self.cloud.booted(name, **more)

    def rests(self, uuid: str) -> None:
        """Wait until nobody works at a server, be it there or gone; one that nobody builds waits itself."""

        def is_left_alone() -> bool:
            if self.cloud.cells.api.build_requests.find(uuid) is not None:
                return not self.cloud.conductor.is_up
            try:
                row = self.cloud.cells.for_instance(uuid).instances.get(uuid)
            except InstanceNotFound:
                return self.admin("GET", f"/v2.1/servers/{uuid}").status_code == HTTPStatus.NOT_FOUND
            return row.vm_state not in {VMState.BUILDING, VMState.DELETED} and row.task_state is None

        eventually(is_left_alone, PATIENCE_S)

    def forget_server(self, uuid: str) -> None:
        self.admin("DELETE", f"/v2.1/servers/{uuid}")
        self.cloud.gone(uuid)


# Flavors


@thing
def flavor(world: World) -> str:
    body = {"name": "f", "id": "f", "ram": 1, "vcpus": 1, "disk": 0, "description": "d"}
    world.make("/flavors", {"flavor": body})
    world.then(world.forget, "/flavors/f")
    return "f"


@thing
def private_flavor(world: World) -> str:
    body = {"name": "p", "id": "p", "ram": 1, "vcpus": 1, "disk": 0, "os-flavor-access:is_public": False}
    world.make("/flavors", {"flavor": body})
    world.then(world.forget, "/flavors/p")
    return "p"


@thing
def access(world: World) -> str:
    world.make(f"/flavors/{world.id('private_flavor')}/action", {"addTenantAccess": {"tenant": PROJECT}})
    return PROJECT


@thing
def extra_spec(world: World) -> str:
    world.make(f"/flavors/{world.id('flavor')}/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}})
    return "hw:cpu_policy"


# Projects


@thing
def project(_world: World) -> str:
    return PROJECT


@thing
def keypair(world: World) -> str:
    world.make("/os-keypairs", {"keypair": {"name": "k", "public_key": SSH_KEY}})
    world.then(world.forget, "/os-keypairs/k")
    return "k"


@thing
def owner_of_keypair(world: World) -> str:
    """Whose it is: only late versions make them for others."""
    return "another" if world.minor >= V.KEYPAIRS_OF_OTHERS else "admin"


@thing
def quota_class(world: World) -> str:
    """A new one each time: nothing deletes them."""
    world.classes += 1
    name = f"class-{world.classes}"
    world.names[name] = "<quota class>"
    return name


@thing
def quotas(world: World) -> str:
    world.admin("PUT", f"/v2.1/os-quota-sets/{PROJECT}", {"quota_set": {"cores": 5}})
    world.then(world.forget, f"/os-quota-sets/{PROJECT}")
    return PROJECT


@thing
def group(world: World) -> str:
    found = world.make("/os-server-groups", {"server_group": {"name": "g", "policy": "affinity"}})
    world.then(world.forget, f"/os-server-groups/{found['server_group']['id']}")
    return found["server_group"]["id"]


# Hosts


@thing
def host(_world: World) -> str:
    return NODES[1]


@thing
def aggregate(world: World) -> str:
    found = world.make("/os-aggregates", {"aggregate": {"name": "a"}})["aggregate"]["id"]
    world.then(world.forget, f"/os-aggregates/{found}")
    return found


@thing
def host_for_aggregate(world: World) -> str:
    path = f"/v2.1/os-aggregates/{world.id('aggregate')}/action"
    world.then(world.admin, "POST", path, {"remove_host": {"host": NODES[1]}})
    return NODES[1]


@thing
def host_in_aggregate(world: World) -> str:
    path = f"/os-aggregates/{world.id('aggregate')}/action"
    world.make(path, {"add_host": {"host": NODES[1]}})
    world.then(world.admin, "POST", f"/v2.1{path}", {"remove_host": {"host": NODES[1]}})
    return NODES[1]


@thing
def service(world: World) -> str:
    """Of a compute; enabled and up again in the end."""
    found = world.cloud.cell1.services.find(NODES[1], "nova-compute").uuid
    for change in ({"status": "enabled"}, {"forced_down": False}):
        world.then(world.admin, "PUT", f"/v2.1/os-services/{found}", change)
    return found


@thing
def service_or_verb(world: World) -> str:
    """What names a change of a service: once a verb, then the service."""
    found = world.id("service")
    return found if world.minor >= V.UUID_SERVICES else "disable-log-reason"


@thing
def enabled_host(world: World) -> str:
    world.id("service")
    return NODES[1]


@thing
def dead_service(world: World) -> str:
    """The record of a daemon that is no more, by the id of the version."""
    row = objects.Service(
        host="ghost",
        binary="nova-conductor",
        topic="conductor",
        report_count=1,
        disabled=False,
        forced_down=False,
        version=1,
    )
    world.cloud.cell1.services.create(row)
    world.then(world.forget, f"/os-services/{row.uuid}")
    return row.uuid if world.minor >= V.UUID_SERVICES else str(row.id)


# Servers


@thing
def server(world: World) -> str:
    """One and the same for all, with everything about it as it was in the beginning."""
    world.cloud.conductor.start()
    uuid = world.lasting("server", lambda: world.booted("s", networks=[{"uuid": world.cloud.network}]))
    world.names[uuid] = "<server>"
    row = world.cloud.instance(uuid)
    row.display_name, row.display_description, row.hostname = "s", "d", "s"
    row.metadata, row.locked, row.locked_by = {"a": "b"}, False, None
    row.access_ip_v4 = row.access_ip_v6 = None
    row.auto_disk_config = True
    row.vm_state, row.task_state, row.power_state = "active", None, 1
    row.system_metadata = {
        key: value for key, value in row.system_metadata.items() if key not in {"locked_reason", "password_0"}
    }
    world.cloud.cell1.instances.save(row)
    world.cloud.cell1.tags.replace(uuid, ["t"])
    return uuid


@thing
def stopped_server(world: World) -> str:
    uuid = world.id("server")
    stop(world, uuid)
    world.then(world.cloud.settled, uuid, "ACTIVE")
    world.then(world.cloud.act, uuid, "os-start", None, world.admin)
    return uuid


def stop(world: World, uuid: str) -> None:
    world.cloud.act(uuid, "os-stop", None, world.admin)
    world.cloud.settled(uuid, "SHUTOFF")


@thing
def server_to_stop(world: World) -> str:
    uuid = world.id("server")
    world.then(world.cloud.settled, uuid, "ACTIVE")
    world.then(world.cloud.act, uuid, "os-start", None, world.admin)
    return uuid


@thing
def locked_server(world: World) -> str:
    uuid = world.id("server")
    world.cloud.act(uuid, "lock", {"locked_reason": "why"}, world.admin)
    return uuid


@thing
def server_with_password(world: World) -> str:
    uuid = world.id("server")
    row = world.cloud.instance(uuid)
    row.system_metadata = row.system_metadata | {"password_0": "p"}
    world.cloud.cell1.instances.save(row)
    return uuid


@thing
def nobody_builds(world: World) -> str:
    """New servers stay with the API: nothing that it answers depends on how far a build is."""
    if world.cloud.conductor.is_up:
        world.cloud.conductor.stop()
    return ""


@thing
def doomed_server(world: World) -> str:
    uuid = world.booted("doomed")
    world.then(world.forget_server, uuid)
    return uuid


# What other services have


@thing
def network(world: World) -> str:
    return world.cloud.network


@thing
def image(_world: World) -> str:
    return IMAGE


@thing
def my_image(world: World) -> str:
    world.cloud.glance.add(
        an_image(MY_IMAGE, name="mine", visibility="private", owner=PROJECT, properties={"a": "b"})
    )
    return MY_IMAGE


@thing
def volume(world: World) -> str:
    found = world.make("/os-volumes", {"volume": {"size": 1}}, version="2.35")["volume"]["id"]
    world.cloud.cinder.server.settle()
    world.then(world.forget, f"/os-volumes/{found}", "2.35")
    return found


@thing
def snapshot(world: World) -> str:
    body = {"snapshot": {"volume_id": world.id("volume")}}
    found = world.make("/os-snapshots", body, version="2.35")["snapshot"]["id"]
    world.cloud.cinder.server.settle()
    world.then(world.forget, f"/os-snapshots/{found}", "2.35")
    return found


@thing
def security_group(world: World) -> str:
    body = {"security_group": {"name": "web", "description": "d"}}
    found = world.make("/os-security-groups", body, version="2.35")["security_group"]["id"]
    world.then(world.forget, f"/os-security-groups/{found}", "2.35")
    return found


@thing
def security_rule(world: World) -> str:
    body = {"parent_group_id": world.id("security_group"), "ip_protocol": "tcp", "from_port": 1, "to_port": 2}
    found = world.make("/os-security-group-rules", {"security_group_rule": body}, version="2.35")
    return found["security_group_rule"]["id"]


@thing
def group_of_server(world: World) -> str:
    world.id("security_group")
    world.make(f"/servers/{world.id('server')}/action", {"addSecurityGroup": {"name": "web"}})
    world.then(
        world.admin,
        "POST",
        f"/v2.1/servers/{world.id('server')}/action",
        {"removeSecurityGroup": {"name": "web"}},
    )
    return "web"


@thing
def group_for_server(world: World) -> str:
    world.id("security_group")
    path = f"/v2.1/servers/{world.id('server')}/action"
    world.then(world.admin, "POST", path, {"removeSecurityGroup": {"name": "web"}})
    return "web"


@thing
def floating_ip(world: World) -> str:
    found = world.make("/os-floating-ips", {"pool": "public"}, version="2.35")["floating_ip"]
    world.then(world.forget, f"/os-floating-ips/{found['id']}", "2.35")
    world._here["address"] = found["ip"]
    world.names[found["ip"]] = "<floating address>"
    return found["id"]


@thing
def address(world: World) -> str:
    world.id("floating_ip")
    return world._here["address"]


@thing
def fixed_address(world: World) -> str:
    """That of the server's only port."""
    (network,) = world.cloud.show(world.id("server"))["addresses"].values()
    return network[0]["addr"]


@thing
def address_of_server(world: World) -> str:
    found = world.id("address")
    path = f"/servers/{world.id('server')}/action"
    world.make(path, {"addFloatingIp": {"address": found}}, version="2.43")
    return found
