"""Field types that only Nova's wire has."""

import json

import pytest

from openkeel import objects
from openkeel.objects import network_info


def a_vif():
    subnet = network_info.subnet("10.0.0.0/24", gateway="10.0.0.1", dns=["8.8.8.8"], addresses=["10.0.0.5"])
    net = network_info.network(
        "net-1", "private", bridge="br-int", project_id="p", subnets=[subnet], mtu=1442
    )
    return network_info.vif("port-1", "fa:16:3e:00:00:01", net, vif_type="ovs", is_active=True)


def test_the_network_travels_as_json_text():
    cache = objects.InstanceInfoCache(network_info=[a_vif()])
    sent = cache.obj_to_primitive()["nova_object.data"]["network_info"]
    assert isinstance(sent, str)
    assert json.loads(sent)[0]["ovs_interfaceid"] == "port-1"
    back = objects.InstanceInfoCache.obj_from_primitive(cache.obj_to_primitive())
    assert back.network_info == cache.network_info
    assert objects.InstanceInfoCache(network_info=sent).network_info == cache.network_info


def test_interfaces_are_found_by_port_and_give_their_addresses():
    info = network_info.NetworkInfo([a_vif()])
    assert [ip["address"] for ip in network_info.fixed_ips(info.find("port-1"))] == ["10.0.0.5"]
    assert info.find("port-2") is None
    assert network_info.NetworkInfo.from_json(None) == []


def test_a_network_that_is_none_is_refused():
    with pytest.raises(ValueError, match="network_info"):
        objects.InstanceInfoCache(network_info=7)


def test_one_interface_travels_as_json_text():
    data = objects.VIFMigrateData(source_vif=a_vif())
    back = objects.VIFMigrateData.obj_from_primitive(data.obj_to_primitive())
    assert back.source_vif == a_vif()
    with pytest.raises(ValueError, match="source_vif"):
        objects.VIFMigrateData(source_vif=[])


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (objects.IDEDeviceBus, "0:1", "2:0"),
        (objects.SCSIDeviceBus, "0:0:0:1", "0:1"),
        (objects.USBDeviceBus, "0:1", "x"),
        (objects.XenDeviceBus, "000100", "0"),
    ],
)
def test_addresses_have_the_form_of_their_bus(kind, good, bad):
    assert kind(address=good).address == good
    with pytest.raises(ValueError, match="address must look like"):
        kind(address=bad)


def test_resource_classes_are_written_in_capitals():
    assert objects.Resource(resource_class="custom_x").resource_class == "CUSTOM_X"
    with pytest.raises(ValueError, match="A-B"):
        objects.Resource(resource_class="a-b")
