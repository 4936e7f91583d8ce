"""Formats, publishers and levels; what happens when nobody listens, or the bus is broken."""

import threading

import pytest

from openkeel import objects
from openkeel.domain.audit_periods import AuditPeriod
from openkeel.domain.errors import BuildAborted
from openkeel.domain.lifecycle import Action
from openkeel.notifications import events
from openkeel.notifications.emitter import Emitter, Origin
from openkeel.notifications.notifier import Notifications
from openkeel.notifications.outbox import Outbox
from openkeel.notifications.servers import ServerSettings
from tests.unit.notifications.factories import IMAGE, THEN, UUID, context, flavor, instance, keypair


class Topic:
    """What came to a topic: (publisher, priority, event type, payload)."""

    def __init__(self):
        self.told = []

    def prepare(self, publisher_id):
        topic = self

        class Prepared:
            def info(self, _ctx, event_type, payload):
                topic.told.append((publisher_id, "INFO", event_type, payload))

            def error(self, _ctx, event_type, payload):
                topic.told.append((publisher_id, "ERROR", event_type, payload))

        return Prepared()


class BrokenTopic:
    def prepare(self, publisher_id):
        class Prepared:
            def info(self, *_):
                raise ConnectionError

            error = info

        return Prepared()


class Stores:
    """Of a cell in which nothing but the one server lies; counts what is asked."""

    def __init__(self):
        self.asked = []
        self.instances = self.bdms = self.shares = self

    def get(self, uuid, attrs, **_):
        self.asked.append(attrs)
        return instance(uuid=uuid)

    def list(self, _uuid):
        self.asked.append("list")
        return []


class Clock:
    def now(self):
        return THEN


@pytest.fixture
def topics():
    return Topic(), Topic()


@pytest.fixture
def told(topics):
    """Notifications to both topics; whatever was told is there when `flush` returns."""
    versioned, legacy = topics
    made = Notifications(
        Emitter(Origin("nova-compute", "node-1"), versioned=versioned, legacy=legacy),
        ServerSettings(audit_period=AuditPeriod("hour"), state_changes="vm_and_task_state"),
        Clock(),
        lambda _ctx, image_id: f"http://glance/images/{image_id}",
    )
    made.flush = lambda: made.emitter.outbox.flush(5)
    yield made
    made.close()


def _only(topic):
    (one,) = topic.told
    return one


def test_both_formats_have_their_publisher_name_and_payload(told, topics):
    told.servers(Stores()).ended(context(), instance(), Action.STOP)
    assert told.flush()
    versioned, legacy = topics
    assert _only(versioned)[:3] == ("nova-compute:node-1", "INFO", "instance.power_off.end")
    assert _only(versioned)[3]["nova_object.name"] == "InstanceActionPayload"
    assert _only(legacy)[:3] == ("compute.node-1", "INFO", "compute.instance.power_off.end")
    assert _only(legacy)[3]["image_ref_url"] == f"http://glance/images/{IMAGE}"


def test_a_failed_build_is_told_as_an_error_with_its_cause(told, topics):
    error = BuildAborted(instance_uuid=UUID, reason="bad")
    told.servers(Stores()).failed(context(), instance(vm_state="building"), Action.CREATE, error)
    assert told.flush()
    versioned, legacy = topics
    assert _only(versioned)[1:3] == ("ERROR", "instance.create.error")
    fault = _only(versioned)[3]["nova_object.data"]["fault"]["nova_object.data"]
    assert fault["exception"] == "BuildAborted"
    assert _only(legacy)[3]["code"] == 500
    assert "bad" in _only(legacy)[3]["message"]


def test_an_action_without_an_error_event_is_told_as_an_exception(told, topics):
    told.servers(Stores()).failed(context(), instance(), Action.STOP, ValueError("Sekr3t"))
    assert told.flush()
    versioned, legacy = topics
    assert _only(versioned)[1:3] == ("ERROR", "compute.exception")
    assert _only(legacy)[1:3] == ("ERROR", "stop_instance")
    assert _only(legacy)[3] == {
        "exception": "ValueError('')",
        "args": {"instance": {"uuid": UUID, "host": "node-1", "vm_state": "active", "task_state": None}},
    }


def test_a_reboot_that_failed_ends_all_the_same(told, topics):
    servers = told.servers(Stores())
    servers.failed(context(), instance(), Action.REBOOT_HARD, ValueError())
    servers.settled(context(), instance(), Action.REBOOT_HARD)
    servers.settled(context(), instance(), Action.STOP)
    assert told.flush()
    assert [one[2] for one in topics[0].told] == ["instance.reboot.error", "instance.reboot.end"]


