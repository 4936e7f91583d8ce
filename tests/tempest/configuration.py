"""tempest.conf for devstack: what the cloud has, and which features it lacks so far."""

from pathlib import Path
from typing import Final

from devstack.lib.ini import render
from devstack.lib.site import PASSWORD, REGION
from tests.tempest.cloud import Cloud

# Off is what OpenKeel cannot do yet, or what needs a guest that answers: a simulated one boots nothing.
# A feature that comes is turned on here, and its lines leave skips.txt.
FEATURES: Final[dict[str, object]] = {
    "attach_encrypted_volume": False,
    "block_migration_for_live_migration": False,
    "change_password": False,
    "cold_migration": False,
    "config_drive": True,
    "console_output": True,
    "disk_config": True,
    "enable_instance_password": True,
    "ide_bus": False,
    "interface_attach": False,
    "live_migration": False,
    "metadata_service": False,
    "pause": False,
    "personality": False,
    "rescue": False,
    "resize": False,
    "serial_console": False,
    "shelve": False,
    "snapshot": False,
    "spice_console": False,
    "stable_rescue": False,
    "suspend": False,
    "swap_volume": False,
    "unified_limits": False,
    "vnc_console": False,
    "volume_backed_live_migration": False,
    "volume_multiattach": False,
    "nova_policy_roles": ["admin", "manager", "member", "reader"],
    "scheduler_enabled_filters": [
        "ComputeFilter",
        "ComputeCapabilitiesFilter",
        "ImagePropertiesFilter",
        "ServerGroupAntiAffinityFilter",
        "ServerGroupAffinityFilter",
        "SameHostFilter",
        "DifferentHostFilter",
    ],
}


def tempest_conf(cloud: Cloud, workspace: Path) -> str:
    """The text of tempest.conf."""
    site = cloud.site
    return render(
        {
            "DEFAULT": {
                "log_dir": site.log,
                "log_file": "tempest.log",
                "debug": True,
                "use_stderr": False,
            },
            "oslo_concurrency": {"lock_path": workspace / "lock"},
            "auth": {
                "use_dynamic_credentials": True,
                "admin_username": "admin",
                "admin_password": PASSWORD,
                "admin_project_name": "admin",
                "admin_domain_name": "Default",
                "tempest_roles": "member",
            },
            "identity": {
                "uri_v3": site.url("keystone", "/v3"),
                "auth_version": "v3",
                "region": REGION,
            },
            "identity-feature-enabled": {"api_v2": False},
            "service_available": {
                "cinder": False,
                "glance": True,
                "horizon": False,
                "neutron": True,
                "nova": True,
                "swift": False,
            },
            "compute": {
                "image_ref": cloud.image,
                "image_ref_alt": cloud.alternative_image,
                "flavor_ref": cloud.flavor,
                "flavor_ref_alt": cloud.alternative_flavor,
                "fixed_network_name": "private",
                "min_compute_nodes": cloud.nodes,
                "build_interval": 1,
                "build_timeout": 196,
                "ready_wait": 0,
                "min_microversion": "2.1",
                "max_microversion": "latest",
                "hypervisor_type": "kubevirt",
            },
            "compute-feature-enabled": FEATURES,
            "image": {"container_formats": "bare", "disk_formats": "raw,qcow2"},
            "network": {
                "public_network_id": cloud.public_network,
                "floating_network_name": "public",
                "project_network_cidr": "10.100.0.0/16",
                "project_network_mask_bits": 28,
            },
            "network-feature-enabled": {"api_extensions": "all", "floating_ips": True},
            "validation": {"run_validation": False, "connect_method": "fixed"},
            "placement": {"min_microversion": "1.0", "max_microversion": "latest"},
        }
    )
