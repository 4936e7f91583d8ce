"""Payloads from full objects, from bare ones, and what never gets into one."""

import json

import pytest

from openkeel import objects
from openkeel.domain.errors import BuildAborted
from openkeel.notifications.payloads.base import PAYLOADS
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.notifications.payloads.flavor import FlavorPayload
from openkeel.notifications.payloads.instance import (
    AuditPeriod,
    InstanceActionPayload,
    InstanceCreatePayload,
    InstanceExistsPayload,
    InstanceUpdatePayload,
    StateUpdate,
    Told,
)
from openkeel.notifications.payloads.keypair import KeypairPayload
from openkeel.notifications.payloads.request_spec import RequestSpecPayload
from openkeel.notifications.payloads.server_group import ServerGroupPayload
from openkeel.notifications.payloads.service import ServiceStatusPayload
from tests.unit.notifications.factories import (
    PORT,
    SECRETS,
    THEN,
    UUID,
    context,
    flavor,
    instance,
    keypair,
    request_spec,
)


def _fail():
    raise BuildAborted(instance_uuid=UUID, reason="it would not start")


def _error():
    with pytest.raises(BuildAborted) as caught:
        _fail()
    return caught.value


def _told(**more):
    return Told(
        instance(),
        context(),
        name_on_host="instance-00000007",
        volumes=(
            objects.BlockDeviceMapping(
                volume_id=PORT, device_name="/dev/vda", boot_index=0, delete_on_termination=True, tag="root"
            ),
            objects.BlockDeviceMapping(volume_id=None, device_name="/dev/vdb"),
        ),
        shares=(objects.ShareMapping(uuid=UUID, share_id=PORT, status="active", tag="data"),),
        audit_period=AuditPeriod(THEN, THEN),
        state_update=StateUpdate("building", "active", "spawning", None),
        **more,
    )


def _data(payload):
    wire = payload.to_wire()
    assert "nova_object.changes" not in json.dumps(wire)
    return wire["nova_object.data"]


@pytest.mark.parametrize(
    "kind", [InstanceActionPayload, InstanceCreatePayload, InstanceUpdatePayload, InstanceExistsPayload]
)
def test_a_full_server_fills_every_field(kind):
    data = _data(kind.of(_told(error=_error())))
    unset = {name for name in kind.fields if name not in data}
    assert not unset


def test_a_server_is_told_of_in_the_words_of_the_contract():
    data = _data(InstanceCreatePayload.of(_told()))
    assert data["tenant_id"] == "project"
    assert data["host_name"] == "web"
    assert data["state"] == "active"
    assert data["power_state"] == "running"
    assert data["auto_disk_config"] == "AUTO"
    assert data["locked_reason"] == "why"
    assert data["created_at"] == "2026-11-29T18:58:22Z"
    assert data["instance_name"] == "instance-00000007"
    assert data["tags"] == ["blue"]
    assert data["keypairs"][0]["nova_object.data"]["name"] == "mine"
    assert data["request_id"] == "req-" + UUID
    assert data["action_initiator_user"] == "user"
    assert data["fault"] is None


def test_each_fixed_address_is_told_of():
    addresses = [ip["nova_object.data"] for ip in _data(InstanceActionPayload.of(_told()))["ip_addresses"]]
    assert [(ip["address"], ip["version"]) for ip in addresses] == [("10.0.0.5", 4), ("fd00::5", 6)]
    assert addresses[0] == {
        "label": "private",
        "mac": "fa:16:3e:00:00:01",
        "meta": {},
        "port_uuid": PORT,
        "version": 4,
        "address": "10.0.0.5",
        "device_name": "tapbbbbbbbb-22",
    }


def test_only_volumes_are_told_of_as_block_devices():
    devices = _data(InstanceActionPayload.of(_told()))["block_devices"]
    assert [device["nova_object.data"]["device_name"] for device in devices] == ["/dev/vda"]


def test_a_bare_server_is_told_of_all_the_same():
    bare = objects.Instance(uuid=UUID, flavor=flavor(), metadata={}, locked=False)
    data = _data(InstanceActionPayload.of(Told(bare, context())))
    assert data["host"] is None
    assert data["ip_addresses"] == []
    assert data["shares"] is None
    assert data["block_devices"] == []


def test_an_error_is_told_with_the_place_where_it_happened():
    data = _data(ExceptionPayload.of(_error()))
    assert data["exception"] == "BuildAborted"
    assert data["function_name"] == "_fail"
    assert data["module_name"] == __name__
    assert "it would not start" in data["exception_message"]
    assert "Traceback" in data["traceback"]


def test_a_request_is_told_of_in_full_but_for_the_field_nobody_fills():
    data = _data(RequestSpecPayload.of(request_spec()))
    assert set(RequestSpecPayload.fields) - set(data) == {"image_meta"}
    assert data["security_groups"] == ["default"]
    assert data["retry"]["nova_object.data"] == {"num_attempts": 1, "hosts": ["node-2"]}
    assert data["instance_group"]["nova_object.data"]["policies"] == ["affinity"]
    assert data["image"]["nova_object.data"]["properties"]["nova_object.data"] == {"hw_disk_bus": "virtio"}


def test_a_request_that_asks_for_nothing_special_has_nulls():
    spec = objects.RequestSpec(
        instance_uuid=UUID,
        flavor=flavor(),
        image=None,
        numa_topology=None,
        instance_group=None,
        requested_destination=None,
        retry=None,
    )
    data = _data(RequestSpecPayload.of(spec))
    assert data["image"] is data["numa_topology"] is data["retry"] is data["pci_requests"] is None
    assert data["security_groups"] == []


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (KeypairPayload, keypair()),
        (FlavorPayload, flavor()),
        (
            ServerGroupPayload,
            objects.InstanceGroup(uuid=UUID, name="g", policy="affinity", _rules={"a": "b"}, members=[]),
        ),
        (
            ServiceStatusPayload,
            objects.Service(
                uuid=UUID,
                host="h",
                binary="nova-compute",
                topic="compute",
                report_count=1,
                disabled=False,
                forced_down=False,
                version=74,
            ),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_all_of_a_thing_is_told(kind, source):
    assert set(_data(kind.of(source))) == set(kind.fields)


def test_no_secret_gets_into_a_payload():
    payloads = [
        InstanceCreatePayload.of(_told(error=ValueError("adminPass='Sekr3tPass'"))),
        InstanceUpdatePayload.of(_told()),
        RequestSpecPayload.of(request_spec()),
    ]
    text = json.dumps([payload.to_wire() for payload in payloads])
    assert not [secret for secret in SECRETS if secret in text]
    assert PORT in text  # of the volume, not of the secret of the image
    assert "secret_uuid" not in text


def test_no_payload_has_a_field_for_secrets():
    names = {name for kind in PAYLOADS.values() for name in kind.fields}
    assert not names & {"admin_pass", "user_data", "key_data", "private_key", "access_key", "transport_url"}
