"""Changes of services. Golden: recordings services-change, hosts-*, and what nova 34.0.0 answered."""

import pytest

from openkeel import objects
from openkeel.clients import errors as service_errors
from openkeel.clients.placement.types import AllocationRequest
from openkeel.domain.errors import HostMappingNotFound, ServiceNotFound
from tests.functional.api.conftest import NO_UUID

PATH = "/v2.1/os-services"


@pytest.fixture
def hosts(world):
    world.one = world.host("one")
    world.host("two")
    world.ctl = world.service("ctl", "nova-conductor")
    return world


def by_name(world, action, version="2.1", host="one", binary="nova-compute", **more):
    body = {"host": host, "binary": binary} | more
    return world.admin(
        "PUT", f"{PATH}/{action}", {k: v for k, v in body.items() if v is not ...}, version=version
    )


def by_uuid(world, version="2.53", uuid=None, **body):
    return world.admin("PUT", f"{PATH}/{uuid or world.one.uuid}", body, version=version)


def shown(world, version="2.104"):
    (service,) = world.admin("GET", f"{PATH}?host=one", version=version).json["services"]
    return {key: service.get(key) for key in ("status", "state", "disabled_reason", "forced_down")}


ENABLED = {"status": "enabled", "state": "up", "disabled_reason": None, "forced_down": False}

# By name, until 2.52


@pytest.mark.parametrize("version", ["2.1", "2.11", "2.52"])
def test_a_compute_is_changed_by_the_name_of_its_host(hosts, version):
    named = {"host": "one", "binary": "nova-compute"}
    answer = by_name(hosts, "disable", version)
    assert (answer.status_code, answer.json) == (200, {"service": named | {"status": "disabled"}})
    assert shown(hosts) == ENABLED | {"status": "disabled"}
    assert hosts.is_shut_in_placement("one")
    answer = by_name(hosts, "disable-log-reason", version, disabled_reason="  ")
    assert answer.json == {"service": named | {"status": "disabled", "disabled_reason": "  "}}
    assert shown(hosts)["disabled_reason"] == "  "
    answer = by_name(hosts, "enable", version, disabled_reason="not for this")
    assert answer.json == {"service": named | {"status": "enabled"}}
    assert shown(hosts) == ENABLED
    assert not hosts.is_shut_in_placement("one")


def test_a_compute_is_forced_down_since_2_11(hosts):
    assert by_name(hosts, "force-down", "2.10", forced_down=True).status_code == 400
    assert by_name(hosts, "force-down", "2.10").status_code == 404
    assert by_name(hosts, "force-down", "2.11").status_code == 400
    answer = by_name(hosts, "force-down", "2.11", forced_down="on")
    assert answer.json["service"] == {"host": "one", "binary": "nova-compute", "forced_down": True}
    assert shown(hosts) == ENABLED | {"state": "down", "forced_down": True}


@pytest.mark.parametrize(
    ("action", "more", "status"),
    [
        ("enable", {"host": ...}, 400),
        ("enable", {"binary": ...}, 400),
        ("enable", {"host": "nosuch"}, 404),
        ("enable", {"binary": "nova-nosuch"}, 400),
        ("enable", {"binary": "nova-conductor"}, 400),
        ("enable", {"zzz": 1}, 400),
        ("nosuch", {}, 404),
        ("disable-log-reason", {}, 400),
        ("disable-log-reason", {"disabled_reason": "x" * 256}, 400),
        ("disable-log-reason", {"disabled_reason": ""}, 400),
    ],
)
@pytest.mark.parametrize("version", ["2.1", "2.52"])
def test_changes_that_make_no_sense_are_refused(hosts, version, action, more, status):
    assert by_name(hosts, action, version, **more).status_code == status
    assert shown(hosts) == ENABLED


# By uuid, since 2.53


def test_names_are_not_taken_since_2_53(hosts):
    assert by_name(hosts, "disable", "2.53").status_code == 400
    assert by_uuid(hosts, "2.52", status="disabled").status_code == 400


def test_a_change_by_uuid_answers_with_the_whole_service(hosts):
    answer = by_uuid(hosts, status="disabled", disabled_reason="why", forced_down=True).json["service"]
    assert answer.pop("updated_at")
    assert answer == {
        "id": hosts.one.uuid,
        "binary": "nova-compute",
        "host": "one",
        "zone": "nova",
        "status": "disabled",
        "state": "down",
        "disabled_reason": "why",
        "forced_down": True,
    }
    answer = by_uuid(hosts, status="enabled", forced_down="false").json["service"]
    assert (answer["status"], answer["state"], answer["disabled_reason"]) == ("enabled", "up", None)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"status": "junk"},
        {"status": "enabled", "disabled_reason": "x"},
        {"disabled_reason": "x"},
        {"status": "disabled", "disabled_reason": ""},
        {"status": "disabled", "disabled_reason": "r" * 256},
        {"status": "enabled", "zzz": 1},
        {"status": "enabled", "host": "x"},
    ],
)
def test_bodies_that_make_no_sense_are_refused(hosts, body):
    assert hosts.admin("PUT", f"{PATH}/{hosts.one.uuid}", body, version="2.53").status_code == 400


