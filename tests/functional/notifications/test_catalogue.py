"""What users and administrators keep: keypairs, flavors, services."""

from openkeel import objects
from openkeel.cmd.manage.describe import notifications
from tests.functional.notifications.conftest import LOUD, listen

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIz8YeJ1YgSZ7ThBFo0gk1jkFxNp0tnTmTSZXxrk8B4W me"


def test_keypairs(cloud, loud):
    made = cloud.member(
        "POST", "/v2.1/os-keypairs", {"keypair": {"name": "a", "type": "ssh"}}, version="2.60"
    )
    private = made.json["keypair"]["private_key"]
    body = {"keypair": {"name": "b", "type": "ssh", "public_key": KEY}}
    assert cloud.member("POST", "/v2.1/os-keypairs", body).status_code == 201
    assert cloud.member("DELETE", "/v2.1/os-keypairs/b").status_code == 204
    events = [
        "keypair.create.start",
        "keypair.create.end",
        "keypair.import.start",
        "keypair.import.end",
        "keypair.delete.start",
        "keypair.delete.end",
    ]
    versioned, legacy = loud.versioned(), loud.unversioned()
    assert [(one.event, one.publisher) for one in versioned] == [(event, "nova-api:api") for event in events]
    assert [(one.event, one.publisher) for one in legacy] == [(event, "api.api") for event in events]
    start, end, importing = (one.data for one in versioned[:3])
    assert (start["public_key"], start["fingerprint"], start["type"]) == (None, None, "ssh")
    assert end["public_key"].startswith("ssh-rsa ")
    assert end["fingerprint"]
    assert (importing["public_key"], importing["fingerprint"]) == (KEY, None)
    assert legacy[0].data == {"tenant_id": end_project(legacy), "user_id": end["user_id"], "key_name": "a"}
    assert not [one for one in loud if "PRIVATE" in str(one.payload) or private in str(one.payload)]


def end_project(heard):
    (project,) = {one.context["project_id"] for one in heard}
    return project


