"""What Nova is asked to make: servers in many states, and all that lists show beside them."""

from collections.abc import Sequence
from typing import Any, Final

from keystoneauth1 import exceptions

from tests.interop.client import MICROVERSION, Client, eventually
from tests.interop.takeover.reading import World

KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me"
_HUGE_MIB: Final = 64 * 1024 * 1024


class Filling:
    """Makes it through the API, and remembers what there is to ask for."""

    def __init__(self, admin: Client, demo: Client, nodes: Sequence[str]) -> None:
        self.admin, self.demo, self.nodes = admin, demo, nodes
        self.world = World()
        self.servers: dict[str, str] = {}
        self._image = admin.image("keel-test")
        self._network = admin.network("private")

    def everything(self) -> World:
        """In an order in which each finds what it needs."""
        self._flavors()
        self._keypairs()
        self._aggregates()
        self._groups()
        self._quotas()
        self._servers()
        self._hosts()
        self._names()
        return self.world

    # Before servers

    def _flavors(self) -> None:
        def flavor(name: str, version: str = MICROVERSION, **more: Any) -> str:
            body = {"name": name, "ram": 512, "vcpus": 1, "disk": 1, **more}
            return str(self.admin.request("POST", "/flavors", {"flavor": body}, version)["flavor"]["id"])

        def specs(flavor_id: str, **found: str) -> None:
            path = f"/flavors/{flavor_id}/os-extra_specs"
            self.admin.request("POST", path, {"extra_specs": found})

        small = flavor("small", id="1")
        big = flavor(
            "big",
            ram=1024,
            vcpus=2,
            disk=2,
            swap=64,
            description="twice as much",
            rxtx_factor=2.0,
            version="2.101",
        )
        secret = flavor("secret", **{"os-flavor-access:is_public": False, "OS-FLV-EXT-DATA:ephemeral": 1})
        huge = flavor("huge", ram=_HUGE_MIB, vcpus=1)
        specs(small, **{"hw:cpu_policy": "shared"})
        specs(big, **{"hw:cpu_policy": "shared", "hw:watchdog_action": "none"})
        project = self.demo.session.get_project_id()
        self.admin.request("POST", f"/flavors/{secret}/action", {"addTenantAccess": {"tenant": project}})
        gone = flavor("gone")
        self.admin.request("DELETE", f"/flavors/{gone}")
        self.small, self.big, self.secret, self.huge = small, big, secret, huge
        self.world.ids["flavor"] = [small, big, secret, gone]
        self.world.ids["extra_spec"] = ["hw:cpu_policy", "hw:nothing"]

    def _keypairs(self) -> None:
        for client in (self.admin, self.demo):
            for name in ("ours", "other key", "gone"):
                client.request(
                    "POST", "/os-keypairs", {"keypair": {"name": name, "type": "ssh", "public_key": KEY}}
                )
            client.request("DELETE", "/os-keypairs/gone")
        self.world.ids["keypair"] = ["ours", "gone"]

    def _aggregates(self) -> None:
        def aggregate(name: str, zone: str | None, host: str | None, **metadata: str) -> str:
            body = {"aggregate": {"name": name, "availability_zone": zone}}
            found = str(self.admin.request("POST", "/os-aggregates", body)["aggregate"]["id"])
            act = f"/os-aggregates/{found}/action"
            if host:
                self.admin.request("POST", act, {"add_host": {"host": host}})
            if metadata:
                self.admin.request("POST", act, {"set_metadata": {"metadata": metadata}})
            return found

        zoned = aggregate("zoned", "zone-1", self.nodes[0], color="red", size="1")
        plain = aggregate("plain", None, self.nodes[1])
        empty = aggregate("empty", None, None)
        gone = aggregate("gone", None, None)
        self.admin.request("DELETE", f"/os-aggregates/{gone}")
        self.world.ids["aggregate"] = [zoned, plain, empty, gone]

    def _groups(self) -> None:
        def group(client: Client, name: str, policy: str, **more: Any) -> str:
            body = {"server_group": {"name": name, "policy": policy, **more}}
            return str(client.request("POST", "/os-server-groups", body)["server_group"]["id"])

        self.group = group(self.demo, "apart", "anti-affinity", rules={"max_server_per_host": 3})
        together = group(self.demo, "together", "affinity")
        admins = group(self.admin, "soft", "soft-affinity")
        gone = group(self.admin, "gone", "soft-anti-affinity")
        self.admin.request("DELETE", f"/os-server-groups/{gone}")
        self.world.ids["server_group"] = [self.group, together, admins, gone]

    def _quotas(self) -> None:
        project, user = self.demo.session.get_project_id(), self.demo.session.get_user_id()
        limits = {"instances": 77, "cores": 99, "ram": -1, "key_pairs": 5}
        self.admin.request("PUT", f"/os-quota-sets/{project}", {"quota_set": limits})
        self.admin.request(
            "PUT", f"/os-quota-sets/{project}?user_id={user}", {"quota_set": {"instances": 70}}
        )
        self.admin.request("PUT", "/os-quota-class-sets/default", {"quota_class_set": {"server_groups": 12}})
        self.world.ids["project"] = [project, self.admin.session.get_project_id()]
        self.world.ids["user"] = [user]
        self.world.ids["quota_class"] = ["default", "other"]

    # Servers

    def boot(self, client: Client, name: str, status: str = "ACTIVE", **more: Any) -> str:
        hints = more.pop("hints", None)
        server = {
            "name": name,
            "flavorRef": self.small,
            "imageRef": self._image,
            "networks": "none",
            **more,
        }
        body = {"server": server, **({"OS-SCH-HNT:scheduler_hints": hints} if hints else {})}
        found = str(client.request("POST", "/servers", body)["server"]["id"])
        self.servers[name] = found
        self.admin.await_status(found, status)
        return found

    def _servers(self) -> None:
        boot, demo, admin = self.boot, self.demo, self.admin
        port = [{"uuid": self._network}]
        first = boot(
            demo,
            "kept 1",
            networks=port,
            key_name="ours",
            metadata={"role": "web", "empty": ""},
            tags=["red", "blue"],
            description="what it is for",
            user_data="aGVsbG8=",
            config_drive=True,
            accessIPv4="192.0.2.7",
        )
        boot(demo, "kept 2", networks=port, flavorRef=self.big, tags=["red"], hints={"group": self.group})
        boot(demo, "kept 3", flavorRef=self.secret, hostname="kept-three", availability_zone="zone-1")
        boot(admin, "admins", tags=["green"])
        stopped = boot(demo, "stopped")
        demo.stop(stopped)
        for name, action, status in (
            ("paused", "pause", "PAUSED"),
            ("suspended", "suspend", "SUSPENDED"),
            ("shelved", "shelve", "SHELVED_OFFLOADED"),
        ):
            found = boot(demo, name)
            admin.act(found, action)
            admin.await_status(found, status)
        locked = boot(demo, "locked")
        demo.act(locked, "lock", {"locked_reason": "not to be touched"})
        moved = boot(demo, "moved")
        admin.act(moved, "resize", {"flavorRef": self.big})
        admin.await_status(moved, "VERIFY_RESIZE")
        confirmed = boot(demo, "confirmed")
        admin.act(confirmed, "resize", {"flavorRef": self.big})
        admin.await_status(confirmed, "VERIFY_RESIZE")
        admin.act(confirmed, "confirmResize")
        admin.await_status(confirmed, "ACTIVE")
        reset = boot(admin, "reset")
        admin.act(reset, "os-resetState", {"state": "error"})
        boot(demo, "nowhere", "ERROR", flavorRef=self.huge, tags=["red"], metadata={"role": "lost"})
        self._several()
        for client in (demo, admin):
            dead = boot(client, "dead", networks=port, metadata={"was": "here"})
            client.delete(dead)
        lost = boot(demo, "lost", "ERROR", flavorRef=self.huge)
        demo.request("DELETE", f"/servers/{lost}")
        demo.await_gone(lost)
        demo.request("PUT", f"/servers/{first}", {"server": {"name": "kept 1 renamed"}})
        demo.request("PUT", f"/servers/{first}/metadata/role", {"meta": {"role": "db"}})
        self.world.ids |= {
            "server": [*self.servers.values(), "00000000-0000-0000-0000-000000000001"],
            "some_server": [first, moved, self.servers["nowhere"], dead],
            "moved": [moved],
            "metadata_key": ["role", "nothing"],
            "tag": ["red", "nothing"],
            "network_name": ["private", "nothing"],
        }

    def _several(self) -> None:
        body = {
            "server": {
                "name": "several",
                "flavorRef": self.small,
                "imageRef": self._image,
                "networks": "none",
                "min_count": 2,
                "return_reservation_id": True,
            }
        }
        self.world.ids["reservation"] = [self.demo.request("POST", "/servers", body)["reservation_id"]]

        def both() -> list[str] | None:
            rows = self.demo.get("/servers/detail?name=several")["servers"]
            return [row["id"] for row in rows] if all(row["status"] == "ACTIVE" for row in rows) else None

        for number, found in enumerate(eventually(both, 400, "both servers are active")):
            self.servers[f"several {number}"] = found

    # After servers

    def _hosts(self) -> None:
        services = self.admin.services()
        service = services["nova-compute", self.nodes[1]]["id"]
        reason = {"status": "disabled", "disabled_reason": "for a while"}
        self.admin.request("PUT", f"/os-services/{service}", reason)
        rows = self.admin.get("/os-hypervisors/detail")["hypervisors"]
        ids = [str(row["id"]) for row in rows]
        old = self.admin.get("/os-hypervisors", version="2.37")["hypervisors"]
        self.world.ids |= {
            "hypervisor": [*ids, str(old[0]["id"]), old[0]["hypervisor_hostname"], "nothing"],
            "hypervisor_uuid": ids[:1],
            "host": [*self.nodes, "nothing"],
        }

    def _names(self) -> None:
        ids = self.world.ids
        requests = [
            row["request_id"]
            for server in ids["some_server"][:2]
            for row in self.admin.get(f"/servers/{server}/os-instance-actions")["instanceActions"][:2]
        ]
        extensions = self.admin.get("/extensions")["extensions"]
        ports = self.admin.other("network", f"/v2.0/ports?device_id={ids['some_server'][0]}")["ports"]
        ids |= {
            "request": [*requests, "req-unknown"],
            "extension": [extensions[0]["alias"], "os-nothing"],
            "version": ["v2.1", "v2.0", "v9"],
            "moment": ["2020-01-01 00:00:00", "nonsense"],
            "token": ["11111111-2222-3333-4444-555555555555"],
            "image": [self._image, "11111111-2222-3333-4444-555555555555"],
            "image_key": ["nothing"],
            "network": [self._network, "11111111-2222-3333-4444-555555555555"],
            "security_group": ["11111111-2222-3333-4444-555555555555"],
            "floating_ip": ["11111111-2222-3333-4444-555555555555"],
            "migration": ["1"],
            "port": [*(port["id"] for port in ports), "11111111-2222-3333-4444-555555555555"],
            "volume": ["11111111-2222-3333-4444-555555555555"],
            "metal": ["11111111-2222-3333-4444-555555555555"],
            "share": ["11111111-2222-3333-4444-555555555555"],
        }

    def remove_servers(self) -> None:
        """Through whichever API serves now; fine with what is gone."""
        for row in self.admin.get("/servers?all_tenants=1")["servers"]:
            try:
                self.admin.act(row["id"], "unlock")
                self.admin.request("DELETE", f"/servers/{row['id']}")
            except exceptions.NotFound:
                continue
        eventually(lambda: not self.admin.get("/servers?all_tenants=1")["servers"], 400, "no server is left")
