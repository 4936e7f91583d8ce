"""What nova-network kept, as created at first."""

from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, Integer, String, Table, UniqueConstraint

from openkeel.migrations.main.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "networks",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("injected", Boolean),
    Column("cidr", String(43)),
    Column("netmask", String(39)),
    Column("bridge", String(255)),
    Column("gateway", String(39)),
    Column("broadcast", String(39)),
    Column("dns1", String(39)),
    Column("vlan", Integer),
    Column("vpn_public_address", String(39)),
    Column("vpn_public_port", Integer),
    Column("vpn_private_address", String(39)),
    Column("dhcp_start", String(39)),
    Column("project_id", String(255)),
    Column("host", String(255)),
    Column("cidr_v6", String(43)),
    Column("gateway_v6", String(39)),
    Column("label", String(255)),
    Column("netmask_v6", String(39)),
    Column("bridge_interface", String(255)),
    Column("multi_host", Boolean),
    Column("dns2", String(39)),
    Column("uuid", String(36)),
    Column("priority", Integer),
    Column("rxtx_base", Integer),
    Column("deleted", Integer),
    Column("mtu", Integer),
    Column("dhcp_server", String(39)),
    Column("enable_dhcp", Boolean),
    Column("share_address", Boolean),
    UniqueConstraint("vlan", "deleted", name="uniq_networks0vlan0deleted"),
    Index("networks_bridge_deleted_idx", "bridge", "deleted"),
    Index("networks_cidr_v6_idx", "cidr_v6"),
    Index("networks_host_idx", "host"),
    Index("networks_project_id_deleted_idx", "project_id", "deleted"),
    Index("networks_uuid_project_id_deleted_idx", "uuid", "project_id", "deleted"),
    Index("networks_vlan_deleted_idx", "vlan", "deleted"),
    **UTF8,
)

Table(
    "fixed_ips",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("address", String(39)),
    Column("network_id", Integer),
    Column("allocated", Boolean),
    Column("leased", Boolean),
    Column("reserved", Boolean),
    Column("virtual_interface_id", Integer),
    Column("host", String(255)),
    Column("instance_uuid", String(36)),
    Column("deleted", Integer),
    UniqueConstraint("address", "deleted", name="uniq_fixed_ips0address0deleted"),
    ForeignKeyConstraint(["instance_uuid"], ["instances.uuid"], name="fixed_ips_instance_uuid_fkey"),
    Index("fixed_ips_deleted_allocated_idx", "address", "deleted", "allocated"),
    Index(
        "fixed_ips_address_reserved_network_id_deleted_idx", "address", "reserved", "network_id", "deleted"
    ),
    Index("address", "address"),
    Index("fixed_ips_deleted_allocated_updated_at_idx", "deleted", "allocated", "updated_at"),
    Index("fixed_ips_host_idx", "host"),
    Index("fixed_ips_instance_uuid_fkey", "instance_uuid"),
    Index("fixed_ips_network_id_host_deleted_idx", "network_id", "host", "deleted"),
    Index("network_id", "network_id"),
    Index("fixed_ips_virtual_interface_id_fkey", "virtual_interface_id"),
    **UTF8,
)

Table(
    "floating_ips",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("address", String(39)),
    Column("fixed_ip_id", Integer),
    Column("project_id", String(255)),
    Column("host", String(255)),
    Column("auto_assigned", Boolean),
    Column("pool", String(255)),
    Column("interface", String(255)),
    Column("deleted", Integer),
    UniqueConstraint("address", "deleted", name="uniq_floating_ips0address0deleted"),
    Index("fixed_ip_id", "fixed_ip_id"),
    Index("floating_ips_host_idx", "host"),
    Index(
        "floating_ips_pool_deleted_fixed_ip_id_project_id_idx", "pool", "deleted", "fixed_ip_id", "project_id"
    ),
    Index("floating_ips_project_id_idx", "project_id"),
    **UTF8,
)

Table(
    "dns_domains",
    METADATA,
    *stamps(deleted_at=True),
    Column("deleted", Boolean),
    Column("domain", String(255), primary_key=True),
    Column("scope", String(255)),
    Column("availability_zone", String(255)),
    Column("project_id", String(255)),
    Index("dns_domains_domain_deleted_idx", "domain", "deleted"),
    Index("dns_domains_project_id_idx", "project_id"),
    **UTF8,
)

Table(
    "security_group_default_rules",
    METADATA,
    *stamps(deleted_at=True),
    Column("deleted", Integer),
    Column("id", Integer, primary_key=True),
    Column("protocol", String(5)),
    Column("from_port", Integer),
    Column("to_port", Integer),
    Column("cidr", String(43)),
    **UTF8,
)

Table(
    "provider_fw_rules",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("protocol", String(5)),
    Column("from_port", Integer),
    Column("to_port", Integer),
    Column("cidr", String(43)),
    Column("deleted", Integer),
    **UTF8,
)
