"""Remotable methods as a peer calls them: each group there and back through the endpoint on SQLite."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.domain.errors import (
    ImageNotFound,
    InstanceActionNotFound,
    InstanceGroupNotFound,
    InstanceInfoCacheNotFound,
    InstanceNotFound,
    Invalid,
    InvalidToken,
    KeelError,
    NotFound,
    OverQuota,
    PciDeviceNotFound,
    PciDeviceNotFoundById,
    SecurityGroupNotFound,
    ServiceNotFound,
    ShareNotFound,
    TaskAlreadyRunning,
    TaskNotRunning,
)
from openkeel.objects.base import version_manifest
from openkeel.rpc.remote_stores.wire import apply
from tests.contract.stores.conftest import UUID

OTHER = "99999999-2222-3333-4444-555555555555"
SHARE = "88888888-2222-3333-4444-555555555555"


@pytest.fixture
def user():
    return Context(user_id="user-1", project_id="project-1")


@pytest.fixture
def ask(client, user):
    """A class method by its wire name."""

    def call(method, *args, ctx=user, **arguments):
        kind, _, name = method.partition(".")
        return client.object_class_action_versions(ctx, kind, name, version_manifest(kind), args, arguments)

    return call


@pytest.fixture
def tell(client, user):
    """A method of an object, which then looks as a peer sees it."""

    def call(item, method, *args, ctx=user, **arguments):
        updates, result = client.object_action(ctx, item, method, args, arguments)
        apply(item, updates)
        return result

    return call


@pytest.fixture
def node(sql):
    found = objects.ComputeNode(
        uuid=OTHER, host="node-1", hypervisor_hostname="node-1", hypervisor_type="KubeVirt",
        hypervisor_version=1, vcpus=4, vcpus_used=0, memory_mb=1024, memory_mb_used=0, local_gb=10,
        local_gb_used=0, cpu_info="", service_id=7,
    )  # fmt: skip
    sql.compute_nodes.create(found)
    return found


# PCI devices


@pytest.fixture
def device(node):
    return objects.PciDevice(
        compute_node_id=node.id, address="0000:81:00.1", parent_addr="0000:81:00.0", vendor_id="8086",
        product_id="1520", dev_type="type-VF", dev_id="pci_0000_81_00_1", label="label_8086_1520",
        status="available", numa_node=0, extra_info={"managed": "true"}, uuid=OTHER,
    )  # fmt: skip


def test_host_devices_are_reported_found_and_end(ask, tell, node, device):
    assert list(ask("PciDeviceList.get_by_compute_node", node_id=node.id)) == []
    tell(device, "save")
    (found,) = ask("PciDeviceList.get_by_compute_node", node.id)
    assert (found.address, found.extra_info, found.status) == (
        "0000:81:00.1",
        {"managed": "true"},
        "available",
    )
    assert ask("PciDevice.get_by_dev_id", id=found.id).address == "0000:81:00.1"
    by_address = ask("PciDevice.get_by_dev_addr", compute_node_id=node.id, dev_addr="0000:81:00.1")
    assert by_address.id == found.id
    parent = {"node_id": node.id, "parent_addr": "0000:81:00.0"}
    assert len(ask("PciDeviceList.get_by_parent_address", **parent)) == 1
    found.status, found.instance_uuid = "allocated", UUID
    tell(found, "save")
    assert len(ask("PciDeviceList.get_by_instance_uuid", uuid=UUID)) == 1
    found.status = "removed"
    tell(found, "save")
    assert found.status == "deleted"
    assert list(ask("PciDeviceList.get_by_compute_node", node_id=node.id)) == []


def test_host_devices_that_are_not_there_have_their_own_errors(ask, node):
    with pytest.raises(PciDeviceNotFoundById):
        ask("PciDevice.get_by_dev_id", id=77)
    with pytest.raises(PciDeviceNotFound) as caught:
        ask("PciDevice.get_by_dev_addr", compute_node_id=node.id, dev_addr="x")
    assert caught.value.facts["address"] == "x"


def test_the_node_of_a_service_is_found_by_the_old_number(ask, node):
    assert ask("ComputeNode.get_by_service_id", service_id=7).uuid == node.uuid
    with pytest.raises(ServiceNotFound):
        ask("ComputeNode.get_by_service_id", service_id=8)


# Shares


def test_shares_are_attached_and_detached(ask, tell, instance):
    share = objects.ShareMapping(
        uuid=OTHER, instance_uuid=UUID, share_id=SHARE, status="attaching", tag="data",
        export_location="host:/path", share_proto="NFS",
    )  # fmt: skip
    tell(share, "save")
    assert share.id
    share.status = "active"
    tell(share, "save")
    asked = {"instance_uuid": UUID, "share_id": SHARE}
    assert ask("ShareMapping.get_by_instance_uuid_and_share_id", **asked).status == "active"
    for listed in (
        ask("ShareMappingList.get_by_instance_uuid", instance_uuid=UUID),
        ask("ShareMappingList.get_by_share_id", share_id=SHARE),
        ask("ShareMappingList.get_by_host_for_reconcile", host="node-1"),
    ):
        assert [one.tag for one in listed] == ["data"]
    assert list(ask("ShareMappingList.get_by_host_for_reconcile", host="node-2")) == []
    tell(share, "delete")
    tell(share, "delete")
    with pytest.raises(ShareNotFound):
        ask("ShareMapping.get_by_instance_uuid_and_share_id", **asked)


# Console tokens


def test_a_console_token_opens_until_it_is_cleaned(ask, tell, instance):
    token = objects.ConsoleAuthToken(
        console_type="novnc", host="node-1", port=5900, internal_access_path=None, instance_uuid=UUID,
        access_url_base="http://proxy/vnc.html",
    )  # fmt: skip
    secret = tell(token, "authorize", ttl=600)
    assert secret == token.token
    found = ask("ConsoleAuthToken.validate", token=secret)
    assert (found.port, found.access_url_base, found.token) == (5900, "http://proxy/vnc.html", secret)
    with pytest.raises(KeelError, match="opened before"):
        tell(token, "authorize", ttl=600)
    ask("ConsoleAuthToken.clean_expired_console_auths")
    ask("ConsoleAuthToken.clean_expired_console_auths_for_host", host="node-1")
    assert ask("ConsoleAuthToken.validate", token=secret).id == token.id
    ask("ConsoleAuthToken.clean_console_auths_for_instance", instance_uuid=UUID)
    with pytest.raises(InvalidToken):
        ask("ConsoleAuthToken.validate", token=secret)


def test_expired_console_tokens_go(ask, tell, instance, sql):
    for host in ("node-1", "node-2"):
        token = objects.ConsoleAuthToken(
            console_type="serial", host=host, port=1, internal_access_path=None, instance_uuid=UUID,
            access_url_base="ws://proxy",
        )  # fmt: skip
        with pytest.raises(InvalidToken):
            ask("ConsoleAuthToken.validate", token=tell(token, "authorize", ttl=-1))
    table = table_of(rows.ConsoleAuthToken)
    with sql.database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(table)) == 2
    ask("ConsoleAuthToken.clean_expired_console_auths_for_host", host="node-1")
    with sql.database.read() as connection:
        assert list(connection.scalars(sa.select(table.c.host))) == ["node-2"]
    ask("ConsoleAuthToken.clean_expired_console_auths")
    with sql.database.read() as connection:
        assert list(connection.scalars(sa.select(table.c.host))) == []


# What is counted


def test_a_period_is_audited_once(ask, tell):
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    period = {"period_beginning": begin.isoformat(), "period_ending": (begin + timedelta(days=1)).isoformat()}
    task = objects.TaskLog(
        task_name="instance_usage_audit", host="node-1", task_items=3, message="begun", errors=0,
        period_beginning=begin, period_ending=begin + timedelta(days=1),
    )  # fmt: skip
    asked = {"task_name": task.task_name, **period}
    assert ask("TaskLog.get", **asked, host="node-1") is None
    with pytest.raises(TaskNotRunning):
        tell(task, "end_task")
    tell(task, "begin_task")
    with pytest.raises(TaskAlreadyRunning):
        tell(task, "begin_task")
    task.errors, task.message = 1, "done"
    tell(task, "end_task")
    found = ask("TaskLog.get", **asked, host="node-1", state="DONE")
    assert (found.errors, found.message, found.task_items) == (1, "done", 3)
    assert len(ask("TaskLogList.get_all", **asked)) == 1
    assert len(ask("TaskLogList.get_all", **asked, host="node-2")) == 0


def test_the_use_of_a_volume_is_added_up(tell, instance):
    def usage(count):
        return objects.VolumeUsage(
            volume_id=OTHER, instance_uuid=UUID, project_id="p", user_id="u", availability_zone="nova",
            curr_reads=count, curr_read_bytes=count, curr_writes=count, curr_write_bytes=count,
        )  # fmt: skip

    seen = []
    for count, closes in ((10, False), (20, False), (5, False), (7, True), (3, False)):
        one = usage(count)
        tell(one, "save", update_totals=closes)
        seen.append((one.tot_reads, one.curr_reads))
    assert seen == [(0, 10), (0, 20), (20, 5), (27, 0), (27, 3)]


# The first releases


def test_servers_and_images_have_ec2_numbers(ask, tell, instance):
    ids = ask("EC2Ids.get_by_instance", instance=instance)
    number = ask("EC2InstanceMapping.get_by_uuid", instance_uuid=UUID).id
    assert ids.instance_id == f"i-{number:08x}"
    assert ask("EC2InstanceMapping.get_by_id", ec2_id=number).uuid == UUID
    mapping = objects.EC2InstanceMapping(uuid=OTHER)
    tell(mapping, "create")
    assert mapping.id == number + 1
    image = objects.S3ImageMapping(uuid=OTHER)
    tell(image, "create")
    assert ask("S3ImageMapping.get_by_uuid", s3_image_uuid=OTHER).id == image.id
    assert ask("S3ImageMapping.get_by_id", s3_id=image.id).uuid == OTHER
    for method, error in (
        ("EC2InstanceMapping.get_by_id", InstanceNotFound),
        ("S3ImageMapping.get_by_id", ImageNotFound),
    ):
        with pytest.raises(error):
            ask(method, 99)


@pytest.fixture
def groups(sql, instance):
    """The server is in `web`, which lets in what is in `db`."""
    with sql.database.write() as connection:
        base = {"created_at": utcnow(), "deleted": 0}
        for id_, name in ((1, "web"), (2, "db")):
            row = {
                "id": id_,
                "name": name,
                "description": name,
                "project_id": "project-1",
                "user_id": "user-1",
            }
            connection.execute(sa.insert(table_of(rows.SecurityGroup)).values(**row, **base))
        connection.execute(
            sa.insert(table_of(rows.SecurityGroupInstanceAssociation)).values(
                security_group_id=1, instance_uuid=UUID, **base
            )
        )
        connection.execute(
            sa.insert(table_of(rows.SecurityGroupRule)).values(parent_group_id=1, group_id=2, **base)
        )


def test_old_security_groups_can_be_asked_for(ask, tell, instance, groups):
    web = ask("SecurityGroup.get", secgroup_id=1)
    db = ask("SecurityGroup.get_by_name", project_id="project-1", group_name="db")
    assert (web.name, db.id) == ("web", 2)
    assert (tell(web, "in_use"), tell(db, "in_use")) == (True, False)
    web.description = "changed"
    tell(web, "save")
    stale = objects.SecurityGroup(id=1)
    tell(stale, "refresh")
    assert (stale.name, stale.description) == ("web", "changed")
    assert {one.name for one in ask("SecurityGroupList.get_all")} == {"web", "db"}
    assert len(ask("SecurityGroupList.get_by_project", project_id="project-2")) == 0
    assert [one.name for one in ask("SecurityGroupList.get_by_instance", instance=instance)] == ["web"]
    counts = ask("SecurityGroupList.get_counts", project_id="project-1", user_id="user-2")
    assert counts == {"project": {"security_groups": 2}, "user": {"security_groups": 0}}
    with pytest.raises(SecurityGroupNotFound):
        ask("SecurityGroup.get", secgroup_id=9)


def test_servers_are_found_by_old_security_groups(ask, instance, groups):
    def found(method, *args):
        return [one.uuid for one in ask(f"InstanceList.{method}", *args)]

    assert found("get_by_security_group_id", 1) == [UUID]
    assert found("get_by_security_group_id", 2) == []
    assert found("get_by_grantee_security_group_ids", [2]) == [UUID]
    assert found("get_by_grantee_security_group_ids", [1]) == []


# The log of actions


def test_an_action_and_its_steps_end_by_themselves(ask, tell, instance, user):
    action = ask("InstanceAction.action_start", instance_uuid=UUID, action_name="reboot")
    event = objects.InstanceActionEvent(event="compute_reboot", start_time=datetime.now(UTC), host="node-1")
    tell(event, "create", instance_uuid=UUID, request_id=user.request_id)
    assert (event.action_id, event.host) == (action.id, "node-1")
    tell(event, "finish")
    assert (event.result, event.finish_time is not None) == ("Success", True)
    tell(event, "finish_with_failure", exc_val="no power", exc_tb="trace")
    assert (event.result, event.details, event.traceback) == ("Error", "no power", "trace")
    tell(action, "finish")
    again = ask("InstanceAction.get_by_request_id", instance_uuid=UUID, request_id=user.request_id)
    assert (again.message, again.finish_time) == ("Error", action.finish_time)
    with pytest.raises(InstanceActionNotFound):
        tell(objects.InstanceActionEvent(event="x"), "create", instance_uuid=OTHER, request_id="req-1")


# Servers


def test_a_numa_topology_is_kept_beside_its_server(ask, tell, instance):
    cell = objects.InstanceNUMACell(id=0, cpuset={0, 1}, pcpuset=set(), memory=512)
    topology = objects.InstanceNUMATopology(instance_uuid=UUID, cells=[cell], emulator_threads_policy=None)
    tell(topology, "create")
    found = ask("InstanceNUMATopology.get_by_instance_uuid", instance_uuid=UUID)
    assert [one.cpuset for one in found.cells] == [{0, 1}]
    topology.instance_uuid = OTHER
    with pytest.raises(InstanceNotFound):
        tell(topology, "create")


def test_what_was_seen_of_a_network_is_forgotten(ask, tell, instance):
    cache = ask("InstanceInfoCache.get_by_instance_uuid", instance_uuid=UUID)
    tell(cache, "delete")
    with pytest.raises(InstanceInfoCacheNotFound):
        ask("InstanceInfoCache.get_by_instance_uuid", instance_uuid=UUID)


# What is global


@pytest.fixture
def build(api):
    def record(uuid, name, user_id="user-1"):
        server = objects.Instance(
            uuid=uuid, project_id="project-1", user_id=user_id, display_name=name, vm_state="building",
            task_state=None, metadata={"role": name},
        )  # fmt: skip
        request = objects.BuildRequest(
            instance=server, instance_uuid=uuid, project_id="project-1", tags=objects.TagList(objects=[]),
            block_device_mappings=objects.BlockDeviceMappingList(objects=[]),
        )  # fmt: skip
        api.build_requests.create(request)
        api.instance_mappings.create(
            objects.InstanceMapping(instance_uuid=uuid, project_id="project-1", user_id=user_id)
        )

    return record


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["db", "web"]),
        ({"display_name": "we"}, ["web"]),
        ({"display_name": "WE"}, []),
        ({"tenant_id": "project-1"}, ["db", "web"]),
        ({"project_id": "project-2"}, []),
        ({"uuid": [UUID, "x"]}, ["web"]),
        ({"metadata": {"role": "db"}}, ["db"]),
        ({"vm_state": [None, "active"]}, []),
        ({"task_state": None, "spoon": 1}, ["db", "web"]),
        ({"deleted": True}, []),
    ],
)
def test_build_requests_are_found_by_filters(ask, build, filters, names):
    build(UUID, "web")
    build(OTHER, "db")
    found = ask("BuildRequestList.get_by_filters", filters=filters)
    assert sorted(one.instance.display_name for one in found) == names


def test_build_requests_come_in_pages(ask, build):
    build(UUID, "web")
    build(OTHER, "db")

    def page(**arguments):
        found = ask("BuildRequestList.get_by_filters", {}, sort_keys=["display_name"], **arguments)
        return [one.instance.display_name for one in found]

    assert page(sort_dirs=["asc"]) == ["db", "web"]
    assert page(sort_dirs=["desc"], limit=1) == ["web"]
    assert page(sort_dirs=["asc"], marker=OTHER) == ["web"]
    with pytest.raises(NotFound):
        page(marker="x")


@pytest.fixture
def group(tell):
    made = objects.InstanceGroup(
        uuid=SHARE,
        name="apart",
        project_id="project-1",
        user_id="user-1",
        policy="anti-affinity",
        members=[UUID],
    )
    tell(made, "create")
    return made


def test_a_server_group_is_renamed_and_grows(ask, tell, group):
    group.name, group.members = "asunder", [OTHER]
    tell(group, "save")
    assert group.members == [UUID, OTHER]
    found = ask("InstanceGroup.get_by_name", name="asunder")
    assert (found.uuid, found.members) == (SHARE, [UUID, OTHER])
    with pytest.raises(InstanceGroupNotFound):
        ask("InstanceGroup.get_by_name", name="asunder", ctx=Context("user-1", "project-2"))
    group.hosts = ["node-1"]
    with pytest.raises(Invalid, match="hosts"):
        tell(group, "save")


def test_members_of_a_group_are_counted_by_user(ask, tell, group, build):
    build(UUID, "web")
    assert tell(group, "count_members_by_user", user_id="user-1") == 1
    assert tell(group, "count_members_by_user", user_id="user-2") == 0
    counted = ask("Quotas.count_as_dict", "server_group_members", group, "user-1")
    assert counted == {"user": {"server_group_members": 1}}


def test_services_are_listed_with_their_zones(ask, sql, api):
    for host, binary, topic in (
        ("node-1", "nova-compute", "compute"),
        ("node-2", "nova-compute", "compute"),
        ("head", "nova-conductor", "conductor"),
    ):
        sql.services.create(objects.Service(host=host, binary=binary, topic=topic, report_count=0))
    zone = objects.Aggregate(name="a", metadata={"availability_zone": "az1"})
    api.aggregates.create(zone)
    api.aggregates.add_host(zone, "node-1")
    found = {one.host: one.availability_zone for one in ask("ServiceList.get_all", set_zones=True)}
    assert found == {"node-1": "az1", "node-2": "nova", "head": "internal"}


def test_usage_is_counted_over_cells(ask, instance, build):
    build(OTHER, "web")
    counts = ask("Quotas.count_as_dict", "instances", project_id="project-1", user_id="user-1")
    assert counts["project"]["instances"] == counts["user"]["instances"] == 2
    assert ask("Quotas.count", "instances", "project-1") == 2
    assert ask("QuotasNoOp.count", "key_pairs", "user-1") == 0
    assert ask("Quotas.count_as_dict", "server_groups", "project-1") == {"project": {"server_groups": 0}}
    with pytest.raises(NotFound):
        ask("Quotas.count", "metadata_items")


def test_more_than_the_quota_is_refused(ask, instance):
    ask("Quotas.check_deltas", {"instances": 9, "cores": 1}, "project-1", user_id="user-1")
    with pytest.raises(OverQuota) as caught:
        ask("Quotas.check_deltas", {"instances": 10}, "project-1", user_id="user-1")
    assert caught.value.facts["overs"] == ["instances"]
    assert caught.value.facts["headroom"] == {"instances": 9}
    ask("Quotas.limit_check", metadata_items=128)
    for arguments, error in (
        ({"metadata_items": 129}, OverQuota),
        ({"metadata_items": -1}, Invalid),
        ({"spoons": 1}, Invalid),
    ):
        with pytest.raises(error):
            ask("Quotas.limit_check", **arguments)
    ask("Quotas.create_limit", project_id="project-1", resource="cores", limit=3, user_id="user-1")
    ask("Quotas.limit_check_project_and_user", project_values={"cores": 4})
    with pytest.raises(OverQuota):
        ask("Quotas.limit_check_project_and_user", user_values={"cores": 4})
    ask("QuotasNoOp.update_limit", project_id="project-1", resource="cores", limit=4, user_id="user-1")
    ask("Quotas.limit_check_project_and_user", user_values={"cores": 4})
    with pytest.raises(Invalid):
        ask("Quotas.limit_check_project_and_user")


def test_reservations_hold_nothing(ask, tell):
    quotas = objects.Quotas(reservations=["a"])
    tell(quotas, "reserve", project_id="project-1", user_id="user-1", instances=3)
    assert (quotas.reservations, quotas.project_id) == (None, "project-1")
    tell(quotas, "commit")
    tell(quotas, "rollback")
    assert ask("Quotas.count", "instances", "project-1") == 0