def test_a_build_begins_without_a_place(told, topics):
    told.servers(Stores()).started(context(), instance(), Action.CREATE, {"name": "cirros"})
    assert told.flush()
    versioned, legacy = topics
    assert _only(versioned)[3]["nova_object.data"]["host"] is None
    assert _only(legacy)[3]["host"] is None
    assert _only(legacy)[3]["image_name"] == "cirros"


def test_an_end_of_a_build_lists_the_addresses(told, topics):
    told.servers(Stores()).ended(context(), instance(), Action.CREATE)
    assert told.flush()
    payload = _only(topics[1])[3]
    assert payload["message"] == "Success"
    assert [(ip["address"], ip["label"], ip["vif_mac"]) for ip in payload["fixed_ips"]] == [
        ("10.0.0.5", "private", "fa:16:3e:00:00:01"),
        ("fd00::5", "private", "fa:16:3e:00:00:01"),
    ]


def test_what_is_not_loaded_is_asked_for_once_for_both_formats(told, topics):
    stores = Stores()
    bare = objects.Instance(uuid=UUID, vm_state="active", task_state=None, image_ref=IMAGE, locked=False)
    told.servers(stores).ended(context(), bare, Action.START)
    assert told.flush()
    assert stores.asked == [("flavor", "info_cache", "metadata", "system_metadata")]
    assert _only(topics[0])[3]["nova_object.data"]["metadata"] == {"a": "b"}
    assert not bare.obj_attr_is_set("flavor")


@pytest.mark.parametrize(
    ("mode", "before", "told_as"),
    [
        ("vm_and_task_state", ("active", "powering-off"), ("active", "powering-off")),
        ("vm_state", ("active", "powering-off"), ("active", "powering-off")),
        ("vm_and_task_state", ("stopped", "rebooting"), ("stopped", "rebooting")),
        ("vm_state", ("stopped", "rebooting"), ("stopped", None)),
    ],
)
def test_an_update_says_where_the_server_came_from(topics, mode, before, told_as):
    versioned, legacy = topics
    made = Notifications(
        Emitter(Origin("nova-conductor", "c"), versioned=versioned, legacy=legacy),
        ServerSettings(state_changes=mode),
        Clock(),
    )
    old = {"vm_state": before[0], "task_state": before[1], "display_name": "old"}
    made.servers(Stores()).updated(instance(vm_state="stopped"), old)
    assert made.emitter.outbox.flush(5)
    made.close()
    publisher, _, event_type, payload = _only(versioned)
    assert (publisher, event_type) == ("nova-compute:c", "instance.update")
    data = payload["nova_object.data"]
    update = data["state_update"]["nova_object.data"]
    assert (update["old_state"], update["old_task_state"]) == told_as
    assert (update["state"], update["new_task_state"]) == ("stopped", None)
    assert data["old_display_name"] == "old"
    assert data["audit_period"]["nova_object.data"] == {
        "audit_period_beginning": "2026-11-01T00:00:00Z",
        "audit_period_ending": "2026-11-29T18:58:22Z",
    }
    publisher, _, event_type, payload = _only(legacy)
    assert (publisher, event_type) == ("compute.c", "compute.instance.update")
    assert payload["old_display_name"] == "old"
    assert payload["audit_period_ending"] == "2026-11-29T18:58:22.429666"


def test_updates_are_told_of_only_where_operators_want_them(topics):
    made = Notifications(Emitter(Origin("nova-api", "a"), versioned=topics[0]), ServerSettings(), Clock())
    assert not made.witness.watches_instances
    made.servers(Stores()).updated(instance(), {"vm_state": "building"})
    made.close()
    assert not topics[0].told


def test_nothing_is_computed_when_nobody_listens():
    stores = Stores()
    made = Notifications()
    bare = objects.Instance(uuid=UUID)
    servers = made.servers(stores)
    servers.started(context(), bare, Action.STOP)
    servers.ended(context(), bare, Action.CREATE)
    servers.failed(context(), bare, Action.STOP, ValueError())
    servers.updated(bare, {"vm_state": "active"})
    made.keypairs.created(context(), object())
    made.flavors.created(object())
    made.services.updated(object())
    assert not stores.asked
    assert made.lost == 0
    assert "notifications" not in {thread.name for thread in threading.enumerate()}


def test_a_payload_that_cannot_be_made_is_counted_and_harms_nobody(told, topics):
    told.keypairs.created(context(), objects.KeyPair(user_id="u"))
    assert told.flush()
    assert told.lost == 1
    assert not topics[1].told


def test_a_broken_bus_harms_nobody():
    made = Notifications(Emitter(Origin("nova-api", "a"), versioned=BrokenTopic()))
    made.keypairs.created(context(), keypair())
    assert made.emitter.outbox.flush(5)
    assert made.lost == 1
    made.close()


