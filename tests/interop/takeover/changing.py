"""What is done to a deployment that the other kind of daemon made.

Every noun a database holds is changed, added and removed by both, so that each reads what the other wrote.
"""

from typing import Any

import pytest
from keystoneauth1 import exceptions

from tests.interop.takeover.filling import KEY, Filling


class Changing:
    """Works with whichever API serves now. Raises when something refuses or does not come to pass."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling
        self._admin, self._demo = filling.admin, filling.demo
        self._servers, self._ids = filling.servers, filling.world.ids

    # OpenKeel, on what Nova made

    def by_openkeel(self) -> None:
        """All that OpenKeel can do by now."""
        self._names_late()
        self._flavors_late()
        self._aggregates_late()
        self._groups_late()
        self._quotas_late()
        self._hosts_late()
        self._servers_late()
        servers = self._servers
        self._ids["server"] = [*servers.values()]
        self._ids["some_server"] = [
            servers[name] for name in ("made by openkeel", "kept 2", "kept 3", "reset")
        ]

    def _names_late(self) -> None:
        self._demo.request("DELETE", "/os-keypairs/other%20key")
        for client in (self._admin, self._demo):
            client.request(
                "POST", "/os-keypairs", {"keypair": {"name": "late", "type": "ssh", "public_key": KEY}}
            )
        self._ids["keypair"] += ["late"]

    def _flavors_late(self) -> None:
        filling, admin = self._filling, self._admin
        body = {"name": "late", "ram": 256, "vcpus": 1, "disk": 1, "description": "d"}
        late = str(
            admin.request("POST", "/flavors", {"flavor": body | {"os-flavor-access:is_public": False}})[
                "flavor"
            ]["id"]
        )
        admin.request("POST", f"/flavors/{late}/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}})
        project = {"tenant": self._demo.session.get_project_id()}
        admin.request("POST", f"/flavors/{late}/action", {"addTenantAccess": project})
        admin.request("POST", f"/flavors/{filling.secret}/action", {"removeTenantAccess": project})
        admin.request("PUT", f"/flavors/{filling.big}", {"flavor": {"description": "still twice as much"}})
        admin.request(
            "PUT",
            f"/flavors/{filling.big}/os-extra_specs/hw:watchdog_action",
            {"hw:watchdog_action": "reset"},
        )
        admin.request("DELETE", f"/flavors/{filling.small}/os-extra_specs/hw:cpu_policy")
        self._ids["flavor"] += [late]
        self.late_flavor = late

    def _aggregates_late(self) -> None:
        zoned, plain, empty, _ = self._ids["aggregate"]
        self._admin.request("PUT", f"/os-aggregates/{plain}", {"aggregate": {"name": "plain too"}})
        self._act(f"/os-aggregates/{plain}", "remove_host", {"host": self._filling.nodes[1]})
        self._act(f"/os-aggregates/{zoned}", "set_metadata", {"metadata": {"size": None, "color": "green"}})
        self._admin.request("DELETE", f"/os-aggregates/{empty}")
        body = {"aggregate": {"name": "late", "availability_zone": None}}
        late = str(self._admin.request("POST", "/os-aggregates", body)["aggregate"]["id"])
        self._act(f"/os-aggregates/{late}", "add_host", {"host": self._filling.nodes[1]})
        self._act(f"/os-aggregates/{late}", "set_metadata", {"metadata": {"kind": "late"}})
        self._ids["aggregate"] += [late]
        self.late_aggregate = late
        self.refusal = self._zone_is_refused()

    def _zone_is_refused(self) -> int:
        """A host with servers goes to no other zone, whoever made them; with what status it is refused."""
        path = f"/os-aggregates/{self.late_aggregate}"
        with pytest.raises(exceptions.HTTPClientError) as refused:
            self._admin.request("PUT", path, {"aggregate": {"availability_zone": "zone-2"}})
        return int(refused.value.http_status)

    def _groups_late(self) -> None:
        self._demo.request("DELETE", f"/os-server-groups/{self._ids['server_group'][1]}")
        body = {"server_group": {"name": "late", "policy": "soft-anti-affinity"}}
        self.late_group = str(self._demo.request("POST", "/os-server-groups", body)["server_group"]["id"])
        self._ids["server_group"] += [self.late_group]

    def _quotas_late(self) -> None:
        project, user = self._demo.session.get_project_id(), self._demo.session.get_user_id()
        self._admin.request(
            "PUT", f"/os-quota-sets/{project}", {"quota_set": {"instances": 78, "server_groups": 9}}
        )
        self._admin.request("DELETE", f"/os-quota-sets/{project}?user_id={user}")
        self._admin.request("PUT", "/os-quota-class-sets/default", {"quota_class_set": {"cores": 123}})

    def _hosts_late(self) -> None:
        """The host that Nova disabled serves again."""
        service = self._admin.services()["nova-compute", self._filling.nodes[1]]["id"]
        self._admin.request("PUT", f"/os-services/{service}", {"status": "enabled"})

    def _servers_late(self) -> None:
        filling, admin, demo, servers = self._filling, self._admin, self._demo, self._servers
        filling.boot(
            demo,
            "made by openkeel",
            networks=[{"uuid": admin.network("private")}],
            key_name="late",
            flavorRef=self.late_flavor,
            metadata={"made": "by openkeel"},
            tags=["late"],
            description="a server",
            config_drive=True,
            hints={"group": self.late_group},
        )
        filling.boot(demo, "beside nova's", hints={"group": filling.group})
        demo.stop(servers["made by openkeel"])
        filling.boot(demo, "nowhere either", "ERROR", flavorRef=filling.huge)
        filling.boot(admin, "dead after a while")
        admin.delete(servers["dead after a while"])
        demo.start(servers["stopped"])
        demo.stop(servers["several 0"])
        demo.reboot(servers["kept 2"], "HARD")
        demo.reboot(servers["several 1"], "SOFT")
        demo.act(servers["locked"], "unlock")
        demo.act(servers["kept 1"], "lock", {"locked_reason": "by openkeel"})
        admin.act(servers["reset"], "os-resetState", {"state": "active"})
        admin.reboot(servers["reset"], "HARD")
        demo.request("DELETE", f"/servers/{servers['nowhere']}")
        demo.await_gone(servers["nowhere"])
        demo.delete(servers["kept 3"])
        admin.request("PUT", f"/servers/{servers['kept 1']}", {"server": {"description": "another"}})
        admin.request("POST", f"/servers/{servers['kept 1']}/metadata", {"metadata": {"more": "of it"}})
        demo.request("PUT", f"/servers/{servers['kept 2']}/tags", {"tags": ["green", "blue"]})

    # Nova, on what OpenKeel made or changed

    def by_nova(self) -> None:
        """Nova goes on: with servers of OpenKeel's, and with its own that OpenKeel was asked nothing of."""
        filling, demo, servers = self._filling, self._demo, self._servers
        made = servers["made by openkeel"]
        demo.start(made)
        demo.reboot(made, "SOFT")
        demo.reboot(made, "HARD")
        for action, status in (
            ("pause", "PAUSED"),
            ("unpause", "ACTIVE"),
            ("suspend", "SUSPENDED"),
            ("resume", "ACTIVE"),
        ):
            self._to(made, action, status)
        demo.act(made, "resize", {"flavorRef": filling.big})
        demo.await_status(made, "VERIFY_RESIZE")
        self._to(made, "confirmResize", "ACTIVE")
        for action in ("create", "stop", "start", "reboot", "resize", "confirmResize"):
            demo.await_action(made, action)
        self._to(servers["moved"], "confirmResize", "ACTIVE")
        self._to(servers["paused"], "unpause", "ACTIVE")
        self._to(servers["suspended"], "resume", "ACTIVE")
        self._to(servers["shelved"], "unshelve", "ACTIVE")
        demo.start(servers["several 0"])
        demo.stop(servers["stopped"])
        demo.act(servers["kept 1"], "unlock")
        demo.request("PUT", f"/servers/{made}/tags/more", None)
        demo.request("PUT", f"/servers/{made}/metadata/made", {"meta": {"made": "further"}})
        filling.boot(demo, "nova's in openkeel's group", key_name="late", hints={"group": self.late_group})
        self._nouns_of_openkeel_go()
        demo.delete(servers["beside nova's"])
        demo.delete(made)

    def _nouns_of_openkeel_go(self) -> None:
        admin, late = self._admin, f"/os-aggregates/{self.late_aggregate}"
        admin.request("PUT", late, {"aggregate": {"name": "later"}})
        assert self._zone_is_refused() == self.refusal
        self._act(late, "remove_host", {"host": self._filling.nodes[1]})
        admin.request("DELETE", late)
        admin.request("DELETE", f"/flavors/{self.late_flavor}/os-extra_specs/hw:cpu_policy")
        admin.request("DELETE", f"/flavors/{self.late_flavor}")
        self._demo.request("DELETE", "/os-keypairs/late")
        self._demo.request("DELETE", f"/os-server-groups/{self.late_group}")
        admin.request("DELETE", f"/os-quota-sets/{self._demo.session.get_project_id()}")

    def _act(self, path: str, action: str, argument: Any) -> None:
        self._admin.request("POST", f"{path}/action", {action: argument})

    def _to(self, server: str, action: str, status: str) -> None:
        self._admin.act(server, action)
        self._admin.await_status(server, status)
