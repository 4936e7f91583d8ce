"""A `nova.conf` is taken as it is: other hypervisors' groups, old names, options of what is to come."""

import pytest
from oslo_config import cfg

from openkeel.cmd.configuration import read
from openkeel.common.options import list_opts
from openkeel.services.options import quota_settings

NOVA_CONF = """\
[DEFAULT]
host = compute-7
my_ip = 192.0.2.7
state_path = /var/lib/nova
lock_path = /var/lock/nova
transport_url = rabbit://nova:secret@192.0.2.1:5672/
compute_driver = libvirt.LibvirtDriver
instances_path = $state_path/instances
enabled_apis = osapi_compute,metadata
osapi_compute_listen = 0.0.0.0
osapi_compute_workers = 4
rootwrap_config = /etc/nova/rootwrap.conf
instance_usage_audit = True
instance_usage_audit_period = day@6
reserved_huge_pages = node:0,size:2048,count:64
reserved_huge_pages = node:1,size:1GB,count:1
resume_guests_state_on_host_boot = yes
ram_allocation_ratio = 1.5
# Under the names they had once:
quota_instances = 7
pci_passthrough_whitelist = {"address": "0000:82:00.0"}
novncproxy_base_url = https://console.example.org/vnc_lite.html
notification_format = versioned
console_token_ttl = 60
image_cache_manager_interval = -1

[api]
auth_strategy = keystone
neutron_default_tenant_id = 5f1c

[api_database]
connection = mysql+pymysql://nova:secret@192.0.2.1/nova_api?charset=utf8mb4

[barbican]
auth_endpoint = http://192.0.2.1/identity/v3

[cache]
enabled = True
memcache_servers = 192.0.2.1:11211

[cinder]
os_region_name = RegionOne
auth_type = password
auth_url = http://192.0.2.1/identity
username = nova
cross_az_attach = False

[database]
connection = mysql+pymysql://nova:secret@192.0.2.1/nova_cell1?charset=utf8mb4

[devices]
enabled_vgpu_types = nvidia-35,nvidia-36

[mdev_nvidia-35]
device_addresses = 0000:84:00.0

[filter_scheduler]
enabled_filters = ComputeFilter,PciPassthroughFilter
available_filters = nova.scheduler.filters.all_filters
available_filters = example.filters.Own

[guestfs]
debug = True

[hyperv]
dynamic_memory_ratio = 1.0

[ironic]
peer_list = a,b

[libvirt]
virt_type = kvm
cpu_mode = custom
cpu_models = Cascadelake-Server-noTSX
live_migration_uri = qemu+ssh://nova@%s/system
images_type = rbd
rbd_user = cinder
inject_partition = -2
made_up = perhaps a fork's

[neutron]
service_metadata_proxy = True
metadata_proxy_shared_secret = secret
physnets = physnet0

[neutron_physnet_physnet0]
numa_nodes = 0,1

[os_vif_ovs]
isolate_vif = True

[pci]
alias = {"name": "a1", "product_id": "1572", "vendor_id": "8086", "device_type": "type-PF"}
alias = {"name": "a2", "product_id": "154c", "vendor_id": "8086", "device_type": "type-VF"}

[privsep]
helper_command = sudo nova-rootwrap /etc/nova/rootwrap.conf privsep-helper

[serial_console]
port_range = 10000:10100

[spice]
enabled = False
image_compression = auto_glz

[upgrade_levels]
compute = auto

[vendordata_dynamic_auth]
auth_type = password
username = vendordata

[vmware]
host_ip = 192.0.2.9
host_password = secret

[vnc]
server_listen = 0.0.0.0
auth_schemes = vencrypt,none

[workarounds]
libvirt_disable_apic = True
wait_for_vif_plugged_event_during_hard_reboot = normal,direct

[wsgi]
api_paste_config = /etc/nova/api-paste.ini

[zvm]
cloud_connector_url = http://192.0.2.8:8080/
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        path = tmp_path / "nova.conf"
        path.write_text(text)
        return read("openkeel-api", ["--config-file", str(path)])

    return load


def test_all_of_it_can_be_read(load):
    conf = load(NOVA_CONF)
    for group, options in list_opts():
        values = conf if group == "DEFAULT" else conf[group]
        for option in options:
            getattr(values, option.dest)  # raises when the value is wrong
    assert conf.host == "compute-7"
    assert conf.ram_allocation_ratio == 1.5
    assert conf.filter_scheduler.enabled_filters == ["ComputeFilter", "PciPassthroughFilter"]
    assert conf.cinder.cross_az_attach is False
    assert conf.serial_console.port_range == "10000:10100"


def test_values_refer_to_other_values(load):
    assert load(NOVA_CONF).instances_path == "/var/lib/nova/instances"
    assert load(NOVA_CONF).my_block_storage_ip == "192.0.2.7"


def test_old_names_still_count(load):
    conf = load(NOVA_CONF)
    assert conf.quota.instances == 7
    assert conf.pci.device_spec == ['{"address": "0000:82:00.0"}']
    assert conf.vnc.novncproxy_base_url == "https://console.example.org/vnc_lite.html"
    assert conf.notifications.notification_format == "versioned"
    assert conf.consoleauth.token_ttl == 60
    assert conf.image_cache.manager_interval == -1
    assert conf.devices.enabled_mdev_types == ["nvidia-35", "nvidia-36"]
    assert conf.api.neutron_default_project_id == "5f1c"


def test_options_that_may_come_several_times_keep_their_order(load):
    conf = load(NOVA_CONF)
    assert [alias[10:12] for alias in conf.pci.alias] == ["a1", "a2"]
    assert [pages["node"] for pages in conf.reserved_huge_pages] == ["0", "1"]


def test_groups_of_other_hypervisors_are_not_even_known(load):
    conf = load(NOVA_CONF)
    for group in ("libvirt", "vmware", "zvm", "guestfs", "mks"):
        with pytest.raises(cfg.NoSuchOptError):
            conf[group]


@pytest.mark.parametrize(
    ("group", "name", "line"),
    [
        ("serial_console", "port_range", "port_range = many"),
        ("vnc", "novncproxy_port", "novncproxy_port = 70000"),
        ("notifications", "notification_format", "notification_format = loud"),
        ("quota", "unified_limits_resource_list", "unified_limits_resource_list = servers,class:VCPU,cats"),
        ("api", "vendordata_dynamic_connect_timeout", "vendordata_dynamic_connect_timeout = 2"),
    ],
)
def test_a_wrong_value_is_refused_by_name(load, group, name, line):
    conf = load(f"[{group}]\n{line}\n")
    with pytest.raises(cfg.ConfigFileValueError, match=name):
        conf[group][name]


def test_unified_limits_are_refused_rather_than_forgotten(load):
    conf = load("[quota]\ndriver = nova.quota.UnifiedLimitsDriver\n")
    with pytest.raises(cfg.ConfigFileValueError, match=r"\[quota\] driver"):
        quota_settings(conf)