def test_an_outbox_that_is_full_loses_what_comes_and_counts_it():
    blocked, sent = threading.Event(), []
    outbox = Outbox(limit=1)
    outbox.put(blocked.wait)
    while outbox._waiting.qsize():  # until its thread has taken it
        pass
    outbox.put(lambda: sent.append(1))
    outbox.put(lambda: sent.append(2))
    assert outbox.lost == 1
    blocked.set()
    outbox.close()
    assert sent == [1]


def test_the_log_says_how_many_are_lost_and_more_seldom_the_more(caplog):
    outbox = Outbox()
    for number in range(1, 9):
        outbox.lose(f"reason {number}")
    outbox.close()
    assert caplog.messages == [
        *(f"notifications lost since the start: {n}; the last: reason {n}" for n in (1, 2, 4, 8)),
        "notifications lost since the start: 8",
    ]


def test_closing_does_not_wait_for_a_dead_bus_for_ever():
    blocked = threading.Event()
    outbox = Outbox()
    outbox.put(blocked.wait)
    outbox.close(timeout_s=0.05)
    assert not outbox.flush(0)
    blocked.set()
    outbox.close()


def _fails(block):
    """What is done in the block comes to nothing."""
    with pytest.raises(ValueError), block:  # noqa: PT011 - our own
        raise ValueError
    return True


def test_keypairs_flavors_services_and_groups_have_the_publishers_of_the_contract(told, topics):
    ctx = context()
    told.keypairs.importing(ctx, keypair())
    told.flavors.created(flavor())
    told.services.updated(
        objects.Service(
            uuid=UUID,
            host="h",
            binary="nova-scheduler",
            report_count=1,
            disabled=True,
            forced_down=False,
            version=74,
        )
    )
    group = objects.InstanceGroup(
        uuid=UUID, name="g", policy="affinity", _rules={}, project_id="p", user_id="u", members=[]
    )
    told.server_groups.created(ctx, group)
    told.server_groups.member_added(ctx, group, [UUID])
    told.server_groups.deleted(ctx, group)
    unborn = objects.Aggregate(name="a", uuid=UUID, metadata={"availability_zone": "z"})
    with told.aggregates.change(ctx, events.AGGREGATE_CREATE, unborn, {"name": "a"}):
        unborn.id = 3
    facts = {"host_name": "h"}
    with told.aggregates.change(ctx, events.AGGREGATE_ADD_HOST, unborn, facts, {"name": "a"}):
        unborn.hosts = ["h"]
    assert _fails(told.aggregates.change(ctx, events.AGGREGATE_DELETE, unborn))
    assert told.flush()
    assert [(one[0], one[2]) for one in topics[0].told] == [
        ("nova-api:node-1", "keypair.import.start"),
        ("nova-api:node-1", "flavor.create"),
        ("nova-scheduler:h", "service.update"),
        ("nova-api:node-1", "server_group.create"),
        ("nova-api:node-1", "server_group.add_member"),
        ("nova-api:node-1", "server_group.delete"),
        ("nova-api:node-1", "aggregate.create.start"),
        ("nova-api:node-1", "aggregate.create.end"),
        ("nova-api:node-1", "aggregate.add_host.start"),
        ("nova-api:node-1", "aggregate.add_host.end"),
        ("nova-api:node-1", "aggregate.delete.start"),
    ]
    assert [(one[0], one[2], one[3]) for one in topics[1].told] == [
        (
            "api.node-1",
            "keypair.import.start",
            {"tenant_id": "project", "user_id": "user", "key_name": "mine"},
        ),
        (
            "servergroup.node-1",
            "servergroup.create",
            {
                "name": "g",
                "policy": "affinity",
                "_rules": {},
                "project_id": "p",
                "user_id": "u",
                "server_group_id": UUID,
            },
        ),
        (
            "servergroup.node-1",
            "servergroup.addmember",
            {"instance_uuids": [UUID], "server_group_id": UUID},
        ),
        ("servergroup.node-1", "servergroup.delete", {"server_group_id": UUID}),
        ("aggregate.a", "aggregate.create.start", {"name": "a"}),
        ("aggregate.3", "aggregate.create.end", {"aggregate_id": 3, "name": "a"}),
        ("aggregate.3", "aggregate.addhost.start", {"aggregate_id": 3, "host_name": "h"}),
        ("aggregate.3", "aggregate.addhost.end", {"aggregate_id": 3, "host_name": "h", "name": "a"}),
        ("aggregate.3", "aggregate.delete.start", {"aggregate_id": 3}),
    ]
    extra = topics[0].told[1][3]["nova_object.data"]["extra_specs"]
    assert extra is None


def test_a_guest_that_is_gone_has_no_addresses(told, topics):
    kept = instance()
    told.servers(Stores()).shut_down(context(), kept)
    told.servers(Stores()).ended(context(), kept, Action.DELETE)
    assert told.flush()
    assert [one[3]["nova_object.data"]["ip_addresses"] for one in topics[0].told] == [[], []]
    assert kept.info_cache is not None