def test_only_computes_that_exist_can_be_changed(hosts):
    assert by_uuid(hosts, uuid=NO_UUID, status="enabled").status_code == 404
    assert by_uuid(hosts, uuid="junk", status="enabled").status_code == 400
    assert by_uuid(hosts, uuid=hosts.ctl.uuid, status="disabled").status_code == 400


def test_a_host_that_is_down_is_not_asked(hosts):
    by_uuid(hosts, forced_down=True)
    assert by_uuid(hosts, status="disabled").status_code == 200
    assert not hosts.is_shut_in_placement("one")


def test_a_host_that_does_not_answer_is_disabled_all_the_same(hosts):
    hosts.hosts.dead.add("one")
    assert by_uuid(hosts, status="disabled").status_code == 200
    assert shown(hosts)["status"] == "disabled"


def test_a_host_from_which_servers_were_evacuated_is_not_forced_up(hosts):
    by_uuid(hosts, forced_down=True)
    server = hosts.server(host="two")
    migration = migrate(hosts, server, status="done", migration_type="evacuation")
    assert by_uuid(hosts, forced_down=False).status_code == 400
    assert by_name(hosts, "force-down", "2.11", forced_down=False).status_code == 400
    migration.status = "completed"
    hosts.cell.migrations.save(migration)
    assert by_uuid(hosts, forced_down=False).status_code == 200


# Delete


def migrate(world, server, **values):
    migration = objects.Migration(
        **{
            "instance_uuid": server.uuid,
            "source_compute": "one",
            "source_node": "one.example",
            "dest_compute": "two",
            "dest_node": "two.example",
            "status": "running",
            "migration_type": "live-migration",
            "project_id": server.project_id,
            "user_id": server.user_id,
        }
        | values
    )
    world.cell.migrations.create(migration)
    return migration


def delete(world, key, version="2.53", who=None):
    return (who or world.admin)("DELETE", f"{PATH}/{key}", version=version)


@pytest.mark.parametrize(
    ("key", "version", "status"),
    [
        ("987654321", "2.1", 404),
        ("987654321", "2.53", 400),
        ("abc", "2.1", 400),
        ("abc", "2.104", 400),
        (NO_UUID, "2.52", 400),
        (NO_UUID, "2.53", 404),
    ],
)
def test_ids_were_numbers_until_2_52(hosts, key, version, status):
    assert delete(hosts, key, version).status_code == status


@pytest.mark.parametrize("version", ["2.52", "2.53"])
def test_a_deleted_compute_takes_all_that_is_known_of_its_host_along(hosts, version):
    aggregate = hosts.aggregate("a", "z", "one", "two")
    node = hosts.node_of("one")
    answer = delete(hosts, hosts.one.id if version == "2.52" else hosts.one.uuid, version)
    assert (answer.status_code, answer.text) == (204, "")
    assert hosts.placement.find_provider(node.uuid) is None
    assert list(hosts.cell.compute_nodes.list_by_host("one")) == []
    with pytest.raises(HostMappingNotFound):
        hosts.cells.api.host_mappings.get("one")
    with pytest.raises(ServiceNotFound):
        hosts.cell.services.get(hosts.one.id)
    shown = hosts.admin("GET", f"/v2.1/os-aggregates/{aggregate}").json["aggregate"]
    assert shown["hosts"] == ["two"]
    assert [one.hosts for one in hosts.schedulers.cache.all()] == [{"two"}]


def test_a_compute_with_servers_stays(hosts):
    hosts.server(host="one")
    assert delete(hosts, hosts.one.uuid).status_code == 409
    assert hosts.placement.find_provider(hosts.node_of("one").uuid) is not None


def test_a_compute_with_servers_on_their_way_stays(hosts):
    migration = migrate(hosts, hosts.server(host="two"))
    assert delete(hosts, hosts.one.uuid).status_code == 409
    migration.status = "completed"
    hosts.cell.migrations.save(migration)
    assert delete(hosts, hosts.one.uuid).status_code == 204


def test_allocations_of_servers_that_are_elsewhere_keep_the_provider(hosts):
    node = hosts.node_of("one")
    hosts.placement.claim("evacuated", AllocationRequest({node.uuid: {"VCPU": 1}}), "p", "u")
    assert delete(hosts, hosts.one.uuid).status_code == 204
    assert "evacuated" in hosts.placement.consumers()


def test_a_failing_placement_does_not_hinder(hosts):
    error = service_errors.Unavailable(service="Placement", status=503)
    hosts.placement.faults.fail("provider_tree", error)
    assert delete(hosts, hosts.one.uuid).status_code == 204


def test_other_services_are_just_deleted(hosts):
    assert delete(hosts, hosts.ctl.uuid).status_code == 204
    assert delete(hosts, hosts.ctl.uuid).status_code == 404


# Who may


@pytest.mark.parametrize("roles", ["reader", "reader,member", "reader,member,manager", "service"])
def test_only_administrators_may(hosts, roles):
    who = hosts.as_(roles)
    body = {"host": "one", "binary": "nova-compute"}
    answers = [
        who("PUT", f"{PATH}/disable", body),
        who("PUT", f"{PATH}/nosuch", body),
        who("PUT", f"{PATH}/{hosts.one.uuid}", {"status": "disabled"}, version="2.53"),
        who("PUT", f"{PATH}/{NO_UUID}", {"status": "disabled"}, version="2.53"),
        delete(hosts, hosts.one.uuid, who=who),
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert shown(hosts) == ENABLED