def test_flavors(cloud, loud):
    def ask(method, path, body=None):
        answer = cloud.admin(method, f"/v2.1/flavors{path}", body)
        assert answer.status_code in {200, 202}, answer.text

    new = {"id": "n", "name": "n", "ram": 64, "vcpus": 1, "disk": 1, "os-flavor-access:is_public": False}
    ask("POST", "", {"flavor": new})
    ask("POST", "/n/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}})
    ask("DELETE", "/n/os-extra_specs/hw:cpu_policy")
    ask("PUT", "/n", {"flavor": {"description": "d"}})
    ask("POST", "/n/action", {"addTenantAccess": {"tenant": cloud_project()}})
    ask("POST", "/n/action", {"removeTenantAccess": {"tenant": cloud_project()}})
    ask("DELETE", "/n")
    told = loud.versioned()
    assert [(one.event, one.publisher) for one in told] == [
        ("flavor.create", "nova-api:api"),
        *[("flavor.update", "nova-api:api")] * 5,
        ("flavor.delete", "nova-api:api"),
    ]
    assert [one.data["extra_specs"] for one in told] == [
        None,
        {"hw:cpu_policy": "shared"},
        {},
        {},
        {},
        {},
        None,
    ]
    assert [one.data["description"] for one in told] == [None, None, None, "d", "d", "d", "d"]
    assert told[4].data["projects"] == [cloud_project()]
    assert told[5].data["projects"] == []
    assert not loud.unversioned()


def cloud_project():
    from tests.fixtures.api_client import PROJECT

    return PROJECT


def test_daemons_tell_when_they_run_for_the_first_time_and_never_again(cloud):
    for host in ("conductor", "scheduler"):
        for service in cloud.cell1.services.list_by_host(host):
            cloud.cell1.services.destroy(service)
    ear = listen(cloud, LOUD)
    first = {(one.event, one.publisher) for one in ear.versioned()}
    assert first == {
        ("service.create", "nova-conductor:conductor"),
        ("service.create", "nova-scheduler:scheduler"),
    }
    ear = listen(cloud, LOUD)
    assert not list(ear)


def test_disabling_a_service_is_told_of(cloud, loud):
    service = cloud.cell1.services.find("node-1", "nova-compute")
    body = {"status": "disabled", "disabled_reason": "repair"}
    answer = cloud.admin("PUT", f"/v2.1/os-services/{service.uuid}", body)
    assert answer.status_code == 200, answer.text
    cloud.admin("PUT", f"/v2.1/os-services/{service.uuid}", {"status": "enabled"})
    told = loud.versioned()
    assert [(one.event, one.publisher) for one in told] == [("service.update", "nova-compute:node-1")] * 2
    assert [(one.data["disabled"], one.data["disabled_reason"]) for one in told] == [
        (True, "repair"),
        (False, None),
    ]


def test_what_is_declared_is_what_describe_prints():
    rows = notifications()
    assert len({row["event_type"] for row in rows}) == len(rows)
    assert {"event_type", "payload_object", "payload_version"} == set(rows[0])


def test_server_groups_and_their_members(cloud, loud):
    body = {"server_group": {"name": "g", "policy": "anti-affinity", "rules": {"max_server_per_host": 2}}}
    group = cloud.member("POST", "/v2.1/os-server-groups", body).json["server_group"]["id"]
    uuid = cloud.booted(hints={"group": group})
    loud.until("instance.create.end")
    assert cloud.member("DELETE", f"/v2.1/os-server-groups/{group}").status_code == 204
    told = [one for one in loud.versioned() if one.event.startswith("server_group")]
    assert [(one.event, one.publisher) for one in told] == [
        ("server_group.create", "nova-api:api"),
        ("server_group.add_member", "nova-api:api"),
        ("server_group.delete", "nova-api:api"),
    ]
    assert {one.data["uuid"] for one in told} == {group}
    assert [one.data["members"] for one in told] == [[], [uuid], [uuid]]
    assert told[0].data["rules"] == {"max_server_per_host": "2"}
    assert [(one.event, one.publisher) for one in loud.unversioned() if "group" in one.event] == [
        ("servergroup.create", "servergroup.api"),
        ("servergroup.addmember", "servergroup.api"),
        ("servergroup.delete", "servergroup.api"),
    ]


def test_aggregates(cloud, loud):
    def ask(method, path, body=None):
        answer = cloud.admin(method, f"/v2.1/os-aggregates{path}", body)
        assert answer.status_code == 200, answer.text
        return answer.json

    body = {"aggregate": {"name": "a", "availability_zone": "z"}}
    number = ask("POST", "", body)["aggregate"]["id"]
    ask("PUT", f"/{number}", {"aggregate": {"name": "b"}})
    ask("POST", f"/{number}/action", {"set_metadata": {"metadata": {"k": "v"}}})
    ask("POST", f"/{number}/action", {"add_host": {"host": "node-1"}})
    ask("POST", f"/{number}/action", {"remove_host": {"host": "node-1"}})
    ask("DELETE", f"/{number}")
    told = loud.versioned()
    verbs = ("create", "update_prop", "update_metadata", "add_host", "remove_host", "delete")
    assert [(one.event, one.publisher) for one in told] == [
        (f"aggregate.{verb}.{phase}", "nova-api:api") for verb in verbs for phase in ("start", "end")
    ]
    assert (told[0].data["id"], told[0].data["name"]) == (None, "a")
    assert told[0].data["uuid"] == told[1].data["uuid"]
    assert told[3].data["name"] == "b"
    assert told[5].data["metadata"] == {"availability_zone": "z", "k": "v"}
    assert [told[n].data["hosts"] for n in (6, 7, 8, 9)] == [[], ["node-1"], ["node-1"], []]
    legacy = loud.unversioned()
    assert [one.publisher for one in legacy] == ["aggregate.a"] + [f"aggregate.{number}"] * 11
    assert [one.event for one in legacy][::2] == [
        f"aggregate.{verb.replace('_', '')}.start" for verb in verbs
    ]
    assert legacy[0].data == {"name": "a", "meta_data": {"availability_zone": "z"}}
    assert legacy[7].data == {"aggregate_id": number, "host_name": "node-1", "name": "b"}


def test_locks_and_tags(cloud, loud):
    uuid = cloud.booted()
    loud.until("instance.create.end")
    loud.forget()
    cloud.act(uuid, "lock", {"locked_reason": "why"})
    cloud.act(uuid, "unlock")
    assert cloud.member("PUT", f"/v2.1/servers/{uuid}/tags/blue").status_code == 201
    told = loud.versioned()
    assert [(one.event, one.publisher) for one in told] == [
        ("instance.update", "nova-compute:api"),
        ("instance.lock", "nova-api:api"),
        ("instance.update", "nova-compute:api"),
        ("instance.unlock", "nova-api:api"),
        ("instance.update", "nova-api:api"),
    ]
    assert [(one.data["locked"], one.data["locked_reason"]) for one in told[1:4:2]] == [
        (True, "why"),
        (False, None),
    ]
    assert told[4].data["tags"] == ["blue"]
    assert [one.publisher for one in loud.unversioned()] == ["compute.api", "compute.api", "nova-api.api"]


def test_a_daemon_whose_record_is_removed(cloud, loud):
    gone = objects.Service(
        host="ghost",
        binary="nova-conductor",
        topic="conductor",
        report_count=1,
        disabled=False,
        forced_down=False,
        version=74,
    )
    cloud.cell1.services.create(gone)
    answer = cloud.admin("DELETE", f"/v2.1/os-services/{gone.uuid}")
    assert answer.status_code == 204, answer.text
    (told,) = loud.versioned()
    assert (told.event, told.publisher) == ("service.delete", "nova-conductor:ghost")
