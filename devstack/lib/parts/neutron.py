"""Neutron with ML2/OVN.

OVN answers DHCP itself and no agent speaks RPC, so the API and the OVN maintenance worker are all there
is. An OVN agent per node (metadata for guests) would be one more part per node; it costs 400 MiB each
with its privilege helpers and is left out.
"""

from collections.abc import Mapping
from pathlib import Path

from devstack.lib.ini import render
from devstack.lib.part import Part, Program
from devstack.lib.parts import openstack
from devstack.lib.parts.mariadb import create_database
from devstack.lib.probes import answers
from devstack.lib.shell import Shell
from devstack.lib.site import NODES, Site

PLENTY = {
    "default_quota": 1000,
    "quota_network": 2000,
    "quota_subnet": 2000,
    "quota_port": 20000,
    "quota_router": 1000,
    "quota_floatingip": 1000,
    "quota_security_group": 2000,
    "quota_security_group_rule": 10000,
}


def _files(site: Site) -> Mapping[Path, str]:
    folder = site.etc / "neutron"
    return {
        folder / "neutron.conf": render(
            {
                "DEFAULT": {
                    "state_path": site.data / "neutron",
                    "api_paste_config": site.openstack / "etc" / "neutron" / "api-paste.ini",
                    "core_plugin": "ml2",
                    "service_plugins": "ovn-router,trunk,qos,port_forwarding",
                    "transport_url": site.transport,
                    "auth_strategy": "keystone",
                    "host": "controller",
                    "rpc_workers": 0,
                    "rpc_state_report_workers": 0,
                    "dhcp_agent_notification": False,
                    # network-vif-plugged and friends, to the compute endpoint of the catalogue
                    "notify_nova_on_port_status_changes": True,
                    "notify_nova_on_port_data_changes": True,
                    "send_events_interval": 1,
                    "global_physnet_mtu": 1500,
                },
                "database": {"connection": site.database("neutron"), "max_pool_size": 10},
                "quotas": PLENTY,
                "keystone_authtoken": openstack.token_checking(site, "neutron", "network"),
                "nova": {**openstack.client(site, "nova"), "endpoint_type": "public"},
                "placement": openstack.client(site, "placement"),
                **openstack.messaging(site, "neutron"),
            }
        ),
        folder / "ml2_conf.ini": render(
            {
                "ml2": {
                    "type_drivers": "local,flat,vlan,geneve",
                    "tenant_network_types": "geneve",
                    "mechanism_drivers": "ovn",
                    "extension_drivers": "port_security,qos",
                    "overlay_ip_version": 4,
                },
                "ml2_type_geneve": {"vni_ranges": "1:65536", "max_header_size": 38},
                "ml2_type_flat": {"flat_networks": "public"},
                "ml2_type_vlan": {"network_vlan_ranges": "public:100:200"},
                "securitygroup": {"enable_security_group": True},
                "ovn": {
                    "ovn_nb_connection": f"tcp:127.0.0.1:{site.port('ovn-nb')}",
                    "ovn_sb_connection": f"tcp:127.0.0.1:{site.port('ovn-sb')}",
                    "ovn_metadata_enabled": True,
                    "ovn_l3_scheduler": "leastloaded",
                    "enable_distributed_floating_ip": False,
                    "neutron_sync_mode": "repair",
                    "dns_servers": "192.0.2.53",
                },
                # There is no switch of Neutron's own.
                "ovs": {"ovsdb_connection": f"unix:{site.data}/ovn/none.sock"},
            }
        ),
        openstack.uwsgi_file(site, "neutron"): openstack.uwsgi(site, "neutron", "neutron.wsgi.api"),
    }


def _config_arguments(site: Site) -> tuple[str, ...]:
    folder = site.etc / "neutron"
    return ("--config-file", f"{folder}/neutron.conf", "--config-file", f"{folder}/ml2_conf.ini")


def _set_up(site: Site, shell: Shell) -> None:
    (site.data / "neutron" / "lock").mkdir(parents=True, exist_ok=True)
    create_database(site, shell, "neutron")
    shell.run(site.openstack / "bin" / "neutron-db-manage", *_config_arguments(site), "upgrade", "head")


def _maintenance(site: Site) -> Program:
    return Program((f"{site.openstack}/bin/neutron-ovn-maintenance-worker", *_config_arguments(site)))


PARTS = (
    Part(
        name="neutron",
        group="services",
        # A port bound before its chassis is known stays binding_failed: chassis first.
        needs=(
            "mariadb",
            "memcached",
            "openstack-environment",
            *(f"ovn-controller-{node}" for node in NODES),
        ),
        files=_files,
        setup=_set_up,
        setup_key=openstack.schema_key,
        program=lambda site: openstack.api(
            site,
            "neutron",
            {
                "OS_NEUTRON_CONFIG_DIR": f"{site.etc}/neutron",
                "OS_NEUTRON_CONFIG_FILES": "neutron.conf;ml2_conf.ini",
            },
        ),
        ready=lambda site: answers(site.url("neutron")),
    ),
    Part(name="neutron-ovn-maintenance", group="services", needs=("neutron",), program=_maintenance),
)
